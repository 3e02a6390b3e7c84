//! The package for Debian and its kin: an `ar` of three files.

use super::package_tree::{PackageTree, gzip};
use super::program::{Program, glibc_minor};
use super::release::{DESCRIPTION, Release, SUMMARY};
use super::{read, system};
use crate::{Result, root};

/// The bytes of the package.
pub(super) fn package(release: &Release, program: &Program, licences: &str) -> Result<Vec<u8>> {
    let mut data = system(program, licences, "usr/share/zsh/vendor-completions")?;
    let licence = String::from_utf8_lossy(&read(&root().join("LICENSE"))?).into_owned();
    data.file("usr/share/doc/engross/copyright", copyright(&licence));
    data.file("usr/share/doc/engross/changelog.gz", gzip(&read(&root().join("CHANGELOG.md"))?)?);
    let mut control = PackageTree::default();
    control.file("control", control_file(release, program, data.bytes())?);
    Ok(archive(
        release.epoch,
        &[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", control.tar_gz("", release.epoch)?),
            ("data.tar.gz", data.tar_gz("", release.epoch)?),
        ],
    ))
}

fn control_file(release: &Release, program: &Program, bytes: usize) -> Result<String> {
    let Release { version, maintainer, .. } = release;
    Ok(format!(
        "Package: engross\nVersion: {version}\nArchitecture: {}\nMaintainer: {maintainer}\nInstalled-Size: {}\n\
         Depends: libc6 (>= 2.{}), libgcc-s1\nSection: utils\nPriority: optional\nDescription: {SUMMARY}\n{}",
        release.debian_architecture()?,
        bytes.div_ceil(1024),
        glibc_minor(&program.bytes),
        folded(DESCRIPTION),
    ))
}

/// The words in lines that begin with a blank, as the long description of a control file.
fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 78 => line.push_str(&format!(" {word}")),
            _ => lines.push(format!(" {word}")),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The licence in the form that Debian's machines read.
fn copyright(licence: &str) -> String {
    let holder =
        licence.lines().find_map(|line| line.strip_prefix("Copyright ")).unwrap_or("engross authors");
    let text: String = licence
        .lines()
        .skip_while(|line| !line.starts_with("Permission"))
        .map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: engross\n\
         Comment: licences of the libraries in the program: THIRD-PARTY-LICENSES.gz\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat\n\nLicense: Expat\n{text}"
    )
}

/// An archive of `ar`.
fn archive(epoch: u64, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in files {
        let mode = 0o100_644;
        out.extend(format!("{name:<16}{epoch:<12}{:<6}{:<6}{mode:<8o}{:<10}`\n", 0, 0, bytes.len()).bytes());
        out.extend(bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}
