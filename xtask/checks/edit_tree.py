"""The main part of a document as paragraphs and characters, and direct edits on its XML tree.

This is the independent model that the engine is judged against: it must never call the engine, and it shares no code with
it. With `Tracked` the same edits are written as revisions instead, for the self-test only.
Read next: edit_plan.py, which chooses the edits."""
import copy
import posixpath
import re
from dataclasses import dataclass, field

from lxml import etree

import zip_entries
from edit_kinds import Changes

TRANSITIONAL = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main'
MC = '{http://schemas.openxmlformats.org/markup-compatibility/2006}'
W14 = '{http://schemas.microsoft.com/office/word/2010/wordml}'
SPACE = '{http://www.w3.org/XML/1998/namespace}space'
OBJECT = '\ufffc'               # anything in a paragraph that is not text
GONE = ('del', 'moveFrom')      # not part of the accepted view
BLOCKS = ('p', 'tbl', 'sdt', 'customXml')
RANGE_MARKERS = ('bookmarkStart', 'bookmarkEnd', 'commentRangeStart', 'commentRangeEnd', 'permStart', 'permEnd',
                 'moveFromRangeStart', 'moveFromRangeEnd', 'moveToRangeStart', 'moveToRangeEnd')
REFERENCE_STYLES = {'footnotereference', 'endnotereference', 'commentreference', 'hyperlink'}


@dataclass
class Character:
    """One character of the accepted view."""
    text: str
    kind: str           # plain, link (a HYPERLINK field's result), field, locked, moved, skip, object
    element: object = None      # its w:t, or None
    offset: int = 0             # within the visible text of that w:t
    run: object = None
    look: str = ''              # its run properties, as far as they show


@dataclass
class Paragraph:
    number: int
    element: object
    characters: list = field(default_factory=list)
    starts_in_field: bool = False
    ends_in_field: bool = False
    crossing_field: bool = False        # holds one end of a complex field whose other end is in another paragraph
    code_text: bool = False             # holds w:t inside a field code
    dead: bool = False                  # in a row or cell that a pending revision deletes
    locked: bool = False                # in a block content control that may not be edited

    def text(self):
        return ''.join(c.text for c in self.characters)


@dataclass
class Tracked:
    """Write revisions instead of the plain result."""
    author: str
    date: str
    next_id: int = 900000

    def mark(self, tree, name):
        self.next_id += 1
        return etree.Element(tree.w(name), {tree.w('id'): str(self.next_id), tree.w('author'): self.author, tree.w('date'): self.date})


