//! Random documents, and the choices they are made of.
//!
//! A document is a function of a row of bytes, where zero is the dullest choice: so a failing one shrinks by itself.

use std::fmt::Write as _;

const EQUATION: &str = "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>";

/// A row of choices; when it is used up, every further choice is the first one.
#[derive(Debug, Clone)]
pub(crate) struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % count
    }

    /// True once in `count` times.
    pub(crate) fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(crate) fn word(&mut self) -> &'static str {
        const WORDS: &[&str] = &["one", "two", "fee", "the", "term", "Buyer", "a", "on", "days.", "x,"];
        WORDS[self.below(WORDS.len())]
    }

    /// One to three words.
    pub(crate) fn words(&mut self) -> String {
        let mut words = self.word().to_owned();
        for _ in 0..self.below(3) {
            words.push(' ');
            words.push_str(self.word());
        }
        words
    }
}

/// Children of `w:body`.
pub(crate) fn body(choices: &mut Choices<'_>) -> String {
    let mut xml = String::new();
    let count = 1 + choices.below(5);
    Writer { id: 0 }.blocks(choices, &mut xml, count, 0);
    // A table is not the last of a body.
    if xml.ends_with("</w:tbl>") {
        xml.push_str("<w:p/>");
    }
    if choices.rarely(3) {
        xml.push_str("<w:sectPr/>");
    }
    xml
}

struct Writer {
    id: usize,
}

impl Writer {
    fn id(&mut self) -> usize {
        self.id += 1;
        self.id
    }

    /// The attributes of a revision by somebody else.
    fn theirs(&mut self) -> String {
        let who = if self.id.is_multiple_of(2) { "Jane Roe" } else { "John Doe" };
        format!("w:id=\"{}\" w:author=\"{who}\" w:date=\"2025-11-03T08:00:00Z\"", self.id())
    }

    fn blocks(&mut self, choices: &mut Choices<'_>, xml: &mut String, count: usize, depth: usize) {
        let kinds: Vec<usize> = (0..count).map(|_| choices.below(12)).collect();
        for (at, kind) in kinds.iter().enumerate() {
            // Only a border between two paragraphs can be somebody's revision.
            let flows_on = kinds.get(at + 1).is_some_and(|next| *next < 9);
            self.block(choices, xml, *kind, flows_on, depth);
        }
    }

    fn block(
        &mut self,
        choices: &mut Choices<'_>,
        xml: &mut String,
        kind: usize,
        flows_on: bool,
        depth: usize,
    ) {
        match kind {
            10 if depth < 2 => {
                xml.push_str("<w:tbl><w:tblPr/><w:tblGrid/>");
                for _ in 0..=choices.below(2) {
                    xml.push_str("<w:tr>");
                    for _ in 0..=choices.below(2) {
                        xml.push_str("<w:tc><w:tcPr/>");
                        let count = 1 + choices.below(2);
                        self.blocks(choices, xml, count, depth + 1);
                        if !xml.ends_with("</w:p>") && !xml.ends_with("<w:p/>") {
                            xml.push_str("<w:p/>");
                        }
                        xml.push_str("</w:tc>");
                    }
                    xml.push_str("</w:tr>");
                }
                xml.push_str("</w:tbl>");
            }
            11 if depth < 2 => {
                let lock = if choices.rarely(4) { "<w:lock w:val=\"contentLocked\"/>" } else { "" };
                let id = self.id();
                let _ = write!(xml, "<w:sdt><w:sdtPr><w:id w:val=\"{id}\"/>{lock}</w:sdtPr><w:sdtContent>");
                for _ in 0..=choices.below(2) {
                    self.paragraph(choices, xml, false);
                }
                xml.push_str("</w:sdtContent></w:sdt>");
            }
            9 if choices.rarely(4) => {
                // A field over paragraphs, as a table of contents is one.
                let code = "<w:r><w:instrText xml:space=\"preserve\"> TOC \\o </w:instrText></w:r>";
                let _ = write!(xml, "<w:p>{}{code}{}", character("begin"), character("separate"));
                self.inlines(choices, xml, 3);
                xml.push_str("</w:p>");
                self.paragraph(choices, xml, false);
                let _ = write!(xml, "<w:p>{}</w:p>", character("end"));
            }
            _ => self.paragraph(choices, xml, flows_on),
        }
    }

    fn paragraph(&mut self, choices: &mut Choices<'_>, xml: &mut String, flows_on: bool) {
        xml.push_str("<w:p>");
        let properties = match choices.below(12) {
            5 => "<w:jc w:val=\"both\"/>".to_owned(),
            6 => "<w:pStyle w:val=\"Heading1\"/><w:rPr><w:i/></w:rPr>".to_owned(),
            7 => "<w:rPr><w:sz w:val=\"20\"/></w:rPr>".to_owned(),
            8 if flows_on => format!("<w:jc w:val=\"left\"/><w:rPr><w:ins {}/></w:rPr>", self.theirs()),
            9 if flows_on => format!("<w:rPr><w:del {}/></w:rPr>", self.theirs()),
            10 => format!("<w:jc w:val=\"left\"/><w:pPrChange {}><w:pPr/></w:pPrChange>", self.theirs()),
            11 if choices.rarely(3) => "<w:jc w:val=\"left\"/><w:sectPr/>".to_owned(),
            _ => String::new(),
        };
        if !properties.is_empty() {
            let _ = write!(xml, "<w:pPr>{properties}</w:pPr>");
        }
        self.inlines(choices, xml, 0);
        xml.push_str("</w:p>");
    }

    fn inlines(&mut self, choices: &mut Choices<'_>, xml: &mut String, depth: usize) {
        for _ in 0..choices.below(5) {
            self.inline(choices, xml, depth);
        }
    }

