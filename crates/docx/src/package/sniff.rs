//! What a file is when it is not a `.docx`: people save, rename and encrypt documents in many ways, and
//! the error should say which and what to do.
//!
//! Looks only at signatures; never decides that a file *is* a document.

use memchr::memmem;

use super::error::Error;

const SAVE_AS_DOCX: &str = "open it in Word or LibreOffice and save it as .docx";
const GIVE_A_DOCX: &str = "give the .docx file itself";

/// The first bytes of a compound file, the container of `.doc` and of encrypted documents.
const COMPOUND_FILE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// How much of the beginning is looked at to recognise text formats.
const HEAD: usize = 4096;

/// Refuses files of another format that are easily taken for a document. They are refused even when
/// a zip archive hides somewhere in them: a PDF with an attached `.docx` is not that `.docx`.
pub(super) fn refuse_other_formats(source: &[u8]) -> Result<(), Error> {
    if starts_like_zip(source) {
        return Ok(());
    }
    if source.starts_with(COMPOUND_FILE) {
        return Err(compound_file(source));
    }
    let refuse = |found, advice| Err(Error::NotAZip { found, advice });
    if source.is_empty() {
        return refuse("is empty", "check that it was saved or downloaded completely");
    }
    if source.starts_with(b"%PDF") {
        return refuse("looks like a PDF", "give the Word document that the PDF was made from");
    }
    let head = source.get(..HEAD).unwrap_or(source);
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let starts_with =
        |prefix: &[u8]| text.get(..prefix.len()).is_some_and(|s| s.eq_ignore_ascii_case(prefix));
    if starts_with(b"{\\rtf") {
        return refuse("looks like an RTF document", SAVE_AS_DOCX);
    }
    if starts_with(b"<!doctype html") || starts_with(b"<html") {
        return refuse(
            "looks like an HTML page",
            "if it was downloaded, sign in and download the document again; else open it in Word or LibreOffice \
             and save it as .docx",
        );
    }
    if starts_with(b"MIME-Version:") {
        return refuse("looks like a web archive (MHTML)", SAVE_AS_DOCX);
    }
    let has = |needle: &[u8]| memmem::find(head, needle).is_some();
    if has(b"<pkg:package") || has(b"schemas.microsoft.com/office/2006/xmlPackage") {
        return refuse("looks like a Flat OPC XML document", SAVE_AS_DOCX);
    }
    if has(b"schemas.microsoft.com/office/word/2003/wordml") {
        return refuse("looks like a Word 2003 XML document", SAVE_AS_DOCX);
    }
    if starts_with(b"<?xml") {
        return refuse("looks like an XML file", GIVE_A_DOCX);
    }
    Ok(())
}

/// The error for bytes in which no zip directory was found.
pub(super) fn no_archive(source: &[u8]) -> Error {
    if starts_like_zip(source) {
        return Error::Truncated;
    }
    let refuse = |found, advice| Error::NotAZip { found, advice };
    if source.iter().all(|&byte| byte == 0) {
        return refuse("holds nothing but zero bytes", "its content was lost: restore it from a backup");
    }
    let archives: [&[u8]; 4] = [b"\x1F\x8B", b"7z\xBC\xAF\x27\x1C", b"Rar!", b"\xFD7zXZ"];
    if archives.iter().any(|magic| source.starts_with(magic)) {
        return refuse("looks like another kind of archive", "unpack it and give the .docx file inside");
    }
    let head = source.get(..HEAD).unwrap_or(source);
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") || is_text(head) {
        return refuse("looks like plain text", SAVE_AS_DOCX);
    }
    refuse("is no zip archive and no format that engross knows", GIVE_A_DOCX)
}

/// Whether the file begins with a record of the zip format, or with as much of one as fits in it.
fn starts_like_zip(source: &[u8]) -> bool {
    let start = source.get(..4).unwrap_or(source);
    let records: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];
    start.len() >= 2 && records.iter().any(|record| record.starts_with(start))
}

/// Tells an encrypted document from a legacy one by the stream names in the file's directory.
fn compound_file(source: &[u8]) -> Error {
    if has_stream(source, "EncryptedPackage") {
        let what = "it is protected by a password or by a rights service".to_owned();
        return Error::Encrypted { what };
    }
    let what = if has_stream(source, "WordDocument") {
        "it is a Word 97–2003 document (.doc)"
    } else {
        "it is an Office 97–2003 file or another compound file"
    };
    Error::LegacyDocument { what }
}

/// Whether the compound file has a directory entry of this name. Entries are 128 bytes long, aligned,
/// and keep the length of the name with its terminator, in bytes, at offset 64; looking at every aligned
/// place finds them without following the file's sector chains, which may be damaged.
fn has_stream(source: &[u8], name: &str) -> bool {
    let mut wanted: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    wanted.extend([0, 0]);
    let length = u16::try_from(wanted.len()).unwrap_or(u16::MAX).to_le_bytes();
    source
        .chunks_exact(128)
        .any(|entry| entry.starts_with(&wanted) && entry.get(64..66) == Some(length.as_slice()))
}

/// Whether the beginning of a file is text: UTF-8, but for a character cut in two at its end, and without
/// control characters.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid
        .chars()
        .any(|character| character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0C'))
}
