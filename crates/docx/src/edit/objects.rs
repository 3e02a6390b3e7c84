//! What links, notes and pictures in new content need of the document: found, or said where it is missing.
//!
//! It happens before anything is written, so that what is expected of the text is what will stand there.

use std::collections::BTreeSet;

use engross_xml::NodeId;

use crate::edit::pictures::{Picture, data_of_uri};
use crate::edit::plan::Step;
use crate::edit::tree_editor::TreeEditor;
use crate::error::{Refusal, RefusalCode};
use crate::model::pictures;
use crate::names::{A_BLIP, BOOKMARK_START, DRAWING, N_CX, N_CY, NAME, R_EMBED, WP_EXTENT};
use crate::parts::Relationship;
use crate::text::{Image, InlineObject, LinkDestination, NoteKind, StyledText, literal};

/// The longest edge of a picture: 22 inches, the longest that a page can be.
const LONGEST: u64 = 22 * 914_400;

impl TreeEditor<'_> {
    /// Makes the new content of steps ready to be written. Gives what people should know of it.
    pub(crate) fn prepare(&mut self, steps: &mut [Step]) -> Result<Vec<String>, Refusal> {
        let mut remarks = Vec::new();
        let mut bookmarks = None;
        for content in steps.iter_mut().flat_map(Step::contents) {
            self.prepare_objects(content, &mut remarks)?;
            if content.links.is_empty() {
                continue;
            }
            let mut kept = Vec::new();
            for link in std::mem::take(&mut content.links) {
                let LinkDestination::Anchor(name) = &link.target else {
                    kept.push(link);
                    continue;
                };
                let known = bookmarks.get_or_insert_with(|| self.bookmarks());
                if self.pending.is_new_document || known.contains(name) {
                    kept.push(link);
                    continue;
                }
                remarks.push(format!(
                    "the link to '#{name}' leads to no bookmark of this story, so its words stand there without a link"
                ));
            }
            content.links = kept;
        }
        Ok(remarks)
    }

    fn bookmarks(&self) -> BTreeSet<String> {
        let tree = &*self.snapshot.tree;
        let starts = tree.descendants(tree.root()).filter(|node| tree.name(*node) == BOOKMARK_START);
        starts.filter_map(|node| tree.attribute(node, NAME)).map(std::borrow::Cow::into_owned).collect()
    }

    fn prepare_objects(
        &mut self,
        content: &mut StyledText,
        remarks: &mut Vec<String>,
    ) -> Result<(), Refusal> {
        // From the end, so that what is replaced by words moves nothing that is still to be looked at.
        for number in (0..content.objects.len()).rev() {
            let Some(placed) = content.objects.get_mut(number) else { continue };
            match &mut placed.object {
                InlineObject::Note(kind, _) if !self.snapshot.prefix.is_empty() => {
                    let name = if *kind == NoteKind::Footnote { "footnote" } else { "endnote" };
                    return Err(Refusal::new(
                        RefusalCode::InvalidContent,
                        format!(
                            "a {name} can stand only in the body of a document, not in {}",
                            self.snapshot.name()
                        ),
                    ));
                }
                InlineObject::Note(..) => {}
                InlineObject::Image(image) if image.like.is_some() => self.find_copy(image)?,
                InlineObject::Image(image) => {
                    if let Some(drawing) = self.known_picture(&image.source) {
                        // A picture that the document has already, as its Markdown names it: the same one once more.
                        image.like = Some(self.pending.copied(drawing));
                        image.source.clear();
                        continue;
                    }
                    let Err(why) = self.find_picture(image) else { continue };
                    let (at, words) = (placed.at, words_of(image));
                    remarks.push(format!("{why}; '{words}' stands in its place"));
                    let behind = content.slice(at + crate::text::OBJECT.len_utf8()..content.text.len());
                    let mut replaced = content.slice(0..at);
                    replaced.append(literal(&words));
                    replaced.append(behind);
                    *content = replaced;
                }
            }
        }
        Ok(())
    }

    /// The first picture of the part whose file has that name beside the main part, unless the caller gives a file of the name.
    fn known_picture(&self, source: &str) -> Option<NodeId> {
        if self.pending.files.contains_key(source) || source.is_empty() {
            return None;
        }
        let is_file = |known: &&Relationship| {
            let target = known.target.as_str();
            known.kind == "image"
                && !known.external
                && target.strip_prefix("word/").unwrap_or(target) == source
        };
        let id = &self.snapshot.relationships.iter().find(is_file)?.id;
        let tree = &*self.snapshot.tree;
        let shows = |drawing: &NodeId| {
            let mut below = tree.descendants(*drawing);
            below
                .any(|node| tree.name(node) == A_BLIP && tree.attribute(node, R_EMBED).as_deref() == Some(id))
        };
        let all = pictures(tree, tree.root()).into_iter();
        all.filter(|node| tree.name(*node) == DRAWING).find(shows)
    }

    /// Gives a changed copy of a picture what it needs: another file its part, and both lengths where one is asked for.
    fn find_copy(&mut self, image: &mut Image) -> Result<(), Refusal> {
        let asked = image.size;
        if !image.source.is_empty() {
            self.find_picture(image).map_err(|why| Refusal::new(RefusalCode::InvalidContent, why))?;
            // Another file in the same frame keeps its width.
            if asked == (None, None)
                && let Some((width, _)) = self.shown_size(image.like)
                && let (Some(own_width), Some(own_height)) = image.size
            {
                image.size = (Some(width), Some((own_height * width / own_width.max(1)).clamp(1, LONGEST)));
            }
            return Ok(());
        }
        let Some((width, height)) = self.shown_size(image.like) else { return Ok(()) };
        image.size = match asked {
            (None, None) => (None, None),
            (Some(asked), None) => (Some(asked), Some((height * asked / width.max(1)).max(1))),
            (None, Some(asked)) => (Some((width * asked / height.max(1)).max(1)), Some(asked)),
            both => both,
        };
        Ok(())
    }

    /// The size at which a picture that is copied is shown.
    fn shown_size(&self, like: Option<usize>) -> Option<(u64, u64)> {
        let drawing = *self.pending.copies.get(like?)?;
        let tree = &*self.snapshot.tree;
        let extent = tree.descendants(drawing).find(|node| tree.name(*node) == WP_EXTENT)?;
        let length = |name| tree.attribute(extent, name)?.trim().parse::<u64>().ok();
        Some((length(N_CX)?, length(N_CY)?))
    }

    /// Gives a picture its size, and its file a part; says why there is none.
    fn find_picture(&mut self, image: &mut Image) -> Result<(), String> {
        let shown = crate::read::excerpt(&image.source);
        let bytes = match self.pending.files.get(&image.source) {
            Some(bytes) => bytes.to_vec(),
            None => {
                data_of_uri(&image.source).ok_or_else(|| format!("the picture '{shown}' was not given"))?
            }
        };
        let Some(picture) = Picture::read(&bytes) else {
            return Err(format!("'{shown}' is no picture of a kind that documents hold (PNG, JPEG or GIF)"));
        };
        let (width, height) = picture.shown(image.size);
        image.size = (Some(width.min(LONGEST)), Some(height.min(LONGEST)));
        self.pending.medium(&image.source, picture.kind, &bytes);
        Ok(())
    }
}

/// What stands for a picture that is not there.
fn words_of(image: &Image) -> String {
    let file = image.source.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = if image.source.starts_with("data:") { "picture" } else { file };
    if image.alternative.trim().is_empty() { name.to_owned() } else { image.alternative.clone() }
}
