//! A services agreement of some sixty pages: 31 numbered clauses of three levels, references as fields and as typed words, a
//! contents table, four schedules with tables, a header, a footer, 34 footnotes, defined terms, comments.

use engross_testkit::docx::DocxBuilder;

use super::xml::{
    SEPARATORS, bookmark, field, list, note, note_mark, office_styles, paragraph, plain_table, run, section,
    style, styled,
};

const CLAUSES: &[&str] = &[
    "Definitions and Interpretation",
    "Commencement and Term",
    "Services",
    "Customer Obligations",
    "Service Levels",
    "Charges",
    "Invoicing and Payment",
    "Records and Audit",
    "Intellectual Property",
    "Confidentiality",
    "Data Protection",
    "Warranties",
    "Indemnities",
    "Limitation of Liability",
    "Insurance",
    "Personnel",
    "Subcontracting",
    "Change Control",
    "Governance",
    "Dispute Resolution",
    "Force Majeure",
    "Termination",
    "Consequences of Termination",
    "Exit Management",
    "Business Continuity",
    "Compliance",
    "Assignment",
    "Notices",
    "Entire Agreement",
    "General",
    "Governing Law and Jurisdiction",
];

const SCHEDULES: &[(&str, &[&[&str]])] = &[
    (
        "Services Description",
        &[
            &["Service", "Place", "Hours"],
            &["Help desk", "Leeds", "08:00 to 18:00"],
            &["Hosting", "Dublin", "always"],
        ],
    ),
    (
        "Charges and Rates",
        &[
            &["Role", "Rate", "Unit"],
            &["Engineer", "£900", "day"],
            &["Architect", "£1,200", "day"],
            &["Total", "£2,100", ""],
        ],
    ),
    (
        "Service Credits",
        &[&["Availability", "Credit", "Cap"], &["below 99.9%", "5%", "10%"], &["below 99.0%", "10%", "20%"]],
    ),
    (
        "Security Measures",
        &[
            &["Measure", "Standard", "Review"],
            &["Access control", "ISO 27001", "yearly"],
            &["Back-up", "daily", "monthly"],
        ],
    ),
];

const TERMS: &[(&str, &str)] = &[
    ("Charges", "the sums that the Customer pays for the Services under Schedule 2"),
    (
        "Confidential Information",
        "all information that a party discloses and that is marked or known as confidential",
    ),
    ("Customer", "the party that receives the Services, and its permitted successors"),
    ("Effective Date", "the day on which the last party signs this Agreement"),
    ("Services", "the services that Schedule 1 describes, as changed under clause 18"),
    ("Supplier", "the party that provides the Services"),
    ("Term", "the time from the Effective Date until this Agreement ends or is terminated"),
];

const SENTENCES: &[&str] = &[
    "The Supplier shall perform the Services with reasonable skill and care and in accordance with good industry practice at all times during the Term.",
    "The Customer shall give the Supplier such access to its premises, systems and people as is reasonably needed for that purpose.",
    "Neither party may rely on a delay that it has caused itself, and each party shall tell the other of any delay without undue delay.",
    "Any waiver of a right under this Agreement must be in writing, and no failure to exercise a right is a waiver of it.",
    "The Supplier shall keep complete and accurate records of everything it does under this clause for at least six years.",
    "If the Customer asks for it, the Supplier shall explain within ten Business Days how it has met what this clause requires.",
    "Each party bears its own costs of complying with this clause unless this Agreement expressly says that the other party bears them.",
    "The rights under this clause are in addition to, and do not replace, any other right or remedy that the law gives to a party.",
    "A person who is not a party to this Agreement has no right to enforce any of its terms, whatever any statute may otherwise provide.",
];

/// Which clause the reference in a clause means.
fn meant(clause: usize) -> usize {
    (clause * 7 + 2) % CLAUSES.len() + 1
}

