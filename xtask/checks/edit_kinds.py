"""Operations of the other kinds: whole paragraphs, lists, tables, notes, comments; how they are chosen and what they come to.

Like edit_plan.py and edit_tree.py it must never call the engine. An operation is chosen only where its outcome follows from
the documented rules; every place is one where a paragraph has text of one look and nothing else, so that it does not matter
which of its words an engine keeps. Read next: edit_model.py (judge)."""
import copy
import posixpath

from lxml import etree

COMMENT_PARTS = ('comments', 'commentsExtended', 'commentsIds', 'people')


class Kinds:
    """A part of `Planner`: makers of operations. Each gives a planned operation, or None."""

    def makers_of_kinds(self):
        return (self.whole, self.added_text, self.replaced_by_two, self.two_by_one, self.table_for, self.item, self.new_list,
                self.headers, self.section_header, self.cell, self.column, self.note, self.reply, self.comment_gone, self.restored,
                self.found)

    def planned(self, paragraph, kind, op, **fields):
        return {'op': op, 'expect': fields.pop('expect', 'applied'), 'class': kind, 'paragraph': paragraph.number, 'kind': kind, **fields}

    # ------------------------------------------------------------ places
    def uniform(self, paragraph):
        """Text of one look in runs of the paragraph itself, and nothing else but marks of ranges."""
        tree, characters = self.tree, paragraph.characters
        if not characters or paragraph.code_text or paragraph.starts_in_field or paragraph.ends_in_field:
            return False
        if not all(c.kind == 'plain' and c.element is not None and c.look == characters[0].look for c in characters):
            return False
        if not all(tree.local(c) in ('pPr', 'r', 'proofErr', 'bookmarkStart', 'bookmarkEnd') for c in paragraph.element):
            return False
        if not all(tree.local(c) in ('rPr', 't', 'lastRenderedPageBreak') for r in paragraph.element.findall(tree.w('r')) for c in r):
            return False
        if paragraph.text() != paragraph.text().strip() or any(tree.local(e) in ('rPrChange', 'pPrChange') for e in paragraph.element.iter()):
            return False
        style = paragraph.characters[0].run.find('%s/%s' % (tree.w('rPr'), tree.w('rStyle')))
        return style is None

    def free(self, paragraph):
        return self.simple_place(paragraph) and self.apart(paragraph) and self.quiet(paragraph) and self.uniform(paragraph)

    def between_paragraphs(self, paragraph):
        tree, element = self.tree, paragraph.element
        return tree.local(element.getnext()) == 'p' and element.getprevious() is not None and tree.local(element.getprevious()) == 'p' \
            if element.getnext() is not None else False

    def no_section(self, paragraph):
        return paragraph.element.find('%s/%s' % (self.tree.w('pPr'), self.tree.w('sectPr'))) is None

    def words(self, least=2, most=6):
        return ' '.join(self.fresh() for _ in range(self.random.randint(least, most)))

    def number(self, paragraph):
        """numId and level that the paragraph itself names, if the document defines them."""
        tree = self.tree
        own = paragraph.element.find('%s/%s' % (tree.w('pPr'), tree.w('numPr')))
        if own is None or own.find(tree.w('numId')) is None:
            return None
        level = own.find(tree.w('ilvl'))
        found = (own.find(tree.w('numId')).get(tree.w('val')), level.get(tree.w('val')) if level is not None else '0')
        return found if found in tree.defined_levels() else None

    def numbered(self, paragraph):
        """Whether a number could come from the paragraph or from its style."""
        tree = self.tree
        if paragraph.element.find('%s/%s' % (tree.w('pPr'), tree.w('numPr'))) is not None:
            return True
        return any(style.find('%s/%s' % (tree.w('pPr'), tree.w('numPr'))) is not None for style in tree.style_chain(paragraph))

    # ------------------------------------------------------------ whole paragraphs
    def whole(self):
        for paragraph in self.candidates(self.free):
            put = self.words()
            self.take(paragraph)
            return self.planned(paragraph, 'whole', {'op': 'edit_paragraph', 'paragraphIndex': paragraph.number, 'newContent': put}, put=put)
        return None

    def added_text(self):
        for paragraph in self.candidates(self.free):
            at_end = self.random.random() < 0.5
            put = ' ' + self.fresh() if at_end else self.fresh() + ' '
            self.take(paragraph)
            op = {'op': 'edit_paragraph', 'paragraphIndex': paragraph.number, 'append' if at_end else 'prepend': put}
            return self.planned(paragraph, 'append' if at_end else 'prepend', op, put=put)
        return None

    def replaced_by_two(self):
        """The first of the new ones takes the place, the second comes behind it."""
        def fits(p):
            return self.free(p) and self.no_section(p) and self.between_paragraphs(p) and self.tree.follower_of_heading(p) is None
        for paragraph in self.candidates(fits):
            put = [self.words(), self.words()]
            self.take(paragraph)
            op = {'op': 'replace_paragraph', 'paragraphIndex': paragraph.number, 'content': '\n\n'.join(put)}
            return self.planned(paragraph, 'replace_two', op, put=put)
        return None

    def two_by_one(self):
        """The first is changed, the second goes."""
        for paragraph in self.candidates(lambda p: self.free(p) and self.no_section(p) and self.next_is_paragraph(p)):
            other = self.tree.paragraphs[paragraph.number]
            if not (self.simple_place(other) and self.quiet(other) and self.uniform(other) and self.deletable(other)):
                continue
            if other.number in self.used or other.number in self.shaped or other.number + 1 in self.shaped or not self.next_is_paragraph(other):
                continue
            put = self.words()
            self.take(paragraph)
            self.take(other)
            op = {'op': 'replace_range', 'paragraphIndex': paragraph.number, 'endParagraphIndex': other.number, 'content': put}
            return self.planned(paragraph, 'two_by_one', op, put=put)
        return None

    def table_for(self):
        """A table takes the place of a paragraph."""
        def fits(p):
            return self.free(p) and self.deletable(p) and self.between_paragraphs(p) and self.next_is_paragraph(p)
        for paragraph in self.candidates(fits):
            rows = [[self.fresh() for _ in range(2)] for _ in range(self.random.randint(2, 3))]
            lines = ['| %s |' % ' | '.join(row) for row in rows]
            self.take(paragraph)
            op = {'op': 'replace_paragraph', 'paragraphIndex': paragraph.number, 'content': '\n'.join(lines[:1] + ['|---|---|'] + lines[1:])}
            return self.planned(paragraph, 'table', op, put=rows)
        return None

    # ------------------------------------------------------------ lists
    def item(self):
        def fits(p):
            return self.free(p) and self.no_section(p) and self.number(p) and self.next_is_paragraph(p) and self.tree.follower_of_heading(p) is None
        for paragraph in self.candidates(fits):
            put = self.words()
            self.take(paragraph)
            op = {'op': 'insert_list_item', 'afterParagraphIndex': paragraph.number, 'text': put}
            return self.planned(paragraph, 'item', op, put=put)
        return None

    def new_list(self):
        def fits(p):
            return self.free(p) and self.no_section(p) and not self.numbered(p) and self.next_is_paragraph(p) \
                and self.tree.follower_of_heading(p) is None
        for paragraph in self.candidates(fits):
            put = [self.words(), self.words()]
            kind = self.random.choice((('bullet', None, 'bullet'), ('numbered', 'decimal', 'decimal'), ('numbered', 'upperRoman', 'upperRoman')))
            self.take(paragraph)
            op = {'op': 'edit_list', 'startParagraphIndex': paragraph.number, 'endParagraphIndex': paragraph.number, 'listType': kind[0],
                  'newItems': put}
            if kind[1]:
                op['numberingStyle'] = kind[1]
            return self.planned(paragraph, 'list', op, put=put, format=kind[2])
        return None

    def headers(self):
        """Two paragraphs that stand apart get one list."""
        found = [p for p in self.candidates(lambda p: self.free(p) and not self.numbered(p))]
        for paragraph in found:
            for other in found:
                if other.number <= paragraph.number + 2:
                    continue
                put = [self.words(), self.words()]
                self.take(paragraph)
                self.take(other)
                op = {'op': 'convert_headers_to_list', 'paragraphIndices': [paragraph.number, other.number], 'newHeaderTexts': put,
                      'numberingFormat': 'upperLetter'}
                return self.planned(paragraph, 'headers', op, put=put, other=other.number, format='upperLetter')
        return None

    def section_header(self):
        for paragraph in self.candidates(lambda p: self.free(p) and self.number(p)):
            put = self.words()
            self.take(paragraph)
            op = {'op': 'edit_section', 'sectionHeaderIndex': paragraph.number, 'newHeaderText': put, 'preserveSubsections': True}
            return self.planned(paragraph, 'section', op, put=put)
        return None

    # ------------------------------------------------------------ tables
    def cell(self):
        for paragraph in self.candidates(self.free):
            row, tree = self.plain_row(paragraph), self.tree
            if row is None or tree.local(paragraph.element.getparent()) != 'tc':
                continue
            cell = paragraph.element.getparent()
            if len(cell.findall(tree.w('p'))) != 1:
                continue
            put = self.words()
            self.take(paragraph)
            rows = row.getparent().findall(tree.w('tr'))
            op = {'op': 'edit_table', 'paragraphIndex': paragraph.number, 'action': 'update_cell', 'targetRow': rows.index(row),
                  'targetColumn': row.findall(tree.w('tc')).index(cell), 'content': put}
            return self.planned(paragraph, 'whole', op, put=put)
        return None

    def column(self):
        """A column goes that is neither the first nor the last."""
        tree = self.tree
        for paragraph in self.candidates(lambda p: self.simple_place(p)):
            row = self.plain_row(paragraph)
            if row is None or any(tree.local(e) in ('gridSpan', 'gridBefore', 'gridAfter') for e in row.getparent().iter()):
                continue
            rows = [r.findall(tree.w('tc')) for r in row.getparent().findall(tree.w('tr'))]
            widths = {len(r) for r in rows}
            if len(widths) != 1 or widths.pop() < 3:
                continue
            inside = [p for p in tree.paragraphs if row.getparent() in p.element.iterancestors()]
            if any(p.number in self.used or not self.apart(p) or not self.quiet(p) or not self.deletable(p) for p in inside):
                continue
            for each in inside:
                self.take(each)
            op = {'op': 'edit_table', 'paragraphIndex': paragraph.number, 'action': 'delete_column', 'targetColumn': 1}
            return self.planned(paragraph, 'column', op)
        return None

    # ------------------------------------------------------------ other stories and comments
    def note(self):
        """A word of a foot- or endnote, which one w:t holds whole."""
        for kind, number, part in self.tree.notes():
            if (part, number) in self.used:
                continue
            first = self.tree.note_paragraph(part, number)
            words = self.tree.words_of(first) if first is not None else []
            self.random.shuffle(words)
            for element, word in words[:4]:
                whole = ''.join(t.text or '' for t in first.iter(self.tree.w('t')))
                if whole.lower().count(word.lower()) != 1:
                    continue
                put = self.fresh()
                self.used.add((part, number))
                op = {'op': 'modify_text', 'target': '%s:%s/P1' % (kind, number), 'originalText': word, 'replacementText': put, 'plain': True}
                return self.planned(self.tree.paragraphs[0], 'note', op, put=put, part=part, note=number, word=word)
        return None

    def reply(self):
        for number in self.tree.comments():
            if number in self.used:
                continue
            self.used.add(number)
            op = self.random.choice(({'op': 'comment_reply', 'commentId': int(number), 'content': 'Noted: ' + self.fresh()},
                                     {'op': 'comment_resolve', 'commentId': int(number)}))
            return self.planned(self.tree.paragraphs[0], 'comment', op)
        return None

    def comment_gone(self):
        for number in self.tree.comments():
            if number in self.used:
                continue
            self.used.update(self.tree.comments())      # its answers go with it
            return self.planned(self.tree.paragraphs[0], 'comment', {'op': 'comment_delete', 'commentId': int(number)})
        return None

    def restored(self):
        """What somebody else's pending revision deletes is put back behind it."""
        tree = self.tree

        def fits(p):
            if not self.simple_place(p) or not self.apart(p) or not self.mark(p, 'del') or self.joined_from_before(p):
                return False
            inner = [c for c in p.element if tree.local(c) not in ('pPr', 'proofErr')]
            runs = [r for c in inner for r in c]
            return (inner and all(tree.local(c) == 'del' for c in inner) and runs
                    and all(tree.local(r) == 'r' and all(tree.local(c) in ('rPr', 'delText') for c in r) for r in runs)
                    and not any(tree.local(e) in ('rPrChange', 'pPrChange', 'sectPr') for e in p.element.iter())
                    and self.next_is_paragraph(p))
        for paragraph in self.candidates(fits):
            self.take(paragraph)
            return self.planned(paragraph, 'restore', {'op': 'restore_paragraph', 'paragraphIndex': paragraph.number})
        return None

    def found(self):
        """Looking for a place changes nothing."""
        for paragraph in self.candidates(lambda p: self.uniform(p) and 12 < len(p.text()) < 80):
            op = {'op': 'navigate_to_section', 'instruction': paragraph.text()}
            return self.planned(paragraph, 'navigate', op, expect='no_change')
        return None


