//! Content controls as Word makes them, and values that a form may get: what is filled in is judged by the oracle.

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::{Element, Node, Side, canonical, main_part, parse, resolve, texts};

const DATE: &str = "2026-01-31T09:30:00Z";
const W14: &str = "xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\"";

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn grey(text: &str) -> String {
    format!("<w:r><w:rPr><w:rStyle w:val=\"PlaceholderText\"/></w:rPr><w:t>{text}</w:t></w:r>")
}

fn control(id: usize, properties: &str, content: &str) -> String {
    format!(
        "<w:sdt><w:sdtPr><w:tag w:val=\"c{id}\"/><w:id w:val=\"{id}\"/>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"
    )
}

fn line(content: &str) -> String {
    format!("<w:p>{content}</w:p>")
}

/// What became of a batch: the results, and the main part before, accepted and rejected.
struct FillOutcome {
    results: Vec<OperationResult>,
    source: Element,
    accepted: Element,
    rejected: Element,
}

fn fill_in(document: Vec<u8>, operations: &Value) -> FillOutcome {
    let source = parse(&main_part(&document));
    let mut word = WordDocument::open(document, &Limits::default()).unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: DATE.to_owned() };
    let results = word.apply(&parse_batch(operations).unwrap(), &options).unwrap();
    let written = parse(&main_part(&word.save(Tracking::Tracked).unwrap().bytes));
    let side = |side| resolve(&written, side, Some(DATE));
    FillOutcome { results, source, accepted: side(Side::Accept), rejected: side(Side::Reject) }
}

fn fill(body: &str, operations: &Value) -> FillOutcome {
    fill_in(DocxBuilder::new().body(body).build(), operations)
}

/// The same without the state of controls, which no revision holds.
fn stateless(element: &Element) -> Element {
    let children = element.children.iter().filter_map(|node| match node {
        Node::Element(child) if child.is(&["w:showingPlcHdr", "w14:checked"]) => None,
        Node::Element(child) => Some(Node::Element(stateless(child))),
        Node::Text(text) => Some(Node::Text(text.clone())),
    });
    let mut attributes = element.attributes.clone();
    attributes.remove("w:fullDate");
    Element { name: element.name.clone(), attributes, children: children.collect() }
}

impl FillOutcome {
    /// All was done, and rejecting gives back what was there.
    fn holds(&self) -> &Self {
        assert!(self.results.iter().all(|result| result.status == Status::Applied), "{:#?}", self.results);
        self.rejects()
    }

    fn rejects(&self) -> &Self {
        let same = canonical(&stateless(&self.rejected)) == canonical(&stateless(&self.source));
        assert!(same, "rejected: {:#?}", self.rejected);
        self
    }

    fn says(&self, wanted: &[&str]) -> &Self {
        assert_eq!(texts(&self.accepted), wanted);
        self
    }

    fn refuses(&self, codes: &[&str]) -> &Self {
        let found: Vec<&str> =
            self.results.iter().map(|done| done.code.as_deref().unwrap_or("done")).collect();
        assert_eq!(found, codes, "{:#?}", self.results);
        for result in &self.results {
            assert!(result.message.as_ref().is_none_or(|message| message.len() < 2_048), "{result:?}");
        }
        self.rejects()
    }

    /// Nothing of the accepted document is grey, and no control waits.
    fn no_prompt_is_left(&self) -> &Self {
        self.accepted.walk(&mut Vec::new(), &mut |element, _| {
            assert!(!element.is(&["w:showingPlcHdr"]), "{:#?}", self.accepted);
            assert_ne!(element.attribute("w:val"), Some("PlaceholderText"), "{:#?}", self.accepted);
        });
        self
    }
}

fn value(control: usize, value: impl Into<Value>) -> Value {
    json!({"op": "fill_control", "control": control, "value": value.into()})
}

