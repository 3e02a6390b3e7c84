#!/usr/bin/env python3
"""Pairs of documents for the comparison: real ones, and what persons and their programs make of them.

  pair_model.py make --documents LIST.csv --root FOLDER --out DIR --seed N --count M [--kind edits|resaved|both]
      writes DIR/ID.before.docx, DIR/ID.after.docx and DIR/pairs.tsv (id, before, after): `compare_pairs` makes redlines of these,
      `check_redline.py --batch` judges them.
  pair_model.py noise --out DIR --redlines DIR
      counts changes in the redlines of `resaved` pairs, in which nothing differs to a reader: every change is one too many.

`edits` are up to eight seeded changes of all kinds in all stories, in either direction. `resaved` is the same text as another
program writes it: other session ids, runs cut elsewhere, other ids of styles, lists, notes and relationships.
Needs lxml. Shares no code with the engine."""
import argparse
import copy
import csv
import io
import os
import random
import re
import sys
import zipfile

from lxml import etree

WN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
RN = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
W = '{%s}' % WN
R = '{%s}' % RN
SPACE = '{http://www.w3.org/XML/1998/namespace}space'
WORDS = ('Supplier notice payment reasonable thirty 45 days EUR 1,250.50 written consent shall may not before after the '
         'Agreement “Services” party’s 12.5% January 2027 liability indemnify').split()
STORY = re.compile(r'^word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$')
REVISED = {W + name for name in ('ins', 'del', 'moveFrom', 'moveTo', 'rPrChange', 'pPrChange', 'sectPrChange', 'tblPrChange',
                                 'trPrChange', 'tcPrChange', 'cellIns', 'cellDel', 'cellMerge', 'tblGridChange')}


