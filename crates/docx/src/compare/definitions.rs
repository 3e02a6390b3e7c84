//! Lists and styles of the two documents: which are the same, and which are brought over.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId, NodeKind};

use super::parts::Importer;
use super::report::Limitation;
use crate::error::Error;
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, BASED_ON, DOC_DEFAULTS, LANG, LINK, NAME, NEXT, NSID, NUM, NUM_ID,
    P_PR_DEFAULT, R_PR, R_PR_DEFAULT, RSID, STYLE, STYLE_ID, TMPL, TYPE, VAL,
};
use crate::parts::parse;
use crate::signature::{Signer, Targets, list_definitions, number_of, numbers_in, shown_levels};

/// How many styles are named.
const NAMED: usize = 5;

impl Importer {
    pub(super) fn list_numbers(&self, is_after: bool) -> HashMap<String, u64> {
        let number = |id: &str| number_of(31, id);
        if !is_after {
            // Every list before is itself, defined or not.
            let Some((before, ..)) = &self.numbering else { return HashMap::new() };
            return numbers_in(before).into_iter().map(|(id, _)| (id.clone(), number(&id))).collect();
        }
        let named = self.lists.iter();
        named
            .map(|(after, before)| match before {
                Some(before) => (after.clone(), number(before)),
                None => (after.clone(), number(&format!("new {after}"))),
            })
            .collect()
    }

    pub(super) fn pair_lists(&mut self) -> Result<(), Error> {
        let (before, after) = (self.related("numbering", false), self.related("numbering", true));
        let Some(after) = after else { return self.read_own_lists(before) };
        let theirs = parse(&self.after, &after, &self.limits)?;
        let Some(before) = before else {
            self.lists = numbers_in(&theirs).into_iter().map(|(id, _)| (id, None)).collect();
            return Ok(());
        };
        let ours = parse(&self.before, &before, &self.limits)?;
        let known = list_definitions(&ours);
        let mut taken: HashSet<&String> = HashSet::new();
        let wanted = list_definitions(&theirs);
        // The same number with the same definition first.
        for (id, definition) in &wanted {
            if known.get(id) == Some(definition) {
                self.lists.insert(id.clone(), Some(id.clone()));
                taken.extend(known.get_key_value(id).map(|(id, _)| id));
            }
        }
        // Of several lists that are defined alike the first one used here is the first one used there.
        let mut waiting: Vec<&String> = wanted.keys().filter(|id| !self.lists.contains_key(*id)).collect();
        let (here, there) = match waiting.is_empty() {
            true => (HashMap::new(), HashMap::new()),
            false => (self.lists_in_use(false), self.lists_in_use(true)),
        };
        let place =
            |order: &HashMap<String, usize>, id: &String| order.get(id).copied().unwrap_or(usize::MAX);
        waiting.sort_by_key(|id| place(&there, id));
        let mut own_ids: Vec<&String> = known.keys().collect();
        own_ids.sort_by_key(|id| place(&here, id));
        for id in waiting {
            let Some(definition) =
                wanted.get(id).filter(|wanted| known.values().any(|known| known == *wanted))
            else {
                continue;
            };
            let same = own_ids
                .iter()
                .copied()
                .find(|own| known.get(*own) == Some(definition) && !taken.contains(own));
            taken.extend(same);
            self.lists.insert(id.clone(), same.cloned());
        }
        // Another program writes other indents, fonts and restarts into the same list: what it shows tells which one it is.
        let (shown, wanted_shown) = (shown_levels(&ours), shown_levels(&theirs));
        for same_id in [true, false] {
            for (id, levels) in wanted_shown.iter().filter(|(_, levels)| !levels.is_empty()) {
                if self.lists.get(id).is_some_and(Option::is_some) {
                    continue;
                }
                let is_it = |own: &&String| {
                    (!same_id || *own == id) && !taken.contains(*own) && shown.get(*own) == Some(levels)
                };
                let same = known.keys().find(is_it);
                taken.extend(same);
                if let Some(own) = same {
                    self.changed_lists.push(own.clone());
                }
                self.lists.insert(id.clone(), same.cloned());
            }
        }
        for id in wanted.keys() {
            self.lists.entry(id.clone()).or_insert(None);
        }
        self.numbering = Some((ours, theirs, before));
        Ok(())
    }