class Changes:
    """A part of `Tree`: what operations of these kinds come to."""

    def apply_kind(self, operation):
        paragraph, put, kind = self.paragraphs[operation['paragraph'] - 1], operation.get('put'), operation['kind']
        if kind in ('whole', 'section'):
            self.retext(paragraph, put)
        elif kind == 'append':
            self.edit_text(paragraph, len(paragraph.characters), len(paragraph.characters), put)
        elif kind == 'prepend':
            self.prepend(paragraph, put)
        elif kind == 'replace_two':
            self.insert_paragraph(paragraph, 'after', put[1])
            self.retext(paragraph, put[0])
        elif kind == 'two_by_one':
            self.retext(paragraph, put)
            self.delete_paragraph(self.paragraphs[paragraph.number])
        elif kind == 'table':
            paragraph.element.addprevious(self.table(put))
            self.delete_paragraph(paragraph)
        elif kind == 'item':
            self.insert_paragraph(paragraph, 'after', put)
        elif kind == 'list':
            number = self.next_list()
            self.number_paragraph(paragraph.element, number)
            self.insert_paragraph(paragraph, 'after', put[1])
            self.retext(paragraph, put[0])
        elif kind == 'headers':
            number = self.next_list()
            for each, text in zip((paragraph, self.paragraphs[operation['other'] - 1]), put):
                self.number_paragraph(each.element, number)
                self.retext(each, text)
        elif kind == 'column':
            table = next(a for a in paragraph.element.iterancestors() if self.local(a) == 'tbl')
            for row in table.findall(self.w('tr')):
                row.remove(row.findall(self.w('tc'))[1])
        elif kind == 'note':
            self.change_note(operation)
        elif kind == 'restore':
            self.restore(paragraph)
        else:
            return False
        return True

    def retext(self, paragraph, put):
        self.edit_text(paragraph, 0, len(paragraph.characters), put)

    def prepend(self, paragraph, put):
        first = paragraph.characters[0].run
        run = etree.Element(self.w('r'))
        own = self.properties(first.find(self.w('rPr')))
        if own:
            etree.SubElement(run, self.w('rPr')).extend(own)
        self._text(etree.SubElement(run, self.w('t')), put)
        first.addprevious(run)

    def table(self, rows):
        """Rule: the first row is a head and bold; a cell holds one paragraph without properties."""
        table = etree.Element(self.w('tbl'))
        etree.SubElement(table, self.w('tblPr'))
        for at, texts in enumerate(rows):
            row = etree.SubElement(table, self.w('tr'))
            for text in texts:
                block = etree.SubElement(etree.SubElement(row, self.w('tc')), self.w('p'))
                run = etree.SubElement(block, self.w('r'))
                if at == 0:
                    etree.SubElement(etree.SubElement(run, self.w('rPr')), self.w('b'))
                self._text(etree.SubElement(run, self.w('t')), text)
        return table

    def number_paragraph(self, element, number):
        properties = element.find(self.w('pPr'))
        if properties is None:
            properties = etree.Element(self.w('pPr'))
            element.insert(0, properties)
        own = etree.SubElement(properties, self.w('numPr'))
        etree.SubElement(own, self.w('ilvl')).set(self.w('val'), '0')
        etree.SubElement(own, self.w('numId')).set(self.w('val'), str(number))

    def next_list(self):
        """Rule: a new list has the next free number, in the order of the operations."""
        if not hasattr(self, '_lists'):
            root = self.related('numbering')[1]
            known = [int(n.get(self.w('numId'), '0')) for n in root.iter(self.w('num'))] if root is not None else []
            self._lists = max(known + [0])
        self._lists += 1
        return self._lists

    def restore(self, paragraph):
        new = etree.Element(self.w('p'))
        properties = paragraph.element.find(self.w('pPr'))
        properties = copy.deepcopy(properties)
        mark = properties.find(self.w('rPr'))
        mark[:] = self.properties(mark)
        new.append(properties)
        for deletion in paragraph.element.findall(self.w('del')):
            for run in deletion:
                run = copy.deepcopy(run)
                for text in run.findall(self.w('delText')):
                    text.tag = self.w('t')
                new.append(run)
        paragraph.element.addnext(new)

    # ------------------------------------------------------------ other parts
    def related(self, kind):
        """Name and root of the part that the main part relates to by `kind`."""
        folder, name = posixpath.split(self.main)
        relations = self.entries.get(posixpath.join(folder, '_rels', name + '.rels'))
        for relation in etree.fromstring(relations.content()) if relations is not None else ():
            if not isinstance(relation.tag, str) or not relation.get('Type', '').endswith('/' + kind) or relation.get('TargetMode') == 'External':
                continue
            target = relation.get('Target')
            part = target.lstrip('/') if target.startswith('/') else posixpath.normpath(posixpath.join(folder, target))
            if part in self.entries:
                if part not in self.others:
                    self.others[part] = etree.fromstring(self.entries[part].content(), etree.XMLParser(huge_tree=True, resolve_entities=False))
                return part, self.others[part]
        return None, None

    def defined_levels(self):
        """(numId, level) that the document defines."""
        if self._levels is None:
            root = self.related('numbering')[1]
            self._levels = set()
            abstract = {}
            for each in root.iter(self.w('abstractNum')) if root is not None else ():
                abstract[each.get(self.w('abstractNumId'))] = [l.get(self.w('ilvl')) for l in each.findall(self.w('lvl'))]
            for each in root.iter(self.w('num')) if root is not None else ():
                link = each.find(self.w('abstractNumId'))
                for level in abstract.get(link.get(self.w('val')), ()) if link is not None else ():
                    self._levels.add((each.get(self.w('numId')), level))
        return self._levels

    def style_chain(self, paragraph):
        styles, chain = self.styles(), []
        style = paragraph.element.find('%s/%s' % (self.w('pPr'), self.w('pStyle')))
        at = style.get(self.w('val')) if style is not None else None
        if at not in styles:
            at = next((i for i, e in styles.items() if e.get(self.w('type')) == 'paragraph' and e.get(self.w('default')) in ('1', 'true', 'on')), None)
        while at in styles and styles[at] not in chain:
            chain.append(styles[at])
            based = styles[at].find(self.w('basedOn'))
            at = based.get(self.w('val')) if based is not None else None
        return chain

    def notes(self):
        found = []
        for kind in ('footnote', 'endnote'):
            part, root = self.related(kind + 's')
            for note in root if root is not None else ():
                if self.local(note) == kind and note.get(self.w('type')) in (None, 'normal'):
                    found.append((kind, note.get(self.w('id')), part))
        return found

    def note_paragraph(self, part, number):
        note = next(e for e in self.others[part] if isinstance(e.tag, str) and e.get(self.w('id')) == number)
        first = note.find(self.w('p'))
        plain = ('p', 'pPr', 'pStyle', 'rPr', 'r', 't', 'footnoteRef', 'endnoteRef', 'rStyle', 'proofErr', 'lang', 'sz', 'szCs', 'rFonts', 'i', 'b', 'vertAlign')
        return first if first is not None and all(self.local(e) in plain for e in first.iter()) else None

    def words_of(self, paragraph):
        """Words that stand between spaces within one w:t, with it."""
        found = []
        for element in paragraph.iter(self.w('t')):
            words = self.visible(element).split(' ')
            found += [(element, w) for w in words[1:-1] if w.isalnum() and len(w) > 3]
        return found

    def change_note(self, operation):
        self.related('footnotes'), self.related('endnotes')
        paragraph = self.note_paragraph(operation['part'], operation['note'])
        element = next(e for e, word in self.words_of(paragraph) if word == operation['word'])
        text = self.visible(element)
        self._text(element, text.replace(' %s ' % operation['word'], ' %s ' % operation['put'], 1))
        self.changed_parts.add(operation['part'])

    def comments(self):
        root = self.related('comments')[1]
        ids = [c.get(self.w('id')) for c in root if self.local(c) == 'comment'] if root is not None else []
        return [i for i in ids if i and i.isdigit() and ids.count(i) == 1]
