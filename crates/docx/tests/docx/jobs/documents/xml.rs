//! Pieces of WordprocessingML. Must never check what it is given.

/// A run of plain text.
pub(super) fn run(text: &str) -> String {
    styled("", text)
}

/// A run with these properties.
pub(super) fn styled(properties: &str, text: &str) -> String {
    let properties =
        if properties.is_empty() { String::new() } else { format!("<w:rPr>{properties}</w:rPr>") };
    format!("<w:r>{properties}<w:t xml:space=\"preserve\">{}</w:t></w:r>", escaped(text))
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A paragraph of a style, none for the normal one.
pub(super) fn paragraph(style: &str, content: &str) -> String {
    with_properties(style, "", content)
}

/// The same with further properties.
pub(super) fn with_properties(style: &str, properties: &str, content: &str) -> String {
    let style = if style.is_empty() { String::new() } else { format!("<w:pStyle w:val=\"{style}\"/>") };
    format!("<w:p><w:pPr>{style}{properties}</w:pPr>{content}</w:p>").replace("<w:pPr></w:pPr>", "")
}

/// A field with what it shows.
pub(super) fn field(code: &str, shown: &str) -> String {
    let part = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    format!(
        "{}<w:r><w:instrText xml:space=\"preserve\"> {code} </w:instrText></w:r>{}{}{}",
        part("begin"),
        part("separate"),
        run(shown),
        part("end")
    )
}

/// A bookmark around some content.
pub(super) fn bookmark(id: usize, name: &str, content: &str) -> String {
    format!("<w:bookmarkStart w:id=\"{id}\" w:name=\"{name}\"/>{content}<w:bookmarkEnd w:id=\"{id}\"/>")
}

/// The mark of a footnote.
pub(super) fn note_mark(id: usize) -> String {
    format!(
        "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteReference w:id=\"{id}\"/></w:r>"
    )
}

/// A footnote with one paragraph.
pub(super) fn note(id: usize, text: &str) -> String {
    let mark = "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteRef/></w:r>";
    format!(
        "<w:footnote w:id=\"{id}\">{}</w:footnote>",
        paragraph("FootnoteText", &format!("{mark}{}", run(&format!(" {text}"))))
    )
}

/// The notes that every part of footnotes begins with.
pub(super) const SEPARATORS: &str = "<w:footnote w:type=\"separator\" w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>\
    <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>";

/// A cell of this width in twentieths of a point. What begins with `<` is its content, anything else its text.
pub(super) fn cell(width: usize, properties: &str, content: &str) -> String {
    let content =
        if content.starts_with('<') { content.to_owned() } else { format!("<w:p>{}</w:p>", run(content)) };
    let content = content.replace("<w:p><w:r><w:t xml:space=\"preserve\"></w:t></w:r></w:p>", "<w:p/>");
    format!("<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/>{properties}</w:tcPr>{content}</w:tc>")
}

pub(super) fn row(properties: &str, cells: &[String]) -> String {
    let properties =
        if properties.is_empty() { String::new() } else { format!("<w:trPr>{properties}</w:trPr>") };
    format!("<w:tr>{properties}{}</w:tr>", cells.concat())
}

/// A bordered table with these columns.
pub(super) fn table(widths: &[usize], rows: &[String]) -> String {
    let grid: String = widths.iter().map(|width| format!("<w:gridCol w:w=\"{width}\"/>")).collect();
    let width: usize = widths.iter().sum();
    format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"TableGrid\"/><w:tblW w:w=\"{width}\" w:type=\"dxa\"/>\
         <w:tblLayout w:type=\"fixed\"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{}</w:tbl>",
        rows.concat()
    )
}

/// A table of texts, whose first row is a repeated, bold head.
pub(super) fn plain_table(widths: &[usize], rows: &[&[&str]]) -> String {
    let rows: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(at, texts)| {
            let cells: Vec<String> = texts
                .iter()
                .zip(widths)
                .map(|(text, width)| match at {
                    0 => cell(*width, "", &format!("<w:p>{}</w:p>", styled("<w:b/>", text))),
                    _ => cell(*width, "", text),
                })
                .collect();
            row(if at == 0 { "<w:tblHeader/>" } else { "" }, &cells)
        })
        .collect();
    table(widths, &rows)
}

