"""Five jobs on Word documents, each done twice: by operations, and by a script on the unpacked XML.

What a model would write is a step: a command with what it gets on standard input. What the step prints is what a model would read.
The side by hand is a script that was right at once and read no more than it needed, which flatters it.
"""
import json
from dataclasses import dataclass

AUTHOR, DATE = "Reviewer", "2026-01-31T09:30:00Z"

# What every script by hand begins with: tracked replacement of words that stand in one run, and the package written anew.
HAND = r'''
import copy, sys, zipfile
from lxml import etree
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
q = lambda n: f"{{{W}}}{n}"
z = zipfile.ZipFile(SRC); parts = {n: z.read(n) for n in z.namelist()}; ids = iter(range(9000, 99999))
stamp = lambda: {q("id"): str(next(ids)), q("author"): "Reviewer", q("date"): "2026-01-31T09:30:00Z"}
def run(r, text, tag="t"):
    new = etree.Element(q("r")); pr = r.find(q("rPr"))
    if pr is not None: new.append(copy.deepcopy(pr))
    t = etree.SubElement(new, q(tag)); t.text = text; t.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return new
def replace(root, old, new, count=None):
    done = 0
    for t in list(root.iter(q("t"))):
        r = t.getparent(); rest = t.text or ""
        if old not in rest or t.xpath("ancestor::w:hyperlink", namespaces={"w": W}): continue
        while old in rest and (count is None or done < count):
            before, rest = rest.split(old, 1); done += 1
            if before: r.addprevious(run(r, before))
            d = etree.Element(q("del"), stamp()); d.append(run(r, old, "delText")); r.addprevious(d)
            if new: i = etree.Element(q("ins"), stamp()); i.append(run(r, new)); r.addprevious(i)
        if rest: r.addprevious(run(r, rest))
        r.getparent().remove(r)
    return done
def save(trees):
    with zipfile.ZipFile(DST, "w", zipfile.ZIP_DEFLATED) as out:
        for n, b in parts.items(): out.writestr(n, etree.tostring(trees[n], xml_declaration=True, encoding="UTF-8", standalone=True) if n in trees else b)
tree = lambda n: etree.fromstring(parts[n])
'''


@dataclass(frozen=True)
class Step:
    """A command that a model writes, with its input."""

    command: str
    given: str = ""


@dataclass(frozen=True)
class Task:
    name: str
    document: str
    operations: list[Step]
    by_hand: list[Step]


def script(source: str, body: str) -> Step:
    return Step("python3 -", f'SRC, DST = "{source}", "out.docx"\n{HAND.strip()}\n{body.strip()}\n')


def apply(source: str, *operations: dict[str, object]) -> Step:
    return Step(f"engross apply {source} - -o out.docx", json.dumps(operations, ensure_ascii=False, separators=(",", ":")))


def modify(old: str, new: str, **fields: object) -> dict[str, object]:
    return {"op": "modify_text", "originalText": old, "replacementText": new, **fields}


SHOW = "unzip -p {0} word/document.xml | sed 's/<w:p[ >]/\\n&/g' | {1}"

