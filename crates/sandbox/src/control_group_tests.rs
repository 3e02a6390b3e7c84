use std::path::PathBuf;

use super::control_group::folder_of;

const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
";

#[test]
fn the_folder_of_a_group_is_beneath_its_mount() {
    let found = |groups: &str, mounts: &str| folder_of(groups, mounts);
    assert_eq!(found("8:pids:/a\n0::/\n", MOUNTS), Some(PathBuf::from("/sys/fs/cgroup/unified")));
    assert_eq!(
        found("0::/user.slice/user@1000.service/app.slice/a.scope\n", MOUNTS),
        Some(PathBuf::from("/sys/fs/cgroup/unified/user.slice/user@1000.service/app.slice/a.scope"))
    );
    // A container sees a part of the groups, and may be in none of them.
    let part = "41 31 0:38 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
    assert_eq!(found("0::/docker/1/x\n", part), Some(PathBuf::from("/sys/fs/cgroup/x")));
    assert_eq!(found("0::/elsewhere\n", part), None);
    assert_eq!(found("8:pids:/a\n", MOUNTS), None);
    assert_eq!(found("0::/\n", ""), None);
}
