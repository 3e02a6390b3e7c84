//! The document as HTML: what `html` asks of a document.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use crate::error::Error;
use crate::html::{HtmlOptions, HtmlSource, PartSource, roots, write};
use crate::model::controls;
use crate::read::StoryPart;

impl WordDocument {
    /// The document as HTML that is safe to show: no script, no style attribute, every character escaped.
    ///
    /// ```
    /// use engross_docx::html::HtmlOptions;
    /// use engross_docx::{Limits, WordDocument, from_markdown};
    ///
    /// # fn main() -> Result<(), engross_docx::Error> {
    /// let bytes = from_markdown("# Terms\n\nPay *at once*.", None, &Limits::default())?;
    /// let document = WordDocument::open(bytes, &Limits::default())?;
    /// let html = document.to_html(&HtmlOptions::default())?;
    /// assert!(html.contains("data-address=\"P2\">Pay <i>at once</i>.</p>"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn to_html(&self, options: &HtmlOptions) -> Result<String, Error> {
        let mut revisions: HashMap<String, HashMap<NodeId, String>> = HashMap::new();
        for placed in self.revisions()? {
            revisions.entry(placed.part).or_default().insert(placed.revision.node, placed.id);
        }
        let mut shown: BTreeSet<(String, String)> = BTreeSet::new();
        let stories = self.stories()?.into_iter();
        let stories: Vec<_> =
            stories.filter(|story| shown.insert((story.part.clone(), story.key.clone()))).collect();
        let mut parts = BTreeMap::new();
        let names: BTreeSet<&str> =
            stories.iter().map(|story| story.part.as_str()).chain([self.main_name.as_str()]).collect();
        for name in names {
            let is_main = name == self.main_name;
            let tree: Cow<'_, Document> =
                if is_main { Cow::Borrowed(&self.tree) } else { self.story_tree(name)? };
            let part = PartSource {
                relationships: self.relationships_of(if is_main { "" } else { name })?,
                revisions: revisions.remove(name).unwrap_or_default(),
                roots: roots(&tree),
                controls: HashMap::new(),
                tree,
            };
            parts.insert(name.to_owned(), part);
        }
        self.number_controls(&stories, &mut parts);
        let source = HtmlSource {
            parts,
            main: self.main_name.clone(),
            body: self.body,
            stories,
            comments: self.comments()?,
            styles: &self.styles,
            style_tree: self.related("styles")?,
            numbering: &self.numbering,
            bookmarks: self.bookmark_places(),
            file: &|name| self.package.part(name).ok().map(Cow::into_owned),
        };
        Ok(write(&source, options))
    }

    /// Numbers content controls as `control_numbers` does, without parsing a part again.
    fn number_controls(&self, stories: &[StoryPart], parts: &mut BTreeMap<String, PartSource<'_>>) {
        let mut count = 0;
        let mut number = |part: &mut PartSource<'_>, root: NodeId| {
            for node in controls(&part.tree, root) {
                count += 1;
                part.controls.insert(node, count);
            }
        };
        if let Some(main) = parts.get_mut(&self.main_name) {
            number(main, self.body);
        }
        for story in stories {
            if let Some(part) = parts.get_mut(&story.part)
                && let Some(root) = part.root(story)
            {
                number(part, root);
            }
        }
    }
}
