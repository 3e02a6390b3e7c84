//! `cargo xtask examples`: the example agreement, packed from its readable parts.

use std::fs::File;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::{Error, Result, root, say};

/// The parts in the order in which Word writes them.
const ENTRIES: &[&str] = &[
    "[Content_Types].xml",
    "_rels/.rels",
    "word/document.xml",
    "word/_rels/document.xml.rels",
    "word/styles.xml",
    "word/numbering.xml",
    "word/settings.xml",
    "word/fontTable.xml",
    "word/footnotes.xml",
    "word/comments.xml",
    "word/commentsExtended.xml",
    "word/people.xml",
    "word/header1.xml",
    "word/footer1.xml",
    "docProps/core.xml",
    "docProps/app.xml",
];

/// Writes `examples/nda.docx`.
#[expect(clippy::disallowed_methods, reason = "a chore writes a file of the repository")]
pub(crate) fn pack() -> Result<()> {
    let target = root().join("examples/nda.docx");
    let mut file = File::create(&target).map_err(Error::file(&target))?;
    file.write_all(&packed()?).map_err(Error::file(&target))?;
    say(&format!("wrote {}", target.display()));
    Ok(())
}

/// The bytes of the packed agreement: the same on every machine.
#[expect(clippy::disallowed_methods, reason = "a chore reads files of the repository")]
fn packed() -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in ENTRIES {
        let path = root().join("examples/nda").join(entry);
        let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
        writer.start_file(*entry, options)?;
        writer.write_all(&bytes).map_err(Error::file(&path))?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "reads a file of the repository")]
    fn the_packed_agreement_is_its_parts() {
        let committed = std::fs::read(root().join("examples/nda.docx")).unwrap();
        assert!(committed == packed().unwrap(), "run `cargo xtask examples`");
    }
}
