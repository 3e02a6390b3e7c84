//! The table of file systems is read as the kernel writes it.

use std::path::PathBuf;

use rustix::mount::MountFlags;

use super::mounts::mounts;

const TABLE: &[u8] = b"\
22 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
27 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw
31 27 0:28 / /a\\040folder\\011\\134 ro,nosuid,noexec - tmpfs tmpfs rw
32 27 0:29 / /net rw - autofs systemd-1 rw
33 27 0:30 / /no\\0 rw,nodev shared:2 master:1 - tmpfs x rw
";

#[test]
fn every_place_of_files_is_known_with_what_holds_of_it() {
    let told = [
        ("/", MountFlags::empty()),
        ("/a folder\t\\", MountFlags::NOSUID | MountFlags::NOEXEC),
        // What is no number of three digits stands for itself.
        ("/no\\0", MountFlags::NODEV),
    ];
    assert_eq!(mounts(TABLE), told.map(|(point, flags)| (PathBuf::from(point), flags)));
    assert_eq!(mounts(b"one line that is cut"), []);
}