TASKS = [
    Task(
        "a playbook: four edits and a deletion in a non-disclosure agreement",
        "nda.docx",
        [
            Step("engross read nda.docx"),
            apply(
                "nda.docx",
                modify("three (3) years", "five (5) years"),
                modify("thirty (30) days", "ten (10) days"),
                modify("lasts two years", "lasts until either party ends it"),
                modify("employees and advisers", "employees"),
                {"op": "delete_paragraph", "target": {"text": "No licence is granted"}},
            ),
        ],
        [
            Step("unzip -l nda.docx"),
            Step(SHOW.format("nda.docx", "cat")),
            script(
                "nda.docx",
                r'''
root = tree("word/document.xml")
for old, new in [("three (3)", "five (5)"), ("thirty (30)", "ten (10)"), ("two years", "until either party ends it"), (" and advisers", "")]: print(old, replace(root, old, new))
for p in root.iter(q("p")):
    if "".join(t.text or "" for t in p.iter(q("t"))).startswith("No licence is granted"):
        for r in p.findall(q("r")):
            d = etree.Element(q("del"), stamp()); r.addprevious(d); d.append(r)
            for t in r.iter(q("t")): t.tag = q("delText")
        pr = p.find(q("pPr")); pr = pr if pr is not None else etree.Element(q("pPr")); p.insert(0, pr)
        etree.SubElement(etree.SubElement(pr, q("rPr")), q("del"), stamp())
save({"word/document.xml": root})
''',
            ),
        ],
    ),
    Task(
        "another law in every story of an agreement of 58 pages",
        "agreement.docx",
        [apply("agreement.docx", modify("England and Wales", "Scotland", occurrence="all", scope="everywhere"))],
        [
            Step("mkdir x && cd x && unzip -q ../agreement.docx && grep -o '.\\{60\\}England and Wales.\\{20\\}' -r word | sort"),
            script(
                "agreement.docx",
                r'''
names = ["word/document.xml", "word/header-h.xml", "word/footnotes.xml"]; trees = {n: tree(n) for n in names}
for n, root in trees.items(): print(n, replace(root, "England and Wales", "Scotland"))
save(trees)
''',
            ),
        ],
    ),
    Task(
        "a defined term with another name, the contents table left alone",
        "agreement.docx",
        [apply("agreement.docx", modify("Customer", "Client", occurrence="all", scope="everywhere"))],
        [
            Step("mkdir x && cd x && unzip -q ../agreement.docx && grep -c Customer -r word; grep -o '.\\{40\\}Customer.\\{10\\}' word/document.xml | head -20"),
            script(
                "agreement.docx",
                r'''
names = [n for n in parts if n.startswith("word/") and n.endswith(".xml") and b"Customer" in parts[n]]; trees = {n: tree(n) for n in names}
for n, root in trees.items(): print(n, replace(root, "Customer", "Client"))
save(trees)
''',
            ),
        ],
    ),
    Task(
        "a price, a row less, a new total",
        "prices.docx",
        [
            Step("engross read prices.docx"),
            apply(
                "prices.docx",
                {"op": "edit_table", "paragraphIndex": 2, "action": "update_cell", "targetRow": 1, "targetColumn": 2, "content": "£550"},
                {"op": "edit_table", "paragraphIndex": 2, "action": "delete_row", "targetRow": 2},
                {"op": "edit_table", "paragraphIndex": 2, "action": "update_cell", "targetRow": 3, "targetColumn": 2, "content": "£550"},
            ),
        ],
        [
            Step(SHOW.format("prices.docx", "cat")),
            script(
                "prices.docx",
                r'''
root = tree("word/document.xml"); rows = list(root.iter(q("tr")))
print(replace(rows[1], "£500", "£550"), replace(rows[3], "£800", "£550"))
pr = etree.Element(q("trPr")); rows[2].insert(0, pr); etree.SubElement(pr, q("del"), stamp())
for p in rows[2].iter(q("p")):
    for r in p.findall(q("r")):
        d = etree.Element(q("del"), stamp()); r.addprevious(d); d.append(r)
        for t in r.iter(q("t")): t.tag = q("delText")
    ppr = etree.Element(q("pPr")); p.insert(0, ppr); etree.SubElement(etree.SubElement(ppr, q("rPr")), q("del"), stamp())
save({"word/document.xml": root})
''',
            ),
        ],
    ),
    Task(
        "a new clause before the eleventh of an agreement of 58 pages",
        "agreement.docx",
        [
            Step("engross read agreement.docx --search 'Data Protection' | grep Heading1"),
            apply(
                "agreement.docx",
                {"op": "insert_paragraph", "before": 297, "content": "Anti-Bribery", "style": "Heading1"},
                {"op": "insert_paragraph", "before": 297, "content": "The Supplier shall not bribe anybody.", "style": "Clause2"},
            ),
        ],
        [
            Step(SHOW.format("agreement.docx", "grep -n -A2 'Heading1.*Data Protection'")),
            script(
                "agreement.docx",
                r'''
root = tree("word/document.xml")
at = next(p for p in root.iter(q("p")) if p.find(".//" + q("pStyle")) is not None and p.find(".//" + q("pStyle")).get(q("val")) == "Heading1" and "Data Protection" in "".join(p.itertext()))
for style, text in [("Heading1", "Anti-Bribery"), ("Clause2", "The Supplier shall not bribe anybody.")]:
    p = etree.Element(q("p")); pr = etree.SubElement(p, q("pPr")); etree.SubElement(pr, q("pStyle")).set(q("val"), style)
    etree.SubElement(etree.SubElement(pr, q("rPr")), q("ins"), stamp())
    i = etree.SubElement(p, q("ins"), stamp()); i.append(run(p, text)); at.addprevious(p)
save({"word/document.xml": root})
''',
            ),
        ],
    ),
]