    fn inline(&mut self, choices: &mut Choices<'_>, xml: &mut String, depth: usize) {
        let kind = choices.below(if depth > 1 { 8 } else { 24 });
        let wrapped = |writer: &mut Self, choices: &mut Choices<'_>, xml: &mut String, open: &str, close| {
            xml.push_str(open);
            writer.run(choices, xml, false);
            writer.inlines(choices, xml, depth.max(1) + 1);
            xml.push_str(close);
        };
        match kind {
            8 => wrapped(self, choices, xml, "<w:hyperlink w:anchor=\"a\">", "</w:hyperlink>"),
            9 => {
                let lock = match choices.below(4) {
                    3 => "<w:lock w:val=\"sdtContentLocked\"/>",
                    2 => "<w:dropDownList/>",
                    _ => "",
                };
                let open =
                    format!("<w:sdt><w:sdtPr><w:id w:val=\"{}\"/>{lock}</w:sdtPr><w:sdtContent>", self.id());
                wrapped(self, choices, xml, &open, "</w:sdtContent></w:sdt>");
            }
            10 => wrapped(self, choices, xml, "<w:smartTag w:element=\"City\">", "</w:smartTag>"),
            11 => wrapped(self, choices, xml, "<w:fldSimple w:instr=\" PAGE \">", "</w:fldSimple>"),
            12 | 13 => {
                let code = if kind == 12 { "REF _Ref1" } else { "HYPERLINK &quot;x&quot;" };
                let code = format!("<w:r><w:instrText xml:space=\"preserve\"> {code} </w:instrText></w:r>");
                let open = format!("{}{code}{}", character("begin"), character("separate"));
                wrapped(self, choices, xml, &open, &character("end"));
            }
            14..=16 => {
                let open = format!("<w:ins {}>", self.theirs());
                xml.push_str(&open);
                for _ in 0..=choices.below(2) {
                    self.run(choices, xml, false);
                }
                if choices.rarely(4) {
                    self.deletion(choices, xml);
                }
                self.equation(xml);
                xml.push_str("</w:ins>");
            }
            17..=19 => self.deletion(choices, xml),
            20 => {
                let name = if choices.below(2) == 0 { "moveFrom" } else { "moveTo" };
                let _ = write!(xml, "<w:{name} {}>", self.theirs());
                self.run(choices, xml, false);
                self.equation(xml);
                let _ = write!(xml, "</w:{name}>");
            }
            21 => {
                let id = self.id();
                let _ = write!(xml, "<w:bookmarkStart w:id=\"{id}\" w:name=\"b{id}\"/>");
                self.inlines(choices, xml, depth + 1);
                let _ = write!(xml, "<w:bookmarkEnd w:id=\"{id}\"/>");
            }
            22 if choices.rarely(3) => {
                let id = self.id();
                let _ = write!(xml, "<w:commentRangeStart w:id=\"{id}\"/>");
                self.inlines(choices, xml, depth + 1);
                let _ = write!(xml, "<w:commentRangeEnd w:id=\"{id}\"/>");
                let _ = write!(xml, "<w:r><w:commentReference w:id=\"{id}\"/></w:r>");
            }
            23 => {
                let _ = write!(xml, "{EQUATION}<w:proofErr w:type=\"gramStart\"/>");
            }
            _ => self.run(choices, xml, false),
        }
    }

    fn deletion(&mut self, choices: &mut Choices<'_>, xml: &mut String) {
        let _ = write!(xml, "<w:del {}>", self.theirs());
        for _ in 0..=choices.below(2) {
            self.run(choices, xml, true);
        }
        self.equation(xml);
        xml.push_str("</w:del>");
    }

    /// Puts an equation beside the runs of a revision now and then. It takes no choice, so that those known to fail stay what they are.
    fn equation(&self, xml: &mut String) {
        if self.id.is_multiple_of(5) {
            xml.push_str(EQUATION);
        }
    }

    fn run(&mut self, choices: &mut Choices<'_>, xml: &mut String, deleted: bool) {
        xml.push_str("<w:r>");
        match choices.below(6) {
            3 => xml.push_str("<w:rPr><w:b/></w:rPr>"),
            4 => xml.push_str("<w:rPr><w:rStyle w:val=\"Hyperlink\"/></w:rPr>"),
            5 => {
                let theirs = self.theirs();
                let _ = write!(xml, "<w:rPr><w:i/><w:rPrChange {theirs}><w:rPr/></w:rPrChange></w:rPr>");
            }
            _ => {}
        }
        let name = if deleted { "delText" } else { "t" };
        for _ in 0..=choices.below(2) {
            let space = if choices.rarely(6) { "" } else { " xml:space=\"preserve\"" };
            let (before, after) = match choices.below(4) {
                0 => ("", " "),
                1 => (" ", ""),
                2 => ("  ", "\n"),
                _ => ("", ""),
            };
            let _ = write!(xml, "<w:{name}{space}>{before}{}{after}</w:{name}>", choices.words());
            xml.push_str(match choices.below(24) {
                14 => "<w:tab/>",
                15 | 16 => "<w:br/>",
                17 => "<w:br w:type=\"page\"/>",
                18 => "<w:noBreakHyphen/>",
                19 => "<w:softHyphen/>",
                20 => "<w:footnoteReference w:id=\"2\"/>",
                21 => "<w:drawing/>",
                22 => "<w:sym w:font=\"Symbol\" w:char=\"F020\"/>",
                23 => "<w:lastRenderedPageBreak/>",
                _ => "",
            });
        }
        xml.push_str("</w:r>");
    }
}

fn character(kind: &str) -> String {
    format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>")
}