/// The end of a section of A4 paper.
pub(super) fn section(references: &str) -> String {
    format!(
        "<w:sectPr>{references}<w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1440\" w:right=\"1440\" \
         w:bottom=\"1440\" w:left=\"1440\" w:header=\"708\" w:footer=\"708\" w:gutter=\"0\"/></w:sectPr>"
    )
}

/// A style of paragraphs.
pub(super) fn style(id: &str, name: &str, properties: &str, look: &str) -> String {
    let properties =
        if properties.is_empty() { String::new() } else { format!("<w:pPr>{properties}</w:pPr>") };
    let look = if look.is_empty() { String::new() } else { format!("<w:rPr>{look}</w:rPr>") };
    format!(
        "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:basedOn w:val=\"Normal\"/>\
         <w:qFormat/>{properties}{look}</w:style>"
    )
}

/// Styles that every document of an office has.
pub(super) fn office_styles() -> String {
    let character = |id: &str, name: &str, look: &str| {
        format!(
            "<w:style w:type=\"character\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:rPr>{look}</w:rPr></w:style>"
        )
    };
    let border =
        |side: &str| format!("<w:{side} w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"auto\"/>");
    let borders: String =
        ["top", "left", "bottom", "right", "insideH", "insideV"].into_iter().map(border).collect();
    [
        "<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii=\"Times New Roman\" w:hAnsi=\"Times New Roman\" \
         w:cs=\"Times New Roman\"/><w:sz w:val=\"22\"/><w:szCs w:val=\"22\"/><w:lang w:val=\"en-GB\"/></w:rPr>\
         </w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after=\"120\"/></w:pPr></w:pPrDefault></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style>\
         <w:style w:type=\"character\" w:default=\"1\" w:styleId=\"DefaultParagraphFont\">\
         <w:name w:val=\"Default Paragraph Font\"/></w:style>"
            .to_owned(),
        style("Title", "Title", "<w:jc w:val=\"center\"/>", "<w:b/><w:sz w:val=\"32\"/>"),
        style("Header", "header", "", "<w:sz w:val=\"18\"/>"),
        style("Footer", "footer", "", "<w:sz w:val=\"18\"/>"),
        style("FootnoteText", "footnote text", "", "<w:sz w:val=\"18\"/>"),
        style("TOC1", "toc 1", "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9016\"/></w:tabs>", ""),
        character("FootnoteReference", "footnote reference", "<w:vertAlign w:val=\"superscript\"/>"),
        character("Hyperlink", "Hyperlink", "<w:color w:val=\"0563C1\"/><w:u w:val=\"single\"/>"),
        character("PlaceholderText", "Placeholder Text", "<w:color w:val=\"808080\"/>"),
        format!(
            "<w:style w:type=\"table\" w:styleId=\"TableGrid\"><w:name w:val=\"Table Grid\"/>\
             <w:tblPr><w:tblBorders>{borders}</w:tblBorders></w:tblPr></w:style>"
        ),
    ]
    .concat()
}

/// A definition of a list with these levels: format, text, style or nothing.
pub(super) fn list(id: usize, levels: &[(&str, &str, &str)]) -> String {
    let levels: String = levels
        .iter()
        .enumerate()
        .map(|(at, (format, text, style))| {
            let style =
                if style.is_empty() { String::new() } else { format!("<w:pStyle w:val=\"{style}\"/>") };
            let indent = 720 * (at + 1);
            format!(
                "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/>{style}\
                 <w:lvlText w:val=\"{text}\"/><w:lvlJc w:val=\"left\"/>\
                 <w:pPr><w:ind w:left=\"{indent}\" w:hanging=\"720\"/></w:pPr></w:lvl>"
            )
        })
        .collect();
    format!(
        "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"multilevel\"/>{levels}</w:abstractNum>"
    )
}
