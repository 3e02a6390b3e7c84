//! Who takes more than is allowed is ended, with a verdict of its own.

use engross_sandbox::{Quota, WatchVerdict};

use super::fixture::{World, kernel_can};

fn ended(code: &str, quota: Quota) -> Option<WatchVerdict> {
    let mut world = World::new();
    let fence = Some(world.fence());
    let (exit, said) = world.python(code, fence, quota);
    assert!(world.harm().is_empty(), "{said}");
    WatchVerdict::of_exit(exit)
}

const STAY: &str = "time.sleep(100)";

#[test]
fn more_than_is_allowed_ends_it() {
    if !kernel_can() {
        return;
    }
    let files = Quota { files: Some(50), ..Quota::default() };
    let bytes = Quota { bytes: Some(1 << 20), ..Quota::default() };
    let processes = Quota { processes: Some(10), ..Quota::default() };
    let many = format!("\nfor n in range(80): open(f'{{SCOPE}}/{{n}}', 'w')\n{STAY}");
    let deep = format!("\nfor n in range(60):\n    os.mkdir('d'); os.chdir('d')\n{STAY}");
    let large = format!("open('big', 'wb').write(b'x' * (2 << 20))\n{STAY}");
    let crowd = format!("\nfor n in range(20): subprocess.Popen(['sleep', '100'])\n{STAY}");
    assert_eq!(ended(&many, files.clone()), Some(WatchVerdict::Files));
    assert_eq!(ended(&deep, files.clone()), Some(WatchVerdict::Files));
    assert_eq!(ended(&large, bytes.clone()), Some(WatchVerdict::Bytes));
    assert_eq!(ended(&crowd, processes.clone()), Some(WatchVerdict::Processes));
    // Those who multiply are stopped before they are killed.
    let bomb = "\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        time.sleep(0.01)";
    assert_eq!(ended(bomb, processes.clone()), Some(WatchVerdict::Processes));
    // A hole takes no room, and what is allowed is not held against anybody.
    assert_eq!(ended("open('hole', 'wb').truncate(1 << 34); time.sleep(1)", bytes), None);
    assert_eq!(ended("open('one', 'w'); subprocess.run(['true']); time.sleep(1)", processes), None);
    // Nobody can pass for a verdict but the one who watches.
    assert_eq!(ended("sys.exit(241)", files), None);
}
