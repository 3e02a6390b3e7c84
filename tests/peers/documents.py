"""Small Word documents as the cases need them, made of strings of WordprocessingML.

Must never use an engine that is compared, nor guess: what a document holds is what the case wrote.
"""
import io
import zipfile
from typing import Callable, Mapping

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_R = "http://purl.oclc.org/ooxml/officeDocument/relationships"
OTHER = "Counterparty"
OTHER_DATE = "2026-01-15T09:00:00Z"
NAMESPACES = " ".join([
    f'xmlns:w="{W}"', f'xmlns:r="{R}"',
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"',
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
    'xmlns:v="urn:schemas-microsoft-com:vml"',
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
    'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"', 'mc:Ignorable="w14 w15"',
])
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STYLES = f"""{HEAD}<w:styles xmlns:w="{W}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>\
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>\
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>\
<w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/><w:basedOn w:val="Normal"/></w:style>\
<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/></w:style>\
<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/></w:style></w:styles>"""
NUMBERING = f"""{HEAD}<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="hybridMultilevel"/>\
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:lvlJc w:val="left"/></w:lvl></w:abstractNum>\
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"""
SETTINGS = f'{HEAD}<w:settings xmlns:w="{W}"><w:zoom w:percent="100"/></w:settings>'
PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100"
                      "c9fe92ef0000000049454e44ae426082")
OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
KINDS = {"styles": "styles", "numbering": "numbering", "settings": "settings", "header1": "header", "footer1": "footer",
         "footnotes": "footnotes", "endnotes": "endnotes", "comments": "comments"}


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def r(text: str, look: str = "") -> str:
    """A run with this text; `look` is what its rPr holds."""
    properties = f"<w:rPr>{look}</w:rPr>" if look else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(*content: str, look: str = "") -> str:
    """A paragraph. What begins with `<` is XML, anything else is text of a run of its own."""
    properties = f"<w:pPr>{look}</w:pPr>" if look else ""
    return f"<w:p>{properties}{''.join(c if c.startswith('<') else r(c) for c in content)}</w:p>"


def marked(kind: str, number: int, inside: str = "") -> str:
    """A revision of somebody else."""
    return f'<w:{kind} w:id="{number}" w:author="{OTHER}" w:date="{OTHER_DATE}">{inside}</w:{kind}>'


def inserted(text: str, number: int = 901, look: str = "") -> str:
    return marked("ins", number, r(text, look))


def deleted(text: str, number: int = 902) -> str:
    return marked("del", number, r(text).replace("<w:t ", "<w:delText ").replace("</w:t>", "</w:delText>"))


def cell(*paragraphs: str) -> str:
    return f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>{"".join(q if q.startswith("<") else p(q) for q in paragraphs)}</w:tc>'


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(c if c.startswith('<w:tc>') else cell(c) for c in cells)}</w:tr>"


def table(*rows: str, columns: int = 2) -> str:
    grid = '<w:gridCol w:w="3000"/>' * columns
    return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{"".join(rows)}</w:tbl>'


def picture() -> str:
    return ('<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="9525" cy="9525"/><wp:docPr id="1" name="Mark"/>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
            '<pic:cNvPr id="1" name="mark.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rIdImage"/><a:stretch><a:fillRect/></a:stretch>'
            '</pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9525" cy="9525"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
            '</pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>')


def text_box(content: str) -> str:
    """A drawn text box as Word 2010 and later write it; what older programs show instead says the same."""
    shape = ('<w:drawing><wp:inline><wp:extent cx="1800000" cy="600000"/><wp:docPr id="7" name="Box"/><a:graphic>'
             '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/>'
             f'<wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>')
    old = f'<w:pict><v:shape id="box" style="width:142pt;height:47pt"><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox></v:shape></w:pict>'
    return f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{shape}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent></w:r>'


def control(content: str, properties: str = "", tag: str = "field") -> str:
    return f'<w:sdt><w:sdtPr><w:alias w:val="{tag}"/><w:tag w:val="{tag}"/><w:id w:val="4711"/>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>'


def comment(number: int, text: str, author: str = OTHER) -> str:
    return (f'<w:comment w:id="{number}" w:author="{author}" w:date="{OTHER_DATE}" w:initials="C"><w:p w14:paraId="0000A{number:03d}">'
            f'<w:r><w:t>{escape(text)}</w:t></w:r></w:p></w:comment>')


def comments(*each: str) -> str:
    return f"<w:comments {NAMESPACES}>{''.join(each)}</w:comments>"


def commented(text: str, number: int) -> str:
    return (f'<w:commentRangeStart w:id="{number}"/>{r(text)}<w:commentRangeEnd w:id="{number}"/>'
            f'<w:r><w:commentReference w:id="{number}"/></w:r>')


def footnotes(*paragraphs: str, kind: str = "footnote") -> str:
    """The part of footnotes or, as `endnote`, of endnotes."""
    notes = "".join(f'<w:{kind} w:id="{number}">{paragraph}</w:{kind}>' for number, paragraph in enumerate(paragraphs, 1))
    return (f'<w:{kind}s {NAMESPACES}><w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
            f'<w:{kind} w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:{kind}>{notes}</w:{kind}s>')


def story(kind: str, *paragraphs: str) -> str:
    """The content of a header (`hdr`) or footer (`ftr`)."""
    return f"<w:{kind} {NAMESPACES}>{''.join(paragraphs)}</w:{kind}>"


def document(*blocks: str, parts: Mapping[str, str] | None = None, strict: bool = False) -> bytes:
    """A package with this body. `parts` may be `header1`, `footer1`, `footnotes`, `comments`, as XML."""
    files = {"styles": STYLES, "numbering": NUMBERING, "settings": SETTINGS, **{name: HEAD + xml for name, xml in (parts or {}).items()}}
    references = "".join(f'<w:{kind}Reference w:type="default" r:id="rId{kind}1"/>' for kind in ("header", "footer") if kind + "1" in files)
    section = (f'<w:sectPr>{references}<w:pgSz w:w="11906" w:h="16838"/>'
               '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>')
    main = f"{HEAD}<w:document {NAMESPACES}><w:body>{''.join(blocks)}{section}</w:body></w:document>"
    relations = "".join(f'<Relationship Id="rId{name}" Type="{R}/{KINDS[name]}" Target="{name}.xml"/>' for name in files)
    relations += f'<Relationship Id="rIdImage" Type="{R}/image" Target="media/mark.png"/>'
    relations += f'<Relationship Id="rIdLink" Type="{R}/hyperlink" Target="https://example.com/terms" TargetMode="External"/>'
    types = "".join(f'<Override PartName="/word/{name}.xml" ContentType="{OFFICE}{KINDS[name]}+xml"/>' for name in files)
    entries = {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                               '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                               '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
                               f'<Override PartName="/word/document.xml" ContentType="{OFFICE}document.main+xml"/>{types}</Types>',
        "_rels/.rels": f'{HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                       f'<Relationship Id="rId1" Type="{R}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": main,
        "word/_rels/document.xml.rels": f'{HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}</Relationships>',
        **{f"word/{name}.xml": xml for name, xml in files.items()},
    }
    if strict:
        entries = {name: xml.replace(W, STRICT_W).replace(R, STRICT_R) for name, xml in entries.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, xml in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), xml, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("word/media/mark.png", (2026, 1, 1, 0, 0, 0)), PIXEL)
    return out.getvalue()


def replaced(data: bytes, name: str, change: Callable[[str], str], encoding: str = "utf-8") -> bytes:
    """A package with one part written otherwise."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry, change(content.decode("utf-8")).encode(encoding) if entry.filename == name else content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