/// The agreement.
pub(crate) fn agreement() -> Vec<u8> {
    let mut body = String::new();
    body.push_str(&paragraph("Title", &run("Master Services Agreement")));
    body.push_str(&paragraph("", &run("between Northwind Systems Limited and Harbour Retail plc")));
    body.push_str(&contents());
    for clause in 1..=CLAUSES.len() {
        self::clause(&mut body, clause);
    }
    for (at, (title, rows)) in SCHEDULES.iter().enumerate() {
        schedule(&mut body, at + 1, title, rows);
    }
    body.push_str(&paragraph("", "<w:r><w:br w:type=\"page\"/></w:r>"));
    body.push_str(&paragraph("SignatureHeading", &run("Signatures")));
    body.push_str(&plain_table(
        &[4513, 4513],
        &[&["For the Supplier", "For the Customer"], &["Name:", "Name:"]],
    ));
    body.push_str(&section(
        "<w:headerReference w:type=\"default\" r:id=\"h\"/><w:footerReference w:type=\"default\" r:id=\"f\"/>",
    ));
    let header =
        paragraph("Header", &run("Master Services Agreement – governed by the law of England and Wales"));
    let footer = paragraph(
        "Footer",
        &format!("{}{}{}{}", run("Page "), field("PAGE", "1"), run(" of "), field("NUMPAGES", "58")),
    );
    DocxBuilder::new()
        .styles(&styles())
        .numbering(&format!(
            "{}<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>",
            list(
                0,
                &[
                    ("decimal", "%1.", "Heading1"),
                    ("decimal", "%1.%2", "Clause2"),
                    ("lowerLetter", "(%3)", "Clause3")
                ]
            )
        ))
        .footnotes(&notes())
        .comments(
            "<w:comment w:id=\"1\" w:author=\"Alice\" w:date=\"2025-11-03T08:00:00Z\" w:initials=\"A\">\
             <w:p><w:r><w:t>Is thirty days what we agreed?</w:t></w:r></w:p></w:comment>",
        )
        .header("h", &header)
        .footer("f", &footer)
        .settings("")
        .body(&body)
        .build()
}

fn styles() -> String {
    let numbered =
        |level: usize| format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr>");
    [
        office_styles(),
        style(
            "Heading1",
            "heading 1",
            &format!("<w:keepNext/>{}<w:outlineLvl w:val=\"0\"/>", numbered(0)),
            "<w:b/>",
        ),
        style("Clause2", "Clause 2", &numbered(1), ""),
        style("Clause3", "Clause 3", &numbered(2), ""),
        style("Definition", "Definition", "<w:ind w:left=\"720\"/>", ""),
        style(
            "ScheduleHeading",
            "Schedule Heading",
            "<w:jc w:val=\"center\"/><w:outlineLvl w:val=\"0\"/>",
            "<w:b/>",
        ),
        style("SignatureHeading", "Signature Heading", "", "<w:b/>"),
    ]
    .concat()
}

/// The contents table: a field over paragraphs, with a link and a page in each line.
fn contents() -> String {
    let part = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let code = "<w:r><w:instrText xml:space=\"preserve\"> TOC \\o \"1-1\" \\h \\z \\u </w:instrText></w:r>";
    let clauses = CLAUSES.iter().enumerate().map(|(at, title)| (format!("{}.\t{title}", at + 1), at + 1));
    let schedules = SCHEDULES
        .iter()
        .enumerate()
        .map(|(at, (title, _))| (format!("Schedule {} – {title}", at + 1), 40 + at));
    let lines: Vec<(String, usize)> = clauses.chain(schedules).collect();
    let count = lines.len();
    let mut xml = String::new();
    for (at, (text, mark)) in lines.into_iter().enumerate() {
        let (label, words) = text.split_once('\t').map_or((None, text.as_str()), |(l, w)| (Some(l), w));
        let label = label.map_or_else(String::new, |label| format!("{}<w:r><w:tab/></w:r>", run(label)));
        let page = field(&format!("PAGEREF _Toc{} \\h", 1000 + mark), &(2 + mark * 3 / 2).to_string());
        let link = format!(
            "<w:hyperlink w:anchor=\"_Toc{}\" w:history=\"1\">{label}{}<w:r><w:tab/></w:r>{page}</w:hyperlink>",
            1000 + mark,
            run(words)
        );
        let begin =
            if at == 0 { format!("{}{code}{}", part("begin"), part("separate")) } else { String::new() };
        xml.push_str(&paragraph("TOC1", &format!("{begin}{link}")));
        if at + 1 == count {
            xml.push_str(&paragraph("", &part("end")));
        }
    }
    xml
}