#[test]
fn controls_stand_at_every_level() {
    let waits = "<w:showingPlcHdr/>";
    let cell = |content: &str| {
        format!("<w:tc><w:tcPr><w:tcW w:w=\"2000\" w:type=\"dxa\"/></w:tcPr>{content}</w:tc>")
    };
    let body = [
        line(&format!("{}{}{}", run("a "), control(1, &format!("{waits}<w:text/>"), &grey("type")), run(" b"))),
        control(2, waits, &line(&grey("type here"))),
        control(3, "", &[line(&run("one")), line(&run("two")), line(&run("three"))].concat()),
        format!(
            "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid><w:tr>{}{}</w:tr>{}</w:tbl>",
            control(4, &format!("{waits}<w:text/>"), &cell(&line(&grey("cell")))),
            cell(&line(&run("right"))),
            control(5, "", &format!("<w:tr>{}{}</w:tr>", cell(&line(&run("x"))), cell(&line(&run("y"))))),
        ),
        line(&run("end")),
    ]
    .concat();
    let operations = json!([
        value(1, "A & <B>"),
        value(2, "x **y**\n\nz"),
        value(3, "only"),
        value(4, "in"),
        value(5, "row")
    ]);
    let filled = fill(&body, &operations);
    filled.refuses(&["done", "done", "done", "done", "CONTROL_VALUE_REFUSED"]);
    filled.says(&["a A & <B> b", "x y", "z", "only", "in", "right", "x", "y", "end"]).no_prompt_is_left();
}

#[test]
fn words_of_several_looks_give_way_to_one() {
    let runs = "<w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:t> plain</w:t></w:r><w:hyperlink w:anchor=\"x\"><w:r><w:t> link</w:t></w:r></w:hyperlink>";
    let theirs = "<w:ins w:id=\"9\" w:author=\"Bob\" w:date=\"2020-01-01T00:00:00Z\"><w:r><w:t> theirs</w:t></w:r></w:ins>";
    let body = [line(&control(1, "", &format!("{runs}{theirs}"))), line(&run("end"))].concat();
    fill(&body, &json!([value(1, "new")])).holds().says(&["new", "end"]);
}

#[test]
fn somebody_elses_insertion_holds_the_control() {
    let stamp = "w:author=\"Bob\" w:date=\"2020-01-01T00:00:00Z\"";
    let form = control(1, "<w:showingPlcHdr/><w:text/>", &grey("type"));
    let body = [
        line(&format!("<w:ins w:id=\"9\" {stamp}>{form}</w:ins>")),
        line(&format!(
            "<w:del w:id=\"8\" {stamp}>{}</w:del>",
            control(2, "<w:text/>", "<w:r><w:delText>gone</w:delText></w:r>")
        )),
        line(&run("end")),
    ]
    .concat();
    let filled = fill(&body, &json!([value(1, "new"), value(2, "new")]));
    // Beside Bob's insertion there is no place within the control, and inside it one's own would be nested.
    filled.refuses(&["INSIDE_INSERTION", "TEXT_DELETED"]);
}

#[test]
fn boxes_have_signs_of_their_own() {
    let check = |checked: &str, states: &str| {
        format!("<w14:checkbox {W14}><w14:checked w14:val=\"{checked}\"/>{states}</w14:checkbox>")
    };
    let states = "<w14:checkedState w14:val=\"00FE\" w14:font=\"Wingdings\"/><w14:uncheckedState w14:val=\"00A8\" w14:font=\"Wingdings\"/>";
    let body = [
        line(&control(1, &check("0", states), &run("\u{a8}"))),
        line(&control(2, &check("true", ""), &run("☒"))),
        line(&control(3, &check("1", states), &run("\u{fe}"))),
    ]
    .concat();
    let filled = fill(&body, &json!([value(1, true), value(2, "no"), value(3, "perhaps")]));
    filled.refuses(&["done", "done", "CONTROL_VALUE_REFUSED"]).says(&["\u{fe}", "☐", "\u{fe}"]);
    let mut states = Vec::new();
    let mut fonts = 0;
    filled.accepted.walk(&mut Vec::new(), &mut |element, _| {
        states.extend(element.is(&["w14:checked"]).then(|| element.attribute("w14:val").unwrap().to_owned()));
        fonts += usize::from(element.attribute("w:ascii") == Some("Wingdings"));
    });
    assert_eq!((states, fonts), (vec!["1".to_owned(), "0".to_owned(), "1".to_owned()], 1));
    fill(&body, &json!([value(1, false)])).refuses(&["done"]);
}

