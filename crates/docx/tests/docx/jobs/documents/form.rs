//! A form with content controls of every kind, one of them bound to data of the package.

use engross_testkit::docx::DocxBuilder;

use super::xml::{office_styles, paragraph, run, section, styled};

const STORE: &str = "{6A3F2C11-0D7E-4B52-9C55-8F1C2B7D1E01}";

fn control(id: usize, tag: &str, properties: &str, content: &str) -> String {
    format!(
        "<w:sdt><w:sdtPr><w:alias w:val=\"{tag}\"/><w:tag w:val=\"{tag}\"/><w:id w:val=\"{id}\"/>{properties}</w:sdtPr>\
         <w:sdtContent>{content}</w:sdtContent></w:sdt>"
    )
}

fn line(label: &str, control: &str) -> String {
    paragraph("", &format!("{}{control}", run(label)))
}

/// The form.
pub(crate) fn form() -> Vec<u8> {
    let grey = |text: &str| styled("<w:rStyle w:val=\"PlaceholderText\"/>", text);
    let waiting = "<w:showingPlcHdr/>";
    let items = "<w:listItem w:displayText=\"Choose one\" w:value=\"\"/><w:listItem w:displayText=\"Limited company\" w:value=\"ltd\"/>\
        <w:listItem w:displayText=\"Partnership\" w:value=\"llp\"/>";
    let binding = format!(
        "<w:dataBinding w:prefixMappings=\"xmlns:f='urn:example:form'\" w:xpath=\"/f:form[1]/f:reference[1]\" \
         w:storeItemID=\"{STORE}\"/>"
    );
    let empty_box = "<w:r><w:rPr><w:rFonts w:ascii=\"MS Gothic\" w:eastAsia=\"MS Gothic\" w:hAnsi=\"MS Gothic\"/></w:rPr><w:t>☐</w:t></w:r>";
    let check = |checked: u8| {
        format!(
            "<w14:checkbox><w14:checked w14:val=\"{checked}\"/><w14:checkedState w14:val=\"2612\" w14:font=\"MS Gothic\"/>\
             <w14:uncheckedState w14:val=\"2610\" w14:font=\"MS Gothic\"/></w14:checkbox>"
        )
    };
    let body = [
        paragraph("Title", &run("Supplier Registration")),
        line("Name: ", &control(101, "name", &format!("{waiting}<w:text/>"), &grey("Click to enter a name"))),
        control(102, "address", waiting, &paragraph("", &grey("Click to enter an address"))),
        line("Kind: ", &control(103, "kind", &format!("{waiting}<w:dropDownList>{items}</w:dropDownList>"), &grey("Choose one"))),
        line("Country: ", &control(104, "country", &format!("{waiting}<w:comboBox>{items}</w:comboBox>"), &grey("Choose or type"))),
        line(
            "Date: ",
            &control(
                105,
                "date",
                &format!("{waiting}<w:date><w:dateFormat w:val=\"d MMMM yyyy\"/><w:lid w:val=\"en-GB\"/><w:storeMappedDataAs w:val=\"dateTime\"/><w:calendar w:val=\"gregorian\"/></w:date>"),
                &grey("Choose a date"),
            ),
        ),
        line("Accepted: ", &control(106, "accepted", &check(0), empty_box)),
        line("Reference: ", &control(107, "reference", &format!("{binding}<w:text/>"), &run("REF-1"))),
        line("Fixed: ", &control(108, "fixed", "<w:lock w:val=\"sdtContentLocked\"/><w:text/>", &run("Do not change"))),
        paragraph("", &run("Please return by post.")),
        section(""),
    ]
    .concat();
    DocxBuilder::new()
        .styles(&office_styles())
        .settings("")
        .body(&body)
        .part(
            "customXml/item1.xml",
            "<?xml version=\"1.0\"?><f:form xmlns:f=\"urn:example:form\"><f:reference>REF-1</f:reference></f:form>",
        )
        .part(
            "customXml/itemProps1.xml",
            format!(
                "<?xml version=\"1.0\"?><ds:datastoreItem ds:itemID=\"{STORE}\" \
                 xmlns:ds=\"http://schemas.openxmlformats.org/officeDocument/2006/customXml\"><ds:schemaRefs/></ds:datastoreItem>"
            ),
        )
        .content_type("customXml/itemProps1.xml", "application/vnd.openxmlformats-officedocument.customXmlProperties+xml")
        .part(
            "customXml/_rels/item1.xml.rels",
            "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
             <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXmlProps\" \
             Target=\"itemProps1.xml\"/></Relationships>",
        )
        .relationship("rel-data", "customXml", "../customXml/item1.xml")
        .build()
}