class Package:
    """A document whose parts can be changed."""

    def __init__(self, data):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self.names = [name for name in archive.namelist() if not name.endswith('/')]
            self.parts = {name: archive.read(name) for name in self.names}
        self.trees = {}

    def tree(self, name):
        if name not in self.trees:
            self.trees[name] = etree.fromstring(self.parts[name], etree.XMLParser(huge_tree=True, resolve_entities=False))
        return self.trees[name]

    def stories(self):
        return [name for name in self.names if STORY.match(name)]

    def is_plain(self):
        """Whether no revision is pending, and the main part is where everybody has it."""
        return 'word/document.xml' in self.parts and b'purl.oclc.org' not in self.parts['word/document.xml'] and not any(
            node.tag in REVISED for name in self.stories() for node in self.tree(name).iter())

    def bytes(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:
            for name in self.names:
                data = self.parts[name]
                if name in self.trees:
                    data = etree.tostring(self.trees[name], xml_declaration=True, encoding='UTF-8', standalone=True)
                archive.writestr(name, data)
        return out.getvalue()


def holds(node, *names):
    return any(node.find('.//' + W + name) is not None for name in names)


def blocks(root):
    """Paragraphs that stand in a container beside others."""
    return [p for p in root.iter(W + 'p') if p.getparent().tag in
            {W + name for name in ('body', 'tc', 'hdr', 'ftr', 'footnote', 'endnote', 'txbxContent', 'sdtContent')}]


def texts(root):
    return [t for t in root.iter(W + 't') if (t.text or '').strip()]


def set_text(node, text):
    node.text = text
    node.set(SPACE, 'preserve')


def paragraph(rng):
    p = etree.Element(W + 'p')
    run = etree.SubElement(p, W + 'r')
    set_text(etree.SubElement(run, W + 't'), ' '.join(rng.choice(WORDS) for _ in range(rng.randint(3, 30))) + '.')
    return p


def is_free(p):
    """Whether a paragraph can go: another one stays behind it, and nothing in it has its other half elsewhere."""
    following = p.getnext()
    while following is not None and following.tag != W + 'p':
        if following.tag in (W + 'tbl', W + 'sdt'):
            return False
        following = following.getnext()
    return following is not None and not holds(p, 'fldChar', 'sectPr', 'bookmarkStart', 'bookmarkEnd', 'commentReference',
                                               'commentRangeStart', 'commentRangeEnd', 'footnoteReference', 'endnoteReference')


# Each takes the root of a story, and says whether it did something.
def word_replaced(root, rng):
    found = texts(root)
    if not found:
        return False
    node = rng.choice(found)
    words = node.text.split(' ')
    words[rng.randrange(len(words))] = rng.choice(WORDS)
    set_text(node, ' '.join(words))
    return True


def word_inserted(root, rng):
    found = texts(root)
    if not found:
        return False
    node = rng.choice(found)
    words = node.text.split(' ')
    words.insert(rng.randint(0, len(words)), rng.choice(WORDS))
    set_text(node, ' '.join(words))
    return True


def word_deleted(root, rng):
    found = [node for node in texts(root) if ' ' in node.text.strip()]
    if not found:
        return False
    node = rng.choice(found)
    words = node.text.split(' ')
    del words[rng.randrange(len(words))]
    set_text(node, ' '.join(words))
    return True


def paragraph_inserted(root, rng):
    found = blocks(root)
    if not found:
        return False
    rng.choice(found).addprevious(paragraph(rng))
    return True


def paragraph_deleted(root, rng):
    found = [p for p in blocks(root) if is_free(p)]
    if not found:
        return False
    gone = rng.choice(found)
    gone.getparent().remove(gone)
    return True


def paragraph_moved(root, rng):
    found = [p for p in blocks(root) if is_free(p)]
    if len(found) < 2:
        return False
    one, other = rng.sample(found, 2)
    if one.getparent() is not other.getparent():
        return False
    other.addprevious(one)
    return True


def paragraph_moved_and_edited(root, rng):
    return paragraph_moved(root, rng) and word_replaced(root, rng)


def paragraph_split(root, rng):
    found = [p for p in blocks(root) if len(p.findall(W + 'r')) > 1 and not holds(p, 'fldChar', 'sectPr')]
    if not found:
        return False
    p = rng.choice(found)
    first = copy.deepcopy(p)
    at = rng.randint(1, len(p.findall(W + 'r')) - 1)
    border = p.findall(W + 'r')[at]
    for child in list(p):
        if child is border:
            break
        if child.tag != W + 'pPr':
            p.remove(child)
    border = first.findall(W + 'r')[at]
    for child in list(first)[list(first).index(border):]:
        first.remove(child)
    p.addprevious(first)
    return True


def paragraphs_joined(root, rng):
    found = [p for p in blocks(root) if is_free(p) and p.getnext().tag == W + 'p']
    if not found:
        return False
    p = rng.choice(found)
    following = p.getnext()
    at = 1 if following.find(W + 'pPr') is not None else 0
    for child in reversed([child for child in p if child.tag != W + 'pPr']):
        following.insert(at, child)
    p.getparent().remove(p)
    return True


def bold(root, rng):
    found = [run for run in root.iter(W + 'r') if run.find(W + 't') is not None]
    if not found:
        return False
    run = rng.choice(found)
    properties = run.find(W + 'rPr')
    if properties is None:
        properties = etree.Element(W + 'rPr')
        run.insert(0, properties)
    known = properties.find(W + 'b')
    if known is not None:
        properties.remove(known)
        return True
    style = properties.find(W + 'rStyle')
    fonts = properties.find(W + 'rFonts')
    properties.insert((style is not None) + (fonts is not None), etree.Element(W + 'b'))
    return True


def centred(root, rng):
    found = [p for p in blocks(root) if p.find(W + 'pPr') is None]
    if not found:
        return False
    properties = etree.Element(W + 'pPr')
    etree.SubElement(properties, W + 'jc').set(W + 'val', rng.choice(['center', 'right', 'both']))
    rng.choice(found).insert(0, properties)
    return True


def simple_tables(root):
    return [t for t in root.iter(W + 'tbl') if not holds(t, 'gridSpan', 'vMerge', 'sdt', 'bookmarkStart', 'fldChar', 'footnoteReference',
                                                         'commentReference') and len(t.findall(W + 'tr')) > 1]


def row_inserted(root, rng):
    found = simple_tables(root)
    if not found:
        return False
    row = rng.choice(rng.choice(found).findall(W + 'tr'))
    new = copy.deepcopy(row)
    for node in texts(new):
        set_text(node, rng.choice(WORDS))
    row.addnext(new)
    return True


def row_deleted(root, rng):
    found = simple_tables(root)
    if not found:
        return False
    row = rng.choice(rng.choice(found).findall(W + 'tr'))
    row.getparent().remove(row)
    return True


def column(root, rng, comes):
    found = [t for t in simple_tables(root) if len({len(row.findall(W + 'tc')) for row in t.findall(W + 'tr')}) == 1
             and t.find(W + 'tblGrid') is not None]
    found = [t for t in found if len(t.find(W + 'tr').findall(W + 'tc')) > 1
             and len(t.find(W + 'tblGrid').findall(W + 'gridCol')) == len(t.find(W + 'tr').findall(W + 'tc'))]
    if not found:
        return False
    table = rng.choice(found)
    at = rng.randrange(len(table.find(W + 'tr').findall(W + 'tc')))
    for owner, kind in [(table.find(W + 'tblGrid'), 'gridCol')] + [(row, 'tc') for row in table.findall(W + 'tr')]:
        cell = owner.findall(W + kind)[at]
        if comes:
            new = copy.deepcopy(cell)
            for node in texts(new):
                set_text(node, rng.choice(WORDS))
            cell.addnext(new)
        else:
            owner.remove(cell)
    return True


def column_inserted(root, rng):
    return column(root, rng, True)


def column_deleted(root, rng):
    return column(root, rng, False)


def table_inserted(root, rng):
    found = simple_tables(root)
    places = [p for p in blocks(root) if p.getparent().tag == W + 'body']
    if not found or not places:
        return False
    new = copy.deepcopy(rng.choice(found))
    place = rng.choice(places)
    place.addprevious(new)
    new.addnext(paragraph(rng))
    return True


def margins(root, rng):
    found = [node for node in root.iter(W + 'pgMar') if node.get(W + 'top')]
    if not found:
        return False
    rng.choice(found).set(W + 'top', str(rng.choice([720, 1000, 1440, 2000])))
    return True


def field_changed(root, rng):
    found = [node for node in root.iter(W + 'instrText') if (node.text or '').strip().startswith(('DATE', 'PAGE', 'REF', 'SEQ'))]
    if not found:
        return False
    node = rng.choice(found)
    set_text(node, node.text.rstrip() + ' \\* MERGEFORMAT ')
    return True


def picture_deleted(root, rng):
    found = [node for node in root.iter(W + 'drawing') if node.getparent().tag == W + 'r']
    if not found:
        return False
    node = rng.choice(found)
    node.getparent().remove(node)
    return True


def list_level(root, rng):
    found = list(root.iter(W + 'ilvl'))
    if not found:
        return False
    node = rng.choice(found)
    node.set(W + 'val', '1' if node.get(W + 'val') == '0' else '0')
    return True


def note_mark_deleted(root, rng):
    found = [node for node in root.iter(W + 'footnoteReference', W + 'endnoteReference')]
    if not found:
        return False
    run = rng.choice(found).getparent()
    run.getparent().remove(run)
    return True


def control_text(root, rng):
    found = [node for sdt in root.iter(W + 'sdt') for node in texts(sdt)]
    if not found:
        return False
    set_text(rng.choice(found), rng.choice(WORDS) + ' ' + rng.choice(WORDS))
    return True


def control_gone(root, rng):
    found = [sdt for sdt in root.iter(W + 'sdt') if sdt.getparent().tag == W + 'p' and sdt.find(W + 'sdtContent') is not None]
    if not found:
        return False
    sdt = rng.choice(found)
    sdt.getparent().remove(sdt)
    return True


EDITS = [word_replaced, word_inserted, word_deleted, paragraph_inserted, paragraph_deleted, paragraph_moved, paragraph_moved_and_edited,
         paragraph_split, paragraphs_joined, bold, centred, row_inserted, row_deleted, column_inserted, column_deleted, table_inserted,
         margins, field_changed, picture_deleted, list_level, note_mark_deleted, control_text, control_gone]


def edited(package, rng):
    """Up to eight changes; gives their names."""
    done = []
    for _ in range(rng.randint(1, 8)):
        stories = package.stories()
        story = 'word/document.xml' if rng.random() < 0.75 else rng.choice(stories)
        edit = rng.choice(EDITS)
        if edit(package.tree(story), rng):
            done.append('%s in %s' % (edit.__name__, story[5:-4]))
    return done


def resaved(package, rng):
    """What another program makes of the file: nothing that a reader sees."""
    styles = {}
    if 'word/styles.xml' in package.parts:
        for node in package.tree('word/styles.xml').iter(W + 'style'):
            if node.get(W + 'styleId') and node.find(W + 'name') is not None:
                styles[node.get(W + 'styleId')] = 'St%d' % (len(styles) + 1)
                node.set(W + 'styleId', styles[node.get(W + 'styleId')])
    lists = {}
    if 'word/numbering.xml' in package.parts:
        root = package.tree('word/numbering.xml')
        nums = root.findall(W + 'num')
        ids = list(range(100, 100 + len(nums)))
        rng.shuffle(ids)
        for node, number in zip(nums, ids):
            lists[node.get(W + 'numId')] = str(number)
            node.set(W + 'numId', str(number))
        for node in root.iter(W + 'nsid', W + 'tmpl'):
            node.set(W + 'val', '%08X' % rng.randrange(1, 2 ** 31))
        for node in root.iter(W + 'lvl'):
            node.attrib.pop(W + 'tplc', None)
    notes = {}
    for kind in ('footnote', 'endnote'):
        part = 'word/%ss.xml' % kind
        if part in package.parts:
            for node in package.tree(part).findall(W + kind):
                if node.get(W + 'type') in (None, 'normal'):
                    notes[kind, node.get(W + 'id')] = str(500 + len(notes))
                    node.set(W + 'id', notes[kind, node.get(W + 'id')])
    for name in [name for name in package.names if name.startswith('word/') and name.endswith('.xml') and name.count('/') == 1]:
        root = package.tree(name)
        for node in root.iter():
            if not isinstance(node.tag, str):
                continue
            for key in list(node.attrib):
                if key.startswith(W + 'rsid'):
                    node.set(key, '%08X' % rng.randrange(2 ** 31))
            if node.tag in (W + 'pStyle', W + 'rStyle', W + 'tblStyle', W + 'basedOn', W + 'next', W + 'link', W + 'styleLink', W + 'numStyleLink'):
                node.set(W + 'val', styles.get(node.get(W + 'val'), node.get(W + 'val')))
            if node.tag == W + 'numId' and node.getparent().tag == W + 'numPr':
                node.set(W + 'val', lists.get(node.get(W + 'val'), node.get(W + 'val')))
            for kind in ('footnote', 'endnote'):
                if node.tag == W + kind + 'Reference':
                    node.set(W + 'id', notes.get((kind, node.get(W + 'id')), node.get(W + 'id')))
    for name in package.stories():
        for run in list(package.tree(name).iter(W + 'r')):
            children = [child for child in run if child.tag != W + 'rPr']
            if len(children) != 1 or children[0].tag != W + 't' or len(children[0].text or '') < 2 or rng.random() < 0.5:
                continue
            text = children[0].text
            if children[0].get(SPACE) != 'preserve':
                text = text.strip(' \t\r\n')
            if len(text) < 2:
                continue
            at = rng.randrange(1, len(text))
            second = copy.deepcopy(run)
            set_text(children[0], text[:at])
            set_text(second.find(W + 't'), text[at:])
            run.addnext(second)


def rows(listing):
    with open(listing, newline='') as file:
        yield from (row['path'] for row in csv.DictReader(file) if row['status'] == 'ok')


def make(arguments):
    paths = sorted(rows(arguments.documents))
    os.makedirs(arguments.out, exist_ok=True)
    made = number = 0
    with open(os.path.join(arguments.out, 'pairs.tsv'), 'w') as listing, open(os.path.join(arguments.out, 'edits.tsv'), 'w') as notes:
        while made < arguments.count and number < 20 * arguments.count:
            rng = random.Random('%d %d' % (arguments.seed, number))
            number += 1
            path = paths[(number - 1) % len(paths)] if arguments.kind == 'resaved' else rng.choice(paths)
            if arguments.kind == 'resaved' and number > len(paths):
                break
            with open(os.path.join(arguments.root, path), 'rb') as file:
                source = file.read()
            try:
                before, after = Package(source), Package(source)
                if not before.is_plain():
                    continue
                done = []
                if arguments.kind != 'resaved':
                    done = edited(after, rng)
                    if not done:
                        continue
                if arguments.kind != 'edits':
                    resaved(after, rng)
                pair = [source, after.bytes()]
            except (etree.XMLSyntaxError, KeyError, zipfile.BadZipFile):
                continue
            if arguments.kind == 'edits' and rng.random() < 0.3:
                pair.reverse()
            name = 'M%05d' % number
            files = [os.path.abspath(os.path.join(arguments.out, '%s.%s.docx' % (name, side))) for side in ('before', 'after')]
            for file, data in zip(files, pair):
                with open(file, 'wb') as out:
                    out.write(data)
            listing.write('\t'.join([name] + files) + '\n')
            notes.write('%s\t%s\t%s\n' % (name, path, '; '.join(done)))
            made += 1
    print('%d pairs in %s' % (made, arguments.out))


def noise(arguments):
    total = noisy = 0
    with open(os.path.join(arguments.out, 'pairs.tsv')) as listing:
        names = [line.split('\t')[0] for line in listing]
    for name in names:
        path = os.path.join(arguments.redlines, name + '.docx')
        if not os.path.exists(path):
            print('%s: no redline' % name)
            continue
        with open(path, 'rb') as file:
            package = Package(file.read())
        found = [node.tag[len(W):] for story in package.stories() for node in package.tree(story).iter() if node.tag in REVISED]
        total += 1
        if found:
            noisy += 1
            print('%s: %d changes where nothing differs: %s' % (name, len(found), ', '.join(sorted(set(found)))))
    print('%d redlines of the same text, %d with changes' % (total, noisy))
    return 1 if noisy else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', choices=['make', 'noise'])
    for name in ('documents', 'root', 'out', 'redlines'):
        parser.add_argument('--' + name)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--kind', choices=['edits', 'resaved', 'both'], default='edits')
    arguments = parser.parse_args()
    return make(arguments) if arguments.what == 'make' else noise(arguments)


if __name__ == '__main__':
    sys.exit(main())