#[test]
fn lists_dates_and_lines_take_what_they_say() {
    let items = "<w:listItem w:displayText=\"Choose\" w:value=\"\"/><w:listItem w:displayText=\"Red\" w:value=\"r\"/><w:listItem w:value=\"Blue\"/>";
    let date = |picture: &str, language: &str, more: &str| {
        format!("<w:date><w:dateFormat w:val=\"{picture}\"/><w:lid w:val=\"{language}\"/>{more}</w:date>")
    };
    let hijri = "<w:storeMappedDataAs w:val=\"dateTime\"/><w:calendar w:val=\"hijri\"/>";
    let properties = [
        format!("<w:dropDownList>{items}</w:dropDownList>"),
        format!("<w:comboBox>{items}</w:comboBox>"),
        date("dddd, d. MMMM yyyy", "de-DE", ""),
        date("d MMMM yyyy", "ja-JP", ""),
        date("dd/MM/yy", "ja-JP", ""),
        date("d MMMM yyyy", "ar-SA", hijri),
        "<w:text/>".to_owned(),
        "<w:text w:multiLine=\"1\"/>".to_owned(),
    ];
    let body: String = (1..)
        .zip(&properties)
        .map(|(id, own)| line(&control(id, &format!("<w:showingPlcHdr/>{own}"), &grey("?"))))
        .collect();
    let operations = json!([
        value(1, "r"),
        value(2, "Green"),
        value(3, "2026-02-28"),
        value(4, "2026-02-28"),
        value(5, "2026-02-28"),
        value(6, "2026-02-28"),
        value(7, "a\nb"),
        value(8, "a\nb"),
    ]);
    let filled = fill(&body, &operations);
    let refused = "CONTROL_VALUE_REFUSED";
    filled.refuses(&["done", "done", "done", refused, "done", refused, refused, "done"]);
    filled.says(&["Red", "Green", "Samstag, 28. Februar 2026", "?", "28/02/26", "?", "?", "a\nb"]);
    let wrong = json!([
        value(1, "Green"),
        value(1, "Choose"),
        value(3, "28.2.2026"),
        value(3, "2026-02-30"),
        value(1, true)
    ]);
    let filled = fill(&body, &wrong);
    filled.refuses(&[refused; 5]);
    assert!(filled.results[0].message.as_ref().unwrap().contains("'Red', 'Blue'"), "{:?}", filled.results[0]);
    let shown =
        json!([{"op": "fill_control", "control": 4, "value": "2026-02-28", "shown": "2026年2月28日"}]);
    let filled = fill(&body, &shown);
    assert_eq!(texts(&filled.holds().accepted)[3], "2026年2月28日");
}

#[test]
fn locks_nests_and_names_are_told_apart() {
    let inner = control(5, "<w:text/>", &run("inner"));
    let body = [
        line(&control(1, "<w:lock w:val=\"sdtLocked\"/><w:text/>", &run("kept"))),
        line(&control(2, "<w:lock w:val=\"contentLocked\"/><w:text/>", &run("locked"))),
        control(
            3,
            "<w:lock w:val=\"sdtContentLocked\"/><w:group/>",
            &line(&control(4, "<w:text/>", &run("in a group"))),
        ),
        control(6, "", &line(&format!("{}{inner}", run("around ")))),
        line(&control(7, "<w:alias w:val=\"Name\"/><w:text/>", &run("one"))),
        line(&control(8, "<w:alias w:val=\"Name\"/><w:text/>", &run("two"))),
        line(&control(9, "<w:picture/>", &run("x"))),
    ]
    .concat();
    let title = |occurrence: Value| json!({"op": "fill_control", "title": "Name", "value": "n", "occurrence": occurrence});
    let operations = json!([
        value(1, "a"), value(2, "a"), value(4, "a"), value(5, "a"), value(6, "b"),
        {"op": "fill_control", "title": "Name", "value": "n"}, title(json!(3)), title(json!("last")), value(9, "x"), value(77, "x"),
        {"op": "fill_control", "tag": "c1", "value": "z", "expectedText": "other"},
    ]);
    let (locked, refused) = ("CONTENT_CONTROL_LOCKED", "CONTROL_VALUE_REFUSED");
    let filled = fill(&body, &operations);
    filled.refuses(&[
        "done",
        locked,
        locked,
        refused,
        "done",
        "AMBIGUOUS_TARGET",
        "CONTROL_NOT_FOUND",
        "done",
        refused,
        "CONTROL_NOT_FOUND",
        "EXPECTED_TEXT_MISMATCH",
    ]);
    filled.says(&["a", "locked", "in a group", "around b", "one", "n", "x"]);
}

#[test]
fn an_empty_control_is_filled_and_a_full_one_emptied() {
    let body = [
        line(&format!("{}{}{}", run("a"), control(1, "<w:text/>", ""), run("b"))),
        line(&control(2, "<w:text/>", &run("full"))),
        control(3, "", "<w:p/>"),
        control(4, "<w:showingPlcHdr/>", &line(&grey("type"))),
    ]
    .concat();
    let filled = fill(&body, &json!([value(1, "x"), value(2, ""), value(3, "y"), value(4, "")]));
    filled.holds().says(&["axb", "", "y", ""]).no_prompt_is_left();
    let again = fill(&body, &json!([value(2, "full")]));
    assert_eq!(again.results[0].status, Status::NoChange);
}