    /// The lists that the main part uses, with their order.
    fn lists_in_use(&self, is_after: bool) -> HashMap<String, usize> {
        let (package, name) =
            if is_after { (&self.after, &self.mains.1) } else { (&self.before, &self.mains.0) };
        let Ok(main) = parse(package, name, &self.limits) else { return HashMap::new() };
        let mut order: HashMap<String, usize> = HashMap::new();
        for node in main.descendants(main.root()).filter(|node| main.name(*node) == NUM_ID) {
            let id = main.attribute(node, VAL).unwrap_or_default().into_owned();
            let next = order.len();
            order.entry(id).or_insert(next);
        }
        order
    }

    fn read_own_lists(&mut self, before: Option<String>) -> Result<(), Error> {
        if let Some(before) = before {
            let ours = parse(&self.before, &before, &self.limits)?;
            let theirs = ours.clone();
            self.numbering = Some((ours, theirs, before));
        }
        Ok(())
    }

    /// The list before that is the list `id` after; it is brought over when there is none.
    pub(super) fn list(&mut self, id: &str) -> String {
        match self.lists.get(id) {
            Some(Some(own)) => return own.clone(),
            // The document before has no lists at all: it gets those of the other.
            Some(None) if self.numbering.is_none() => {
                self.bring_part("numbering");
                self.has_new_lists = true;
                self.lists =
                    std::mem::take(&mut self.lists).into_keys().map(|id| (id.clone(), Some(id))).collect();
                return id.to_owned();
            }
            Some(None) => {}
            None => return id.to_owned(),
        }
        let own = self.bring_list(id).unwrap_or_else(|| id.to_owned());
        self.lists.insert(id.to_owned(), Some(own.clone()));
        self.has_new_lists = true;
        own
    }

    fn bring_list(&mut self, id: &str) -> Option<String> {
        let (ours, theirs, _) = self.numbering.as_mut()?;
        let (_, theirs_num) = numbers_in(theirs).into_iter().find(|(known, _)| known == id)?;
        let of = |document: &Document, node: NodeId| {
            let value =
                document.child(node, ABSTRACT_NUM_ID).and_then(|child| document.attribute(child, VAL));
            value.map(std::borrow::Cow::into_owned)
        };
        let wanted = of(theirs, theirs_num)?;
        let abstracts = |document: &Document| -> Vec<(NodeId, String)> {
            let nodes =
                document.children(document.root()).filter(|node| document.name(*node) == ABSTRACT_NUM);
            nodes
                .map(|node| {
                    (node, document.attribute(node, ABSTRACT_NUM_ID).unwrap_or_default().into_owned())
                })
                .collect()
        };
        let (source, _) = abstracts(theirs).into_iter().find(|(_, known)| *known == wanted)?;
        let highest =
            |ids: Vec<String>| ids.iter().filter_map(|id| id.parse::<i64>().ok()).max().unwrap_or(0);
        let abstract_id = (highest(abstracts(ours).into_iter().map(|(_, id)| id).collect()) + 1).to_string();
        let num_id = (highest(numbers_in(ours).into_iter().map(|(id, _)| id).collect()) + 1).to_string();
        let definition = ours.import(theirs, source).node;
        ours.set_attribute(definition, ABSTRACT_NUM_ID, &abstract_id);
        for name in [NSID, TMPL] {
            if let Some(child) = ours.child(definition, name) {
                ours.detach(child);
            }
        }
        let root = ours.root();
        let first = ours.children(root).find(|node| ours.name(*node) == NUM);
        match first {
            Some(first) => ours.insert_before(first, definition),
            None => ours.append(root, definition),
        }
        let instance = ours.import(theirs, theirs_num).node;
        ours.set_attribute(instance, NUM_ID, &num_id);
        if let Some(link) = ours.child(instance, ABSTRACT_NUM_ID) {
            ours.set_attribute(link, VAL, &abstract_id);
        }
        let last = ours.children(root).filter(|node| ours.name(*node) == NUM).last();
        match last {
            Some(last) => ours.insert_after(last, instance),
            None => ours.append(root, instance),
        }
        Some(num_id)
    }