class Tree(Changes):
    """word/document.xml (or whatever the package calls its main part) of one document."""

    def __init__(self, data):
        self.data = data
        self.entries = {e.text().lstrip('/'): e for e in zip_entries.read(data)}
        self.main = self._main_part()
        source = self.entries[self.main].content()
        parser = etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True)
        self.root = etree.fromstring(source, parser)
        self.prefix = '{%s}' % (STRICT if self.root.tag.startswith('{' + STRICT) else TRANSITIONAL)
        self.source_text = source.decode('utf-8', 'replace').lower()
        self.body = self.root.find(self.w('body'))
        self.paragraphs = []
        self._fields = []
        self._styles = self._levels = None
        self.others = {}            # roots of other parts, as far as they were asked for
        self.changed_parts = set()
        if self.body is not None:
            self._read()

    def w(self, name):
        return self.prefix + name

    def local(self, element):
        """Name without the main namespace; None for anything else."""
        tag = element.tag
        return tag[len(self.prefix):] if isinstance(tag, str) and tag.startswith(self.prefix) else None

    def package(self, around=None):
        """The document with this tree as its main part, and the other parts that were changed; every other entry is copied
        as it is, or as it is in the package `around`."""
        def content(root):
            return etree.tostring(root.getroottree(), xml_declaration=True, encoding='UTF-8', standalone=True)
        data = zip_entries.replaced(around or self.data, self.main, content(self.root))
        for part in sorted(self.changed_parts):
            data = zip_entries.replaced(data, part, content(self.others[part]))
        return data

    def _main_part(self):
        root = etree.fromstring(self.entries['_rels/.rels'].content())
        for relation in root:
            if isinstance(relation.tag, str) and relation.get('Type', '').endswith('/officeDocument'):
                wanted = posixpath.normpath(relation.get('Target').lstrip('/'))
                return next((n for n in self.entries if n.lower() == wanted.lower()), wanted)
        raise KeyError('no main part')

    # ------------------------------------------------------------ reading
    def _read(self):
        for element in self.body.iter(self.w('p')):
            ancestors = list(element.iterancestors())
            if any(a.tag in (self.w('txbxContent'), MC + 'Fallback') for a in ancestors):
                continue
            paragraph = Paragraph(len(self.paragraphs) + 1, element)
            paragraph.dead = any(self._deleted_box(a) for a in ancestors)
            paragraph.locked = any(self.restricted(a) for a in ancestors if a.tag == self.w('sdt'))
            self.paragraphs.append(paragraph)
            paragraph.starts_in_field = bool(self._fields)
            odd = any(self.placeholder(a) for a in ancestors if a.tag == self.w('sdt'))
            self._inline(element, paragraph, 'locked' if paragraph.locked else 'skip' if odd else 'plain')
            if any(f['paragraph'] is paragraph for f in self._fields):
                paragraph.crossing_field = True
            paragraph.ends_in_field = bool(self._fields)

    def _deleted_box(self, element):
        name = self.local(element)
        if name == 'tr':
            return element.find('%s/%s' % (self.w('trPr'), self.w('del'))) is not None
        if name == 'tc':
            return element.find('%s/%s' % (self.w('tcPr'), self.w('cellDel'))) is not None
        return False

    def restricted(self, control):
        """A content control whose text may not be edited freely."""
        properties = control.find(self.w('sdtPr'))
        if properties is None:
            return False
        for child in properties:
            name = self.local(child)
            if name == 'lock' and child.get(self.w('val')) in ('contentLocked', 'sdtContentLocked'):
                return True
            if name in ('dataBinding', 'dropDownList', 'comboBox', 'date', 'picture', 'citation', 'equation'):
                return True
            if isinstance(child.tag, str) and child.tag.endswith(('}checkbox', '}dataBinding')):
                return True
        return False

    def placeholder(self, control):
        """A content control whose text is not simply its own: what an edit means there is not for this model to say."""
        properties = control.find(self.w('sdtPr'))
        names = {self.local(c) for c in properties} if properties is not None else set()
        return bool(names & {'showingPlcHdr', 'group', 'picture', 'citation', 'bibliography', 'equation'})

    def _inline(self, parent, paragraph, kind):
        for element in parent:
            name = self.local(element)
            if name == 'r':
                self._run(element, paragraph, kind)
            elif name in ('pPr', 'sdtPr', 'sdtEndPr', 'proofErr', 'smartTagPr', 'customXmlPr') + RANGE_MARKERS or name in GONE:
                continue
            elif name in ('hyperlink', 'ins', 'sdtContent', 'smartTag', 'customXml'):
                self._inline(element, paragraph, kind)
            elif name == 'sdt':
                now = 'locked' if self.restricted(element) else 'skip' if self.placeholder(element) else kind
                self._inline(element, paragraph, now if kind == 'plain' else kind)
            elif name == 'moveTo':
                self._inline(element, paragraph, 'moved' if kind == 'plain' else 'skip')
            elif name == 'fldSimple':
                self._inline(element, paragraph, 'field' if kind == 'plain' else 'skip')
            elif name in ('dir', 'bdo'):
                self._inline(element, paragraph, 'skip')
            elif isinstance(element.tag, str):
                paragraph.characters.append(Character(OBJECT, 'object'))

    def _run(self, run, paragraph, kind):
        look = self.look(run.find(self.w('rPr')))
        for element in run:
            name = self.local(element)
            if name in ('rPr', 'lastRenderedPageBreak', 'delText', 'delInstrText'):
                continue
            if name == 't':
                now = self._field_kind(kind, paragraph)
                for offset, letter in enumerate(self.visible(element)):
                    paragraph.characters.append(Character(letter, now, element, offset, run, look))
            elif name in ('tab', 'br', 'cr', 'noBreakHyphen', 'softHyphen'):
                letter = {'tab': '\t', 'noBreakHyphen': '\u2011', 'softHyphen': '\u00ad'}.get(name, '\n')
                if name == 'br' and element.get(self.w('type')) == 'page':
                    letter = '\f'
                paragraph.characters.append(Character(letter, self._field_kind(kind, paragraph), None, 0, run, look))
            elif name == 'instrText':
                if self._fields:
                    self._fields[-1]['code'] += element.text or ''
            elif name == 'fldChar':
                self._field_character(element, paragraph)
                paragraph.characters.append(Character(OBJECT, 'object'))
            elif isinstance(element.tag, str):
                paragraph.characters.append(Character(OBJECT, 'object'))

    def _field_character(self, element, paragraph):
        kind = element.get(self.w('fldCharType'))
        if kind == 'begin':
            self._fields.append({'code': '', 'result': False, 'paragraph': paragraph})
        elif kind == 'separate' and self._fields:
            self._fields[-1]['result'] = True
            if self._fields[-1]['paragraph'] is not paragraph:
                paragraph.crossing_field = True
        elif kind == 'end':
            if not self._fields:
                paragraph.crossing_field = True
            elif self._fields.pop()['paragraph'] is not paragraph:
                paragraph.crossing_field = True

    def _field_kind(self, kind, paragraph):
        if not self._fields:
            return kind
        if not all(f['result'] for f in self._fields):
            paragraph.code_text = True
            return 'skip'
        if kind != 'plain':
            return 'skip'
        codes = [f['code'].strip().upper() for f in self._fields]
        return 'link' if all(c.startswith('HYPERLINK') for c in codes) else 'field'

    def visible(self, element):
        """Text of a w:t; the ends are trimmed unless xml:space="preserve" is in force."""
        text, at = element.text or '', element
        while at is not None and at.get(SPACE) is None:
            at = at.getparent()
        return text if at is not None and at.get(SPACE) == 'preserve' else text.strip(' \t\r\n')

    def look(self, properties):
        if properties is None:
            return ''
        kept = [c for c in self.properties(properties) if self.local(c) not in ('lang', 'noProof')]
        return b''.join(sorted(etree.tostring(c, method='c14n', exclusive=True) for c in kept)).decode()

    def properties(self, properties):
        """Run properties without the marks of revisions."""
        drop = {self.w(n) for n in ('rPrChange', 'ins', 'del', 'moveFrom', 'moveTo')}
        return [copy.deepcopy(c) for c in properties if c.tag not in drop] if properties is not None else []

    # ------------------------------------------------------------ edits
    def apply(self, operation, tracked=None):
        """One planned operation (see edit_plan.py for its fields)."""
        paragraph = self.paragraphs[operation['paragraph'] - 1]
        if self.apply_kind(operation):
            return
        if operation['kind'] == 'text':
            self.edit_text(paragraph, operation['start'], operation['end'], operation['put'], tracked)
        elif operation['kind'] == 'insert':
            self.insert_paragraph(paragraph, operation['where'], operation['put'], tracked)
        elif operation['kind'] == 'look':
            self.change_look(paragraph, operation['start'], operation['end'], operation['bold'])
        elif operation['kind'] == 'paragraph_look':
            self.center(paragraph)
        elif operation['kind'] in ('comment', 'navigate'):
            pass
        elif operation['kind'] == 'row_delete':
            row = next(a for a in paragraph.element.iterancestors() if self.local(a) == 'tr')
            row.getparent().remove(row)
        elif operation['kind'] == 'row_add':
            self.add_row(paragraph, operation['put'])
        elif operation['kind'] == 'move':
            self.paragraphs[operation['to'] - 1].element.addnext(paragraph.element)
        else:
            self.delete_paragraph(paragraph, tracked)

    def edit_text(self, paragraph, start, end, put, tracked=None):
        """Characters start..end of the accepted view become `put`.

        Rule: what replaces deleted text takes the run properties of the FIRST deleted character; a pure insertion takes
        those of the character before it."""
        characters = paragraph.characters
        anchor = characters[start] if end > start else characters[start - 1]
        gone = {}
        for character in characters[start:end]:
            gone.setdefault(id(character.element), (character.element, []))[1].append(character.offset)
        new_run = etree.Element(self.w('r'))
        own = self.properties(anchor.run.find(self.w('rPr')))
        if own:
            etree.SubElement(new_run, self.w('rPr')).extend(own)
        self._text(etree.SubElement(new_run, self.w('t')), put)
        cuts = [(element, min(offsets), max(offsets) + 1) for element, offsets in gone.values()]
        at = anchor.offset if end > start else anchor.offset + 1
        # Later elements first, so that the anchor's own run is still whole when it is split.
        for element, first, last in reversed(cuts if not put else [c for c in cuts if c[0] is not anchor.element]):
            self._cut(element, first, last, tracked)
        if put:
            last = next((c[2] for c in cuts if c[0] is anchor.element), at)
            before, middle, after = self._split(anchor.element, at, last)
            place = middle if middle is not None else after
            holder = new_run
            if tracked is not None:
                holder = tracked.mark(self, 'ins')
                holder.append(new_run)
            before.addnext(holder) if before is not None else place.addprevious(holder)
            if tracked is not None and holder.getparent().tag == self.w('ins'):
                self._lift(holder, tracked)
            if middle is not None:
                self._drop_run(middle, tracked)

    def change_look(self, paragraph, start, end, bold):
        """Characters start..end, which one w:t holds, become bold or green."""
        some = paragraph.characters[start:end]
        _, run, _ = self._split(some[0].element, some[0].offset, some[-1].offset + 1)
        properties = run.find(self.w('rPr'))
        if properties is None:
            properties = etree.Element(self.w('rPr'))
            run.insert(0, properties)
        if bold:
            etree.SubElement(properties, self.w('b'))
        else:
            etree.SubElement(properties, self.w('highlight')).set(self.w('val'), 'green')

    def center(self, paragraph):
        properties = paragraph.element.find(self.w('pPr'))
        if properties is None:
            properties = etree.Element(self.w('pPr'))
            paragraph.element.insert(0, properties)
        etree.SubElement(properties, self.w('jc')).set(self.w('val'), 'center')

    def add_row(self, paragraph, texts):
        """Rule: a new row behind another has its row and cell properties, and of each cell the first paragraph's
        properties and the look of its first run; it is no head and continues no merge."""
        row = next(a for a in paragraph.element.iterancestors() if self.local(a) == 'tr')
        new = etree.Element(self.w('tr'))
        properties = row.find(self.w('trPr'))
        if properties is not None:
            properties = copy.deepcopy(properties)
            for child in [c for c in properties if self.local(c) in ('tblHeader', 'trPrChange')]:
                properties.remove(child)
            new.append(properties)
        for cell, put in zip(row.findall(self.w('tc')), texts):
            made = etree.SubElement(new, self.w('tc'))
            properties = cell.find(self.w('tcPr'))
            if properties is not None:
                properties = copy.deepcopy(properties)
                for child in properties.findall(self.w('tcPrChange')):
                    properties.remove(child)
                made.append(properties)
            first = cell.find(self.w('p'))
            block = etree.SubElement(made, self.w('p'))
            properties = first.find(self.w('pPr'))
            if properties is not None:
                properties = copy.deepcopy(properties)
                for name in ('sectPr', 'pPrChange'):
                    for child in properties.findall(self.w(name)):
                        properties.remove(child)
                block.append(properties)
            run = etree.SubElement(block, self.w('r'))
            like = next(first.iter(self.w('r')), None)
            own = self.properties(like.find(self.w('rPr'))) if like is not None else []
            if own:
                etree.SubElement(run, self.w('rPr')).extend(own)
            self._text(etree.SubElement(run, self.w('t')), put)
        row.addnext(new)

    def _lift(self, holder, tracked):
        """Takes a revision of ours out of another author's insertion, which is split around it."""
        outer = holder.getparent()
        rest = list(outer)[outer.index(holder) + 1:]
        if rest:
            second = etree.Element(outer.tag, dict(outer.attrib))
            tracked.next_id += 1
            second.set(self.w('id'), str(tracked.next_id))
            second.extend(rest)
            outer.addnext(second)
        outer.addnext(holder)
        if not len(outer):
            outer.getparent().remove(outer)

    def _cut(self, element, first, last, tracked):
        _, middle, _ = self._split(element, first, last)
        self._drop_run(middle, tracked)

    def _drop_run(self, run, tracked):
        if tracked is None:
            run.getparent().remove(run)
            return
        mark = tracked.mark(self, 'del')
        run.addprevious(mark)
        mark.append(run)
        for text in list(run.iter(self.w('t'))):
            if not any(a.tag == self.w('txbxContent') for a in text.iterancestors()):
                text.tag = self.w('delText')
        for code in list(run.iter(self.w('instrText'))):
            code.tag = self.w('delInstrText')

    def _split(self, element, first, last):
        """Splits the run around characters first..last of one w:t: (run before, run with just them, run after), None where empty."""
        run, text = element.getparent(), self.visible(element)
        index = run.index(element)
        pieces = []
        for part in (0, 1, 2):
            piece = etree.Element(self.w('r'), dict(run.attrib))
            properties = run.find(self.w('rPr'))
            if properties is not None:
                piece.append(copy.deepcopy(properties))
            own = (text[:first], text[first:last], text[last:])[part]
            children = [c for c in run if c is not properties]
            if part == 0:
                piece.extend([c for c in children if run.index(c) < index])
            if own:
                self._text(etree.SubElement(piece, self.w('t')), own)
            pieces.append(piece)
            if part == 0:
                index = run.index(element)
            if part == 2:
                piece.extend([c for c in run if c is not properties and run.index(c) > index])
        kept = [p if len([c for c in p if c.tag != self.w('rPr')]) else None for p in pieces]
        for piece in kept:
            if piece is not None:
                run.addprevious(piece)
        parent = run.getparent()
        parent.remove(run)
        return kept

    def _text(self, element, text):
        element.text = text
        if text != text.strip():
            element.set(SPACE, 'preserve')

    def insert_paragraph(self, reference, where, put, tracked=None):
        """A new paragraph before or after the reference.

        Rule: paragraph properties are those of the reference (numbering too) without section break, marks and
        pPrChange; run properties come from `run_properties_for_new_paragraph`."""
        new = etree.Element(self.w('p'))
        properties = reference.element.find(self.w('pPr'))
        follower = self.follower_of_heading(reference) if where == 'after' else None
        if follower is not None:
            properties = etree.SubElement(new, self.w('pPr'))
            etree.SubElement(properties, self.w('pStyle')).set(self.w('val'), follower)
        elif properties is not None:
            properties = copy.deepcopy(properties)
            for name in ('sectPr', 'pPrChange'):
                for child in properties.findall(self.w(name)):
                    properties.remove(child)
            mark = properties.find(self.w('rPr'))
            if mark is not None:
                mark[:] = self.properties(mark)
            new.append(properties)
        own = self.run_properties_for_new_paragraph(reference) if follower is None else []
        run = etree.Element(self.w('r'))
        if own:
            etree.SubElement(run, self.w('rPr')).extend(own)
        self._text(etree.SubElement(run, self.w('t')), put)
        if tracked is None:
            new.append(run)
        else:
            self._mark_paragraph(new, tracked.mark(self, 'ins'))
            wrapper = tracked.mark(self, 'ins')
            wrapper.append(run)
            new.append(wrapper)
        if where == 'after':
            reference.element.addnext(new)
        else:
            reference.element.addprevious(new)

    def run_properties_for_new_paragraph(self, reference):
        """Rule: the look that most of the reference's text has, of equals the first; looks with a reference style do
        not count. Those of the paragraph mark when it has no text."""
        weights, seen_text = {}, False
        for character in reference.characters:
            if character.element is None:
                continue
            seen_text = True
            properties = character.run.find(self.w('rPr'))
            style = properties.find(self.w('rStyle')) if properties is not None else None
            if style is not None and style.get(self.w('val'), '').lower().replace(' ', '') in REFERENCE_STYLES:
                continue
            own = self.properties(properties)
            key = b''.join(etree.tostring(e, method='c14n') for e in own)
            count, _ = weights.get(key, (0, None))
            weights[key] = (count + len(character.text.encode()), own)
        if weights:
            best = max(weights.values(), key=lambda entry: entry[0])
            return copy.deepcopy(best[1])
        if seen_text:
            return []
        return self.properties(reference.element.find('%s/%s' % (self.w('pPr'), self.w('rPr'))))

    def follower_of_heading(self, reference):
        """Rule: behind a heading (outline level, or named "heading N") goes the style that it names as next, if that
        is another paragraph style; its paragraph has that style and nothing else."""
        styles = self.styles()
        style = reference.element.find('%s/%s' % (self.w('pPr'), self.w('pStyle')))
        own = style.get(self.w('val')) if style is not None else None
        if own not in styles:
            own = next((i for i, e in styles.items() if e.get(self.w('type')) == 'paragraph' and e.get(self.w('default')) in ('1', 'true', 'on')), None)
        chain, at = [], own
        while at in styles and len(chain) < 32 and styles[at] not in chain:
            chain.append(styles[at])
            based = styles[at].find(self.w('basedOn'))
            at = based.get(self.w('val')) if based is not None else None
        level = None
        for element in chain:
            outline = element.find('%s/%s' % (self.w('pPr'), self.w('outlineLvl')))
            name = element.find(self.w('name'))
            heading = re.fullmatch(r'heading([1-9])', (name.get(self.w('val'), '') if name is not None else '').lower().replace(' ', ''))
            if outline is not None:
                level = int(outline.get(self.w('val'), '9'))
            elif heading:
                level = int(heading.group(1)) - 1
            if level is not None:
                break
        if level is None or level > 8:
            return None
        for element in chain:
            following = element.find(self.w('next'))
            if following is not None:
                found = following.get(self.w('val'))
                if found != own and found in styles and styles[found].get(self.w('type'), 'paragraph') == 'paragraph':
                    return found
                return None
        return None

    def styles(self):
        """The style elements by id."""
        if self._styles is None:
            self._styles = {}
            folder, name = posixpath.split(self.main)
            relations = self.entries.get(posixpath.join(folder, '_rels', name + '.rels'))
            for relation in etree.fromstring(relations.content()) if relations is not None else ():
                if not isinstance(relation.tag, str) or not relation.get('Type', '').endswith('/styles'):
                    continue
                target = relation.get('Target')
                part = self.entries.get(target.lstrip('/') if target.startswith('/') else posixpath.normpath(posixpath.join(folder, target)))
                if part is not None:
                    for element in etree.fromstring(part.content()).findall(self.w('style')):
                        self._styles.setdefault(element.get(self.w('styleId')), element)
        return self._styles

    def mark_stays(self, element):
        """Rule: the only block of its container, and the last one after a table or after a border that somebody else's
        revision deletes, lose their content but keep their mark."""
        before, after = self.neighbours(element)
        previous = next((e for e in element.itersiblings(preceding=True) if self.local(e) in BLOCKS), None)
        mark = previous.find('%s/%s' % (self.w('pPr'), self.w('rPr'))) if previous is not None else None
        gone = mark is not None and any(mark.find(self.w(name)) is not None for name in GONE)
        return after is None and (before in (None, 'tbl') or gone)

    def neighbours(self, element):
        """Names of the blocks before and after in the same container; None at its edge."""
        def first(siblings):
            return next((self.local(e) for e in siblings if self.local(e) in BLOCKS), None)
        return first(element.itersiblings(preceding=True)), first(element.itersiblings())

    def delete_paragraph(self, paragraph, tracked=None):
        """The whole paragraph goes, unless its mark has to stay; range markers are left where they were."""
        element = paragraph.element
        stays = self.mark_stays(element)
        if tracked is not None:
            for run in [r for r in element.iter(self.w('r')) if self._own_run(r, element)]:
                self._drop_run(run, tracked)
            if not stays:
                self._mark_paragraph(element, tracked.mark(self, 'del'))
            return
        markers = [e for e in element.iter() if self.local(e) in RANGE_MARKERS and self._own_run(e, element)]
        if stays:
            properties = element.find(self.w('pPr'))
            element[:] = ([properties] if properties is not None else []) + markers
            return
        for marker in markers:
            element.addprevious(marker)
        element.getparent().remove(element)

    def _own_run(self, node, paragraph):
        for ancestor in node.iterancestors():
            if ancestor is paragraph:
                return True
            if ancestor.tag in (self.w('txbxContent'), self.w('r')) or self.local(ancestor) in GONE:
                return False
        return False

    def _mark_paragraph(self, element, mark):
        properties = element.find(self.w('pPr'))
        if properties is None:
            properties = etree.Element(self.w('pPr'))
            element.insert(0, properties)
        own = properties.find(self.w('rPr'))
        if own is None:
            own = etree.Element(self.w('rPr'))
            later = [c for c in properties if self.local(c) in ('sectPr', 'pPrChange')]
            later[0].addprevious(own) if later else properties.append(own)
        existing = [c for c in own if self.local(c) == 'ins']
        existing[-1].addnext(mark) if existing else own.insert(0, mark)


def wanted(data, operations, skip=frozenset(), tracked=None, around=None):
    """The document after the planned operations, without those whose index is in `skip`; `around`: see `package`."""
    tree = Tree(data)
    for operation in operations:
        if operation['index'] not in skip:
            tree.apply(operation, tracked)
    return tree.package(around)