/// Words typed over a prompt fill all of it in, and are not grey.
#[test]
fn words_in_a_prompt_fill_it_in() {
    let prompt = control(1, "<w:showingPlcHdr/><w:text/>", &grey("Click to enter a name"));
    let body = line(&format!("{}{prompt}{}", run("Name: "), run(".")));
    for operation in [
        json!({"op": "modify_text", "originalText": "enter a", "replacementText": "say your"}),
        json!({"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "Name: Click to say your name."}),
    ] {
        fill(&body, &json!([operation])).holds().says(&["Name: Click to say your name."]).no_prompt_is_left();
    }
    let all =
        json!([{"op": "modify_text", "originalText": "e", "replacementText": "E", "occurrence": "all"}]);
    fill(&body, &all).holds().says(&["NamE: Click to EntEr a namE."]).no_prompt_is_left();
    let body = control(1, "<w:showingPlcHdr/>", &line(&grey("Click to enter a name")));
    fill(&body, &all).holds().says(&["Click to EntEr a namE"]).no_prompt_is_left();
    let operation =
        json!({"op": "modify_text", "originalText": "enter a", "replacementText": "say **your**"});
    fill(&body, &json!([operation])).holds().says(&["Click to say your name"]).no_prompt_is_left();
}

/// Words in a prompt take the place of all of it, so a second operation on the same prompt has nothing to stand on.
#[test]
fn two_operations_on_one_prompt_are_told_apart() {
    let prompt = |inner: &str| control(1, "<w:showingPlcHdr/>", inner);
    let edit = |from: &str, to: &str| json!({"op": "modify_text", "paragraphIndex": 1, "originalText": from, "replacementText": to});
    for body in [
        line(&(run("Name: ") + &prompt(&grey("Click here to enter text.")) + &run(" of the firm"))),
        prompt(&line(&grey("Click here to enter text."))),
    ] {
        for second in [edit("Click", ""), edit("text", "more"), edit("here to", "x")] {
            let filled = fill(&body, &json!([edit("enter", "Acme"), second]));
            assert_eq!(filled.results[0].status, Status::Applied, "{:?}", filled.results);
            assert_eq!(filled.results[1].code.as_deref(), Some("OVERLAPPING_OPERATIONS"), "{second}");
            assert_eq!(canonical(&stateless(&filled.rejected)), canonical(&stateless(&filled.source)));
            assert!(texts(&filled.accepted)[0].contains("Acme"));
        }
    }
    // Words around a prompt have nothing to do with it.
    let body = line(&(run("Name: ") + &prompt(&grey("Click here.")) + &run(" of the firm")));
    let filled = fill(&body, &json!([edit("here", "Acme"), edit("firm", "house"), edit("Name", "Title")]));
    assert!(filled.results.iter().all(|result| result.status == Status::Applied), "{:?}", filled.results);
    assert_eq!(texts(&filled.accepted), ["Title: Click Acme. of the house"]);
}

fn with_data(xpath: &str, data: &str) -> Vec<u8> {
    let store = "{AAAAAAAA-0D7E-4B52-9C55-8F1C2B7D1E01}";
    let binding = format!(
        "<w:dataBinding w:prefixMappings=\"xmlns:a='urn:a' xmlns:b=&quot;urn:b&quot;\" w:xpath=\"{xpath}\" w:storeItemID=\"{store}\"/>"
    );
    DocxBuilder::new()
        .body(&line(&control(1, &format!("{binding}<w:text/>"), &run("old"))))
        .part("customXml/item7.xml", data.to_owned())
        .part(
            "customXml/itemProps7.xml",
            format!("<ds:datastoreItem ds:itemID=\"{}\" xmlns:ds=\"http://schemas.openxmlformats.org/officeDocument/2006/customXml\"/>", store.to_lowercase()),
        )
        .part(
            "customXml/_rels/item7.xml.rels",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" \
             Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXmlProps\" Target=\"itemProps7.xml\"/></Relationships>",
        )
        .relationship("rel-data", "customXml", "../customXml/item7.xml")
        .build()
}

#[test]
fn bound_data_follow_only_when_that_is_allowed() {
    let part = |bytes: &[u8]| {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes.to_vec())).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut archive.by_name("customXml/item7.xml").unwrap(), &mut text)
            .unwrap();
        text
    };
    let options = EditOptions { author: "Ada".to_owned(), date: DATE.to_owned() };
    let allowed = json!([{"op": "fill_control", "control": 1, "value": "a<b", "untracked": "allow"}]);
    let cases = [
        (
            "/a:r[1]/b:s[2]",
            "<r xmlns=\"urn:a\"><s xmlns=\"urn:b\">x</s><s xmlns=\"urn:b\">old</s></r>",
            ">a&lt;b</s></r>",
            true,
        ),
        ("/a:r[1]/@n", "<r xmlns=\"urn:a\" n=\"old\"/>", "n=\"a&lt;b\"", true),
        ("/a:r[1]/b:none[1]", "<r xmlns=\"urn:a\"/>", "<r xmlns=\"urn:a\"/>", false),
        ("/a:r[1]/child::*", "<r xmlns=\"urn:a\"><s/></r>", "<r xmlns=\"urn:a\"><s/></r>", false),
    ];
    for (xpath, data, wanted, is_bound) in cases {
        let source = with_data(xpath, data);
        let mut word = WordDocument::open(source.clone(), &Limits::default()).unwrap();
        let results = word.apply(&parse_batch(&allowed).unwrap(), &options).unwrap();
        assert_eq!(results[0].status, Status::Applied, "{results:?}");
        assert_eq!(results[0].untracked.len(), 1 + usize::from(is_bound), "{results:?}");
        let written = word.save(Tracking::Tracked).unwrap().bytes;
        assert!(part(&written).contains(wanted), "{}", part(&written));
        let code = fill_in(source, &json!([value(1, "new")])).results[0].code.clone();
        assert_eq!(code.as_deref(), is_bound.then_some("NOT_TRACKABLE"));
    }
}