    pub(super) fn read_styles(&mut self) -> Result<(), Error> {
        let (before, after) = (self.related("styles", false), self.related("styles", true));
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        let ours = parse(&self.before, &before, &self.limits)?;
        let theirs = parse(&self.after, &after, &self.limits)?;
        let known = styles_in(&ours);
        self.style_ids = renamed_styles((&ours, &known), (&theirs, &styles_in(&theirs)));
        self.known_styles = known.into_keys().collect();
        self.styles = Some((ours, theirs, before));
        Ok(())
    }

    /// The style before that is the style `id` after; it is brought over when there is none.
    pub(super) fn style(&mut self, id: &str) -> String {
        self.need_style(id);
        self.style_id(id)
    }

    fn style_id(&self, id: &str) -> String {
        self.style_ids.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }

    /// Brings a style over, with those that it builds on.
    fn need_style(&mut self, id: &str) {
        let mut waiting = vec![id.to_owned()];
        while let Some(id) = waiting.pop() {
            let own = self.style_id(&id);
            if id.is_empty() || !self.known_styles.insert(own.clone()) {
                continue;
            }
            let Some((ours, theirs, _)) = &mut self.styles else {
                self.bring_part("styles");
                return;
            };
            let Some(source) = styles_in(theirs).get(&id).copied() else { continue };
            let copy = ours.import(theirs, source).node;
            ours.remove_attribute(copy, crate::names::DEFAULT);
            ours.set_attribute(copy, STYLE_ID, &own);
            for name in [BASED_ON, LINK, NEXT] {
                let Some(child) = ours.child(copy, name) else { continue };
                let other = ours.attribute(child, VAL).unwrap_or_default().into_owned();
                if let Some(known) = self.style_ids.get(&other) {
                    ours.set_attribute(child, VAL, known);
                }
            }
            let root = ours.root();
            ours.append(root, copy);
            self.new_styles.push(id);
            let more = [BASED_ON, LINK, NEXT].into_iter().filter_map(|name| theirs.child(source, name));
            waiting.extend(
                more.filter_map(|node| theirs.attribute(node, VAL)).map(std::borrow::Cow::into_owned),
            );
            let numbers: Vec<NodeId> =
                ours.descendants(copy).filter(|node| ours.name(*node) == NUM_ID).collect();
            for node in numbers {
                let id =
                    self.styles.as_ref().and_then(|(ours, ..)| ours.attribute(node, VAL)).unwrap_or_default();
                let id = id.into_owned();
                let own = self.list(&id);
                if let Some((ours, ..)) = &mut self.styles {
                    ours.set_attribute(node, VAL, &own);
                }
            }
        }
    }

    /// Styles and lists that both documents define, but not alike.
    pub(super) fn changed_definitions(&self) -> Vec<Limitation> {
        let mut found = Vec::new();
        let styles = self.changed_styles();
        if self.has_other_defaults() {
            let text = "text without a style has another look: the defaults of the document differ";
            found.push(Limitation::left("styles", text));
        }
        for style in styles.iter().take(NAMED) {
            found.push(Limitation::left("styles", format!("the style '{style}' is defined differently")));
        }
        if let Some(more) = styles.len().checked_sub(NAMED).filter(|more| *more > 0) {
            found.push(Limitation::left("styles", format!("{more} more styles are defined differently")));
        }
        if !self.changed_lists.is_empty() {
            let count = self.changed_lists.len();
            let text = format!("{count} lists that number alike have other indents, fonts or restarts");
            found.push(Limitation::left("lists", text));
        }
        found
    }

