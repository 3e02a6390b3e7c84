//! What a message carries beside its text: pictures, PDF files and sound.
//!
//! Must never hold what is not of the kind that it says, nor fetch what stands at an address: the provider does, or nobody.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};

use crate::options::Provider;

/// Base64 as clients write it, with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// So many bytes of the beginning tell what something is. A PDF may have others before its own.
const SNIFFED: usize = 1024;

/// The longest address.
const MOST_ADDRESS: usize = 8192;

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// A picture.
    Picture,
    /// A PDF file.
    Pdf,
    /// Sound.
    Sound,
}

impl fmt::Display for AttachmentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Picture => "a picture",
            Self::Pdf => "a PDF file",
            Self::Sound => "sound",
        })
    }
}

/// Something that a message carries beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageAttachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where it is.
    pub source: AttachmentSource,
    /// Before which byte of the text of its message it stands.
    #[serde(default)]
    pub at: usize,
    /// The name of its file, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How closely a picture is to be looked at, in the words of OpenAI: `low`, `high` or `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Where an attachment is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentSource {
    /// It was sent along.
    Inline {
        /// Its media type, as its first bytes tell.
        media_type: String,
        /// Its bytes as base64.
        #[serde(with = "shared_text")]
        data: Arc<str>,
    },
    /// At an `https` or `http` address, which the provider is given.
    Url(String),
}

/// Never the bytes: they would fill a log.
impl fmt::Debug for AttachmentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline { media_type, data } => {
                write!(f, "{media_type}, {} characters of base64", data.len())
            }
            Self::Url(url) => write!(f, "at {url}"),
        }
    }
}

impl MessageAttachment {
    /// What was sent as base64. `kind` is what the client says it is; which picture, or which sound, its bytes tell, since
    /// clients err in that and providers refuse what does not fit.
    ///
    /// # Errors
    /// What is wrong with it, to be put behind the name of its field.
    pub fn inline(kind: AttachmentKind, data: &str) -> Result<Self, String> {
        // Some clients break the lines.
        let data: String = match data.contains(|character: char| character.is_ascii_whitespace()) {
            true => data.split_ascii_whitespace().collect(),
            false => data.to_owned(),
        };
        if data.is_empty() {
            return Err("is empty".to_owned());
        }
        let bytes = BASE64.decode(&data).map_err(|problem| format!("is no base64: {problem}"))?;
        let (is, media_type) = sniff(&bytes)
            .ok_or("is no picture (PNG, JPEG, GIF, WebP), no PDF file and no sound (WAV, MP3), as its first bytes tell")?;
        if is != kind {
            return Err(format!("should be {kind}, and its first bytes tell that it is {is}"));
        }
        let source =
            AttachmentSource::Inline { media_type: media_type.to_owned(), data: BASE64.encode(bytes).into() };
        Ok(Self { kind, source, at: 0, name: None, detail: None })
    }

    /// What stands at an address, or in a `data:` address.
    ///
    /// # Errors
    /// As [`MessageAttachment::inline`].
    pub fn at(kind: AttachmentKind, url: &str) -> Result<Self, String> {
        if let Some(rest) = url.strip_prefix("data:") {
            let (about, data) = rest.split_once(',').ok_or("is a data: address without a comma")?;
            return match about.rsplit_once(';') {
                Some((_, "base64")) => Self::inline(kind, data),
                _ => Err("is a data: address that is not in base64".to_owned()),
            };
        }
        let is_web = ["https://", "http://"].iter().any(|scheme| url.get(..scheme.len()) == Some(scheme));
        if !is_web || url.contains(|character: char| character.is_whitespace() || character.is_control()) {
            return Err("must be an https: or a data: address".to_owned());
        }
        if url.len() > MOST_ADDRESS {
            return Err(format!("has more than {MOST_ADDRESS} bytes"));
        }
        Ok(Self { kind, source: AttachmentSource::Url(url.to_owned()), at: 0, name: None, detail: None })
    }

    /// Its kind as the bytes tell that were sent as base64, for clients that send a file without saying which.
    #[must_use]
    pub fn kind_of(data: &str) -> Option<AttachmentKind> {
        let data =
            data.strip_prefix("data:").and_then(|rest| rest.split_once(',')).map_or(data, |(_, data)| data);
        // A multiple of four characters decodes by itself.
        let end = data.len().min(SNIFFED / 3 * 4) / 4 * 4;
        sniff(&BASE64.decode(data.get(..end)?).ok()?).map(|(kind, _)| kind)
    }