/// Values at random in controls at random.
#[test]
fn random_values_hold() {
    let values = [
        "x",
        "שלום world",
        "a & b < c > \"d\" 'e'",
        "tab\there",
        "  outer  ",
        "*stars* and _lines_",
        "🏳️‍🌈",
        "é",
        "﷽",
        "0",
        "true",
        "2026-02-28",
        "Red",
        "**",
    ];
    let long = "long ".repeat(5_000);
    let kinds = [
        "<w:text/>",
        "",
        "<w:richText/>",
        "<w:comboBox><w:listItem w:displayText=\"Red\" w:value=\"r\"/></w:comboBox>",
    ];
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..400 {
        let mut body = String::new();
        let mut operations = Vec::new();
        let mut wanted = Vec::new();
        for id in 1..=3 {
            let waits = if next(2) == 0 { "<w:showingPlcHdr/>" } else { "" };
            let kind = kinds[next(kinds.len())];
            let content = match (next(4), waits.is_empty()) {
                (0, true) => String::new(),
                (1, true) => format!("{}{}", run("one "), run("two")),
                (2, true) => format!("<w:smartTag w:uri=\"u\" w:element=\"e\">{}</w:smartTag>", run("tag")),
                (_, true) => run("text"),
                (_, false) => grey("prompt"),
            };
            let new = if next(30) == 0 { long.as_str() } else { values[next(values.len())] };
            let own = control(id, &format!("{waits}{kind}"), &content);
            body.push_str(&line(&format!("{}{own}{}", run("["), run("]"))));
            operations.push(json!({"op": "fill_control", "control": id, "value": new, "plain": true}));
            wanted.push(format!("[{new}]"));
        }
        let filled = fill(&body, &json!(operations));
        filled.holds().no_prompt_is_left();
        assert_eq!(texts(&filled.accepted), wanted);
    }
}

#[test]
fn controls_are_listed_over_all_stories() {
    let document = DocxBuilder::new()
        .body(
            &[
                line(&control(4, "<w:alias w:val=\"T\"/><w:showingPlcHdr/><w:text/>", &grey("type"))),
                line(&control(9, "", &run("rich"))),
            ]
            .concat(),
        )
        .build();
    let word = WordDocument::open(document, &Limits::default()).unwrap();
    let controls = word.controls().unwrap();
    let told: Vec<_> = controls
        .iter()
        .map(|own| (own.number, own.address.as_str(), own.kind, own.placeholder, own.value.as_str()))
        .collect();
    assert_eq!(told, [(1, "P1", "text", true, "type"), (2, "P2", "richText", false, "rich")]);
    assert_eq!((controls[0].tag.as_deref(), controls[0].title.as_deref()), (Some("c4"), Some("T")));
}