fn clause(body: &mut String, clause: usize) {
    let title = CLAUSES[clause - 1];
    let heading = bookmark(
        1000 + clause,
        &format!("_Toc{}", 1000 + clause),
        &bookmark(clause, &format!("_Ref9000{clause:02}"), &run(title)),
    );
    body.push_str(&paragraph("Heading1", &heading));
    if clause == 1 {
        body.push_str(&paragraph(
            "Clause2",
            &run("In this Agreement the following words have these meanings:"),
        ));
        for (term, meaning) in TERMS {
            let content =
                format!("{}{}{}", run("“"), styled("<w:b/>", term), run(&format!("” means {meaning};")));
            body.push_str(&paragraph("Definition", &content));
        }
    }
    for part in 1..=6 {
        let sentence = |offset: usize| SENTENCES[(clause * 5 + part * 3 + offset) % SENTENCES.len()];
        let topic = format!("{title} ({clause}/{part}). ");
        let mut content = run(&format!("{topic}{}", sentence(0)));
        match part {
            // A reference to another clause as a field.
            2 => {
                let other = meant(clause);
                content.push_str(&run(" This is subject to clause "));
                content.push_str(&field(&format!("REF _Ref9000{other:02} \\r \\h"), &other.to_string()));
                content.push_str(&run(&format!(" ({}).", CLAUSES[other - 1])));
            }
            // The same as typed words, and a note.
            3 => {
                let other = (clause * 5 + 3) % CLAUSES.len() + 1;
                content.push_str(&run(&format!(" Clause {other}.2 applies as well")));
                content.push_str(&note_mark(clause));
                content.push_str(&run("."));
            }
            // A reference to a paragraph of the same clause.
            5 => {
                content.push_str(&run(" See also paragraph "));
                content.push_str(&field(&format!("REF _Ref9100{clause:02} \\r \\h"), &format!("{clause}.1")));
                content.push_str(&run("."));
            }
            _ => {}
        }
        if part == 1 {
            content = bookmark(100 + clause, &format!("_Ref9100{clause:02}"), &content);
        }
        if (clause, part) == (7, 4) {
            content.push_str(
                "<w:commentRangeStart w:id=\"1\"/><w:r><w:t xml:space=\"preserve\"> Invoices are due within thirty days.</w:t></w:r>\
                 <w:commentRangeEnd w:id=\"1\"/><w:r><w:commentReference w:id=\"1\"/></w:r>",
            );
        }
        if (clause, part) == (31, 1) {
            content.push_str(&run(" This Agreement is governed by the law of England and Wales."));
        }
        if (clause, part) == (31, 4) {
            content.push_str(&run(" The courts of England and Wales have exclusive jurisdiction."));
        }
        body.push_str(&paragraph("Clause2", &content));
        for item in 0..3 {
            let text = format!(
                "{} In matter {clause}/{part}/{}, that is without limit.",
                sentence(item + 1),
                item + 1
            );
            body.push_str(&paragraph("Clause3", &run(&text)));
        }
    }
}

fn schedule(body: &mut String, number: usize, title: &str, rows: &[&[&str]]) {
    body.push_str(&paragraph("", "<w:r><w:br w:type=\"page\"/></w:r>"));
    let mark = 39 + number;
    let heading =
        bookmark(1000 + mark, &format!("_Toc{}", 1000 + mark), &run(&format!("Schedule {number} – {title}")));
    body.push_str(&paragraph("ScheduleHeading", &heading));
    let intro = format!(
        "{}{}{}",
        run(&format!("This Schedule {number} is about what the Customer receives")),
        note_mark(31 + number),
        run(".")
    );
    let intro =
        if number == 4 { run("This Schedule 4 is about how the Customer is kept safe.") } else { intro };
    body.push_str(&paragraph("", &intro));
    body.push_str(&plain_table(&[3600, 2700, 2700], rows));
    body.push_str(&paragraph("", &run(&format!("End of Schedule {number}."))));
}

fn notes() -> String {
    let mut notes = SEPARATORS.to_owned();
    for number in 1..=34 {
        let text = match number {
            12 => "This follows the usual practice of the courts of England and Wales.".to_owned(),
            20 => "The Customer asked for this in its letter of 4 May.".to_owned(),
            _ => format!("Note {number} is kept for the record."),
        };
        notes.push_str(&note(number, &text));
    }
    notes
}
