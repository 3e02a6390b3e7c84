//! Files of pictures: what kind they are, and how large they are shown.
//!
//! Must never decode a picture: its first bytes say enough.

/// A kind of picture that every reader of documents shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureKind {
    Png,
    Jpeg,
    Gif,
}

/// What the first bytes of a picture say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) kind: PictureKind,
    /// Width and height in EMU.
    pub(crate) size: (u64, u64),
}

/// EMU to the inch.
const INCH: u64 = 914_400;
/// Dots to the inch where a file does not say.
const DOTS: u64 = 96;
/// No picture is shown wider than the text of an ordinary page, unless its width is asked for.
const WIDEST: u64 = 6 * INCH;

impl PictureKind {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
        }
    }
}

impl Picture {
    /// Reads the first bytes of a file; nothing for what is no picture of a kind that is known.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, pixels, dots) = png(bytes).or_else(|| gif(bytes)).or_else(|| jpeg(bytes))?;
        let emu = |pixels: u64, dots: u64| (pixels * INCH / dots.clamp(20, 4_800)).max(1);
        let (width, height) = (emu(pixels.0, dots.0), emu(pixels.1, dots.1));
        let size = match width > WIDEST {
            true => (WIDEST, (height * WIDEST / width).max(1)),
            false => (width, height),
        };
        (pixels.0 > 0 && pixels.1 > 0).then_some(Self { kind, size })
    }

    /// The size at which it is shown when one or both lengths are asked for: one length keeps the proportion.
    pub(crate) fn shown(&self, asked: (Option<u64>, Option<u64>)) -> (u64, u64) {
        let (width, height) = self.size;
        match asked {
            (Some(width), Some(height)) => (width, height),
            (Some(asked), None) => (asked, (height * asked / width.max(1)).max(1)),
            (None, Some(asked)) => ((width * asked / height.max(1)).max(1), asked),
            (None, None) => self.size,
        }
    }
}

type Header = (PictureKind, (u64, u64), (u64, u64));

fn big(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + count)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// A PNG: `IHDR` is its first chunk; `pHYs`, before the data, has dots to the metre.
fn png(bytes: &[u8]) -> Option<Header> {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    let pixels = (big(bytes, 16, 4)?, big(bytes, 20, 4)?);
    let mut dots = (DOTS, DOTS);
    let mut at = 8;
    for _ in 0..64 {
        let Some(length) = big(bytes, at, 4).and_then(|length| usize::try_from(length).ok()) else { break };
        match bytes.get(at + 4..at + 8) {
            Some(b"pHYs") if big(bytes, at + 16, 1) == Some(1) => {
                let to_inch = |per_metre: u64| (per_metre * 254 + 5_000) / 10_000;
                dots = (to_inch(big(bytes, at + 8, 4)?), to_inch(big(bytes, at + 12, 4)?));
                break;
            }
            Some(b"IDAT") | None => break,
            Some(_) => at = at.saturating_add(length).saturating_add(12),
        }
    }
    let usual = |dots: u64| if dots == 0 { DOTS } else { dots };
    Some((PictureKind::Png, pixels, (usual(dots.0), usual(dots.1))))
}

fn gif(bytes: &[u8]) -> Option<Header> {
    (bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")).then_some(())?;
    let little = |at: usize| Some(u64::from(*bytes.get(at)?) | u64::from(*bytes.get(at + 1)?) << 8);
    Some((PictureKind::Gif, (little(6)?, little(8)?), (DOTS, DOTS)))
}

/// A JPEG: the frame header has the size, the JFIF header the dots.
fn jpeg(bytes: &[u8]) -> Option<Header> {
    bytes.starts_with(&[0xff, 0xd8, 0xff]).then_some(())?;
    let mut dots = (DOTS, DOTS);
    let mut at = 2;
    for _ in 0..200 {
        while bytes.get(at) == Some(&0xff) && bytes.get(at + 1) == Some(&0xff) {
            at += 1;
        }
        let marker = *bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff))?;
        let length = usize::try_from(big(bytes, at + 2, 2)?).ok()?;
        match marker {
            0xe0 if bytes.get(at + 4..at + 9) == Some(b"JFIF\0") => {
                let found = (big(bytes, at + 12, 2)?, big(bytes, at + 14, 2)?);
                match bytes.get(at + 11) {
                    Some(1) if found.0 > 0 && found.1 > 0 => dots = found,
                    Some(2) if found.0 > 0 && found.1 > 0 => {
                        dots = (found.0 * 254 / 100, found.1 * 254 / 100);
                    }
                    _ => {}
                }
            }
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((PictureKind::Jpeg, (big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?), dots));
            }
            0xd9 | 0xda => return None,
            _ => {}
        }
        at = at.checked_add(2 + length)?;
    }
    None
}

/// The bytes that a `data:` URI in Base64 holds.
pub(crate) fn data_of_uri(source: &str) -> Option<Vec<u8>> {
    let (kind, data) = source.strip_prefix("data:")?.split_once(',')?;
    kind.ends_with(";base64").then(|| base64(data)).flatten()
}

/// The bytes that a text in Base64 says (RFC 4648); white space does not count.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(out)
}
