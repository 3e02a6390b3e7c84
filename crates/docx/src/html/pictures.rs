//! Which pictures are shown: those whose bytes begin as a raster format of browsers does, as far as they are not too large.
//!
//! Must never trust a content type or a file's name, nor show a format that can hold a script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Largest picture, in bytes.
const LARGEST: usize = 4 << 20;
/// The most bytes of all pictures of a view.
const MOST: usize = 24 << 20;

/// How many bytes of pictures a view may still show.
#[derive(Debug)]
pub(super) struct PictureAllowance(usize);

impl Default for PictureAllowance {
    fn default() -> Self {
        Self(MOST)
    }
}

impl PictureAllowance {
    /// The picture as the address of an image; nothing for what is not shown.
    pub(super) fn address(&mut self, bytes: &[u8]) -> Option<String> {
        let kind = kind_of(bytes)?;
        if bytes.len() > LARGEST || bytes.len() > self.0 {
            return None;
        }
        self.0 -= bytes.len();
        Some(format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
    }
}

fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let starts = |with: &[u8]| bytes.starts_with(with);
    if starts(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if starts(b"\xFF\xD8\xFF") {
        Some("image/jpeg")
    } else if starts(b"GIF87a") || starts(b"GIF89a") {
        Some("image/gif")
    } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else if starts(b"BM") && bytes.get(6..10) == Some(&[0; 4]) {
        Some("image/bmp")
    } else {
        None
    }
}