    fn has_other_defaults(&self) -> bool {
        let Some((ours, theirs, _)) = &self.styles else { return false };
        let of = |document: &Document| {
            let defaults = document.child(document.root(), DOC_DEFAULTS);
            defaults.map(|node| definition(document, &Targets::default(), node)).unwrap_or_default()
        };
        of(ours) != of(theirs)
    }

    fn changed_styles(&self) -> Vec<String> {
        let Some((ours, theirs, _)) = &self.styles else { return Vec::new() };
        let targets = (Targets::default(), Targets { styles: self.style_ids.clone(), ..Targets::default() });
        let before = styles_in(ours);
        let mut changed = Vec::new();
        for (id, node) in styles_in(theirs) {
            let same = before
                .get(&self.style_id(&id))
                .is_none_or(|own| definition(ours, &targets.0, *own) == definition(theirs, &targets.1, node));
            if !same {
                changed.push(style_name(theirs, node));
            }
        }
        changed.sort();
        changed
    }
}

/// What a style says of text, in an order of its own: its properties, and those of the characters wherever it has some. The language
/// of a text and who made the style are no look.
fn definition(document: &Document, targets: &Targets, style: NodeId) -> Vec<u64> {
    let signer = Signer::new(document, targets);
    let holds =
        |node: &NodeId| matches!(document.name(*node), R_PR | R_PR_DEFAULT | P_PR_DEFAULT) || *node == style;
    let mut found = Vec::new();
    for owner in document.descendants(style).filter(holds).chain([style]) {
        let own = document.children(owner).filter(|child| document.kind(*child) == NodeKind::Element);
        let own = own.filter(|child| !matches!(document.name(*child), NAME | RSID | LANG) && !holds(child));
        found.extend(own.map(|child| signer.whole(child)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What a style is called, whatever its id is.
fn style_name(document: &Document, style: NodeId) -> String {
    let name = document.child(style, NAME).and_then(|name| document.attribute(name, VAL));
    name.or_else(|| document.attribute(style, STYLE_ID)).unwrap_or_default().into_owned()
}

/// Ids of styles after whose style has another id before, or whose id is another style's there. A style is known by its kind and
/// its name: programs in other languages give the same one another id.
fn renamed_styles(
    (ours, before): (&Document, &HashMap<String, NodeId>),
    (theirs, after): (&Document, &HashMap<String, NodeId>),
) -> HashMap<String, String> {
    let key = |document: &Document, style: NodeId| {
        let kind = document.attribute(style, TYPE).unwrap_or_default().into_owned();
        (kind, style_name(document, style).to_lowercase())
    };
    let mut ids: Vec<&String> = before.keys().collect();
    ids.sort();
    let mut named: HashMap<(String, String), &String> = HashMap::new();
    for id in ids {
        if let Some(node) = before.get(id) {
            named.entry(key(ours, *node)).or_insert(id);
        }
    }
    let mut renamed = HashMap::new();
    let mut order: Vec<&String> = after.keys().collect();
    order.sort();
    let mut taken: HashSet<String> = before.keys().chain(after.keys()).cloned().collect();
    for id in order {
        let Some(node) = after.get(id) else { continue };
        let wanted = key(theirs, *node);
        let is_same = before.get(id).is_some_and(|own| key(ours, *own) == wanted);
        match named.get(&wanted) {
            _ if is_same => {}
            Some(own) => _ = renamed.insert(id.clone(), (*own).clone()),
            None if before.contains_key(id) => {
                let free = (2..).map(|number| format!("{id}{number}")).find(|id| !taken.contains(id));
                let free = free.unwrap_or_default();
                taken.insert(free.clone());
                renamed.insert(id.clone(), free);
            }
            None => {}
        }
    }
    renamed
}

fn styles_in(document: &Document) -> HashMap<String, NodeId> {
    let styles = document.children(document.root()).filter(|node| document.name(*node) == STYLE);
    styles.filter_map(|node| Some((document.attribute(node, STYLE_ID)?.into_owned(), node))).collect()
}
