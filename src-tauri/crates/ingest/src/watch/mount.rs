//! File systems that deliver no notifications about what other machines write.

use std::path::Path;

/// The kind of a file system on which watching stays silent, `None` on others.
#[cfg(target_os = "linux")]
pub(super) fn silent_file_system(path: &Path) -> Option<String> {
    let resolved = path.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    silent_among(&mounts, &resolved)
}

/// Other systems have no such list to read.
#[cfg(not(target_os = "linux"))]
pub(super) fn silent_file_system(_path: &Path) -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
fn silent_among(mounts: &str, path: &Path) -> Option<String> {
    const SILENT: [&str; 11] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "fuse.sshfs",
        "vboxsf",
        "drvfs",
        "afs",
        "fuse.rclone",
    ];
    let kind = mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            let point = words.next()?.replace("\\040", " ");
            let kind = words.next()?;
            path.starts_with(&point).then_some((point.len(), kind))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)?;
    SILENT.contains(&kind).then(|| kind.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_decides() {
        let mounts = "/dev/sda1 / ext4 rw 0 0\nsrv:/x /mnt/team\\040logs nfs4 rw 0 0\n";
        let silent = |path: &str| silent_among(mounts, Path::new(path));
        assert_eq!(silent("/mnt/team logs/a"), Some("nfs4".to_owned()));
        assert_eq!(silent("/home/demo"), None);
    }
}