    /// How much room it takes, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.source {
            AttachmentSource::Inline { data, .. } => data.len(),
            AttachmentSource::Url(url) => url.len(),
        }
    }

    /// How many bytes it has, where it was sent along.
    #[must_use]
    pub fn bytes(&self) -> Option<usize> {
        match &self.source {
            AttachmentSource::Inline { data, .. } => {
                Some(data.len() / 4 * 3 - data.bytes().rev().take_while(|byte| *byte == b'=').count())
            }
            AttachmentSource::Url(_) => None,
        }
    }

    /// What stands for it where only text can.
    #[must_use]
    pub fn told(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        match &self.source {
            AttachmentSource::Inline { media_type, .. } => {
                format!("[{}{name}: {media_type}, {} bytes]", self.kind, self.bytes().unwrap_or_default())
            }
            AttachmentSource::Url(url) => format!("[{}{name}: {url}]", self.kind),
        }
    }
}

/// The kind and media type of what begins with these bytes.
fn sniff(bytes: &[u8]) -> Option<(AttachmentKind, &'static str)> {
    use AttachmentKind::{Pdf, Picture, Sound};
    let form = bytes.get(8..12);
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => (Picture, "image/png"),
        [0xff, 0xd8, 0xff, ..] => (Picture, "image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => (Picture, "image/gif"),
        [b'R', b'I', b'F', b'F', ..] if form == Some(b"WEBP") => (Picture, "image/webp"),
        [b'R', b'I', b'F', b'F', ..] if form == Some(b"WAVE") => (Sound, "audio/wav"),
        [b'I', b'D', b'3', ..] => (Sound, "audio/mpeg"),
        // A frame of MPEG sound, layer 3.
        [0xff, second, ..] if second & 0xe6 == 0xe2 => (Sound, "audio/mpeg"),
        _ if bytes.get(..SNIFFED).unwrap_or(bytes).windows(5).any(|five| five == b"%PDF-") => {
            (Pdf, "application/pdf")
        }
        _ => return None,
    })
}

/// Why a provider cannot be given something; nothing when it can. The one table that knows, see [`attachment_table`].
#[must_use]
pub fn attachment_refusal(provider: Provider, attachment: &MessageAttachment) -> Option<&'static str> {
    let is_inline = matches!(attachment.source, AttachmentSource::Inline { .. });
    let is = |wanted: &str| matches!(&attachment.source, AttachmentSource::Inline { media_type, .. } if media_type == wanted);
    let (kind, name) = (attachment.kind, provider);
    match (name, kind, is_inline) {
        (Provider::Embedded, ..) => Some("the model that answers reads text only"),
        (_, AttachmentKind::Sound, false) => Some("sound has to be sent itself, not its address"),
        (Provider::Anthropic, AttachmentKind::Sound, _) => Some("Anthropic's models take no sound"),
        (Provider::Anthropic, ..) => None,
        (Provider::Gemini, _, false) => Some("Gemini is given no addresses: send the bytes as base64"),
        (Provider::Gemini, ..) if is("image/gif") => Some("Gemini takes no GIF: send PNG, JPEG or WebP"),
        (Provider::Gemini, ..) => None,
        (Provider::Compatible, AttachmentKind::Pdf, _) => Some(
            "servers that speak chat completions take no PDF files: send its text, or pictures of its pages",
        ),
        // Such a server may stand where it reaches what the client must not.
        (Provider::Compatible, _, false) => {
            Some("this server is given no addresses: send the bytes as base64")
        }
        (Provider::OpenAi, AttachmentKind::Pdf, false) => {
            Some("OpenAI's chat completions take no addresses of files: send the bytes as base64")
        }
        (Provider::OpenAi | Provider::Compatible, ..) => None,
    }
}

/// The table of what is passed to whom, as Markdown.
#[must_use]
pub fn attachment_table() -> String {
    let inline = |kind, media_type: &str| {
        (kind, AttachmentSource::Inline { media_type: media_type.to_owned(), data: "".into() })
    };
    let at = |kind| (kind, AttachmentSource::Url(String::new()));
    let rows = [
        ("picture: PNG, JPEG, WebP", inline(AttachmentKind::Picture, "image/png")),
        ("picture: GIF", inline(AttachmentKind::Picture, "image/gif")),
        ("picture at an address", at(AttachmentKind::Picture)),
        ("PDF file", inline(AttachmentKind::Pdf, "application/pdf")),
        ("PDF file at an address", at(AttachmentKind::Pdf)),
        ("sound: WAV, MP3", inline(AttachmentKind::Sound, "audio/wav")),
    ];
    let providers =
        [Provider::OpenAi, Provider::Compatible, Provider::Anthropic, Provider::Gemini, Provider::Embedded];
    let mut table =
        "| Part | openai | ollama, openai-compatible | anthropic | gemini | rules, script |\n|---|---|---|---|---|---|\n".to_owned();
    for (name, (kind, source)) in rows {
        let attachment = MessageAttachment { kind, source, at: 0, name: None, detail: None };
        let words = providers.map(|provider| match attachment_refusal(provider, &attachment) {
            None => "passed",
            Some(_) => "refused",
        });
        table.push_str(&format!("| {name} | {} |\n", words.join(" | ")));
    }
    table
}

mod shared_text {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}
