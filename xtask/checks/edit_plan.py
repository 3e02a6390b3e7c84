"""Chooses seeded random operations for one document, together with what the engine should do with each.

Every operation is chosen so that its outcome is unambiguous under the engine's documented rules; where two readings are
possible the candidate is dropped, never guessed. It must never call the engine. Read next: edit_tree.py (the edits)."""
import hashlib
import itertools
import random
import re

from edit_kinds import Kinds
from edit_tree import GONE, OBJECT

WORD = re.compile(r'\w+')
TOKEN = re.compile(r'\S+')
RISKY = re.compile(r'[*_`~\[\]\\<>#|&;^$=+{}!@]|https?:|www\.|^\s*(?:[-\u2022\u2013]|\(?\w{1,4}[.)])', re.IGNORECASE)
FOLD = str.maketrans({'\u2018': "'", '\u2019': "'", '\u201a': "'", '\u201b': "'", '\u201c': '"', '\u201d': '"', '\u201e': '"', '\u201f': '"',
                      '\u00ab': '"', '\u00bb': '"', '\u2010': '-', '\u2011': '-', '\u2012': '-', '\u2013': '-', '\u2014': '-', '\u2212': '-',
                      '\u00a0': ' ', '\u202f': ' ', '\u2007': ' ', '\t': ' ', '\n': ' ', '\u2026': '...', '\u00ad': ''})
MOST = 100          # operations of a document
LONGEST = 200       # characters of an original text
HEADS = ('zor', 'kel', 'vim', 'tru', 'bax', 'quo', 'dre', 'wuf', 'jin', 'pol')
TAILS = ('vin', 'mar', 'dex', 'lop', 'gram', 'sket', 'tor', 'bly', 'nux', 'fen')


class Planner(Kinds):
    def __init__(self, tree, seed, basic=False):
        self.basic = basic
        self.tree = tree
        self.random = random.Random('%d %s' % (seed, hashlib.sha256(tree.data).hexdigest()))     # other words for every document
        self.used = set()           # paragraphs that have an operation
        self.shaped = set()         # paragraphs that are inserted at or deleted
        self.coined = 0
        self.rich = self.rich_places()

    def plan(self):
        """Operations with their model fields: index, op (what the engine gets), expect, class, paragraph, kind, and the edit."""
        total = min(40 if self.basic else MOST, 2 * len(self.tree.paragraphs))
        refusals = int(total / 10 + self.random.random()) if total < 6 else max(1, total // 10)
        makers = [self.refusal] * refusals
        for _ in range(total - refusals):
            if self.basic:
                makers.append(self.random.choices((self.text, self.insert, self.delete), (60, 20, 20))[0])
                continue
            others = self.makers_of_kinds()
            makers.append(self.random.choices(
                (self.text, self.insert, self.delete, self.look, self.paragraph_look, self.comment, self.row, self.move, *others),
                (25, 8, 8, 8, 5, 5, 5, 5, *[3] * len(others)))[0])
        self.random.shuffle(makers)
        found = []
        for maker in makers:
            planned = maker()
            if planned:
                found.append(planned)
        if not any(o['expect'] == 'applied' for o in found):
            planned = self.text() or self.insert()
            if planned:
                found.append(planned)
        for index, operation in enumerate(found):
            operation['index'] = index
        return found

    def fresh(self):
        while True:
            self.coined += 1
            word = self.random.choice(HEADS) + self.random.choice(TAILS) + str(self.coined)
            if word not in self.tree.source_text:
                return word

    def candidates(self, test):
        """Some unused paragraphs that pass, in random order."""
        order = list(self.tree.paragraphs)
        self.random.shuffle(order)
        return itertools.islice((p for p in order if p.number not in self.used and test(p)), 12)

    def apart(self, paragraph):
        return not self.shaped & {paragraph.number - 1, paragraph.number, paragraph.number + 1}

    # ------------------------------------------------------------ modify_text
    def text(self):
        if self.random.random() < 0.4:
            rich = [(p, i) for p, i in self.rich if p.number not in self.used]
            for paragraph, focus in self.random.sample(rich, min(8, len(rich))):
                planned = self.text_in(paragraph, paragraph.characters[focus].kind, 'applied', focus)
                if planned:
                    return planned
        for paragraph in self.candidates(lambda p: self.editable(p)):
            for _ in range(8):
                planned = self.text_in(paragraph, 'plain', 'applied')
                if planned:
                    return planned
        return None

    def rich_places(self):
        """Where edits are hard: inside links, content controls and others' insertions, and where a word changes its run."""
        found = []
        for paragraph in filter(self.editable, self.tree.paragraphs):
            before = None
            for index, character in enumerate(paragraph.characters):
                if character.kind in ('plain', 'link') and character.element is not None and not character.text.isspace():
                    inside = character.kind == 'link' or character.run.getparent() is not paragraph.element
                    if inside or before is not None and before.run is not character.run:
                        found.append((paragraph, index))
                    before = character
                else:
                    before = None
        return found

    def editable(self, paragraph):
        return not paragraph.dead and not paragraph.code_text and any(c.kind in ('plain', 'link') for c in paragraph.characters)

    def text_in(self, paragraph, kind, expect, focus=None):
        """One modify_text inside text of one kind, at the word around `focus` if given; None when this draw is ambiguous."""
        whole = paragraph.text()
        regions = [(a, b) for a, b in self.regions(paragraph, kind) if focus is None or a <= focus < b]
        if not regions:
            return None
        first, last = self.random.choice(regions)
        tokens = [(first + m.start(), first + m.end()) for m in TOKEN.finditer(whole[first:last])]
        if not tokens:
            return None
        length = min(self.random.randint(1, 6), len(tokens))
        at, which = self.random.randrange(len(tokens) - length + 1), self.random.randrange(length)
        if focus is not None:
            middle = next(i for i, (a, b) in enumerate(tokens) if a <= focus < b)
            at = max(0, min(middle - which, len(tokens) - length))
            which = middle - at
        chosen = tokens[at:at + length]
        start, end = chosen[0][0], chosen[-1][1]
        original = whole[start:end]
        if len(original) > LONGEST or not self.plain_spaces(original):
            return None
        change = self.random.choices((self.replaced, self.removed, self.added), (60, 20, 20))[0]
        if kind != 'plain':
            change = self.replaced
        edit = change(paragraph, chosen, which)
        if edit is None:
            return None
        cut_start, cut_end, put = edit
        replacement = whole[start:cut_start] + put + whole[cut_end:end]
        occurrence = self.occurrence(whole, original, start)
        if occurrence is None or not replacement or replacement == original:
            return None
        op = {'op': 'modify_text', 'paragraphIndex': paragraph.number, 'originalText': original, 'replacementText': replacement}
        if occurrence:
            op['occurrence'] = occurrence
        if RISKY.search(original) or RISKY.search(replacement) or self.random.random() < 0.5:
            op['plain'] = True
        self.used.add(paragraph.number)
        return {'op': op, 'expect': expect, 'class': 'text' if kind == 'plain' else 'text-' + kind, 'paragraph': paragraph.number,
                'kind': 'text', 'start': cut_start, 'end': cut_end, 'put': put}

    def regions(self, paragraph, kind):
        """Stretches of characters of one kind, (first, last) in the accepted view."""
        found, first = [], None
        for index, character in enumerate(paragraph.characters + [None]):
            good = character is not None and character.kind == kind and character.element is not None
            if good and first is None:
                first = index
            elif not good and first is not None:
                found.append((first, index))
                first = None
        return found

    def plain_spaces(self, text):
        return all(not c.isspace() or c in ' \u00a0' for c in text)

    def same(self, paragraph, start, end):
        """Characters start..end look the same and lie in the same container."""
        some = paragraph.characters[start:end]
        return all(c.look == some[0].look and c.element is not None and c.run.getparent() is some[0].run.getparent() for c in some)

    def one_container(self, paragraph, start, end):
        some = paragraph.characters[start:end]
        return all(c.element is not None and c.run.getparent() is some[0].run.getparent() for c in some)

    def replaced(self, paragraph, tokens, which):
        """A word becomes a fresh one. Where punctuation touches the word, the whole token must look the same, so that it
        does not matter whether an engine counts the punctuation as part of the word."""
        first, last = tokens[which]
        words = list(WORD.finditer(paragraph.text()[first:last]))
        if not words:
            return None
        word = self.random.choice(words)
        cut = (first + word.start(), first + word.end())
        alone = cut == (first, last) and self.bordered(paragraph, first, last)
        if not (self.one_container(paragraph, *cut) if alone else self.same(paragraph, first, last)):
            return None
        return (*cut, self.fresh())

    def removed(self, paragraph, tokens, which):
        """A token goes with one space beside it; never ambiguous about which space."""
        if len(tokens) < 2:
            return None
        text = paragraph.text()
        words = [text[a:b] for a, b in tokens]
        first, last = tokens[which]
        if words[which] in (words[which - 1] if which else None, words[which + 1] if which + 1 < len(words) else None):
            return None
        if not self.bordered(paragraph, first, last):
            return None
        left = text[tokens[which - 1][1]:first] if which else None
        right = text[last:tokens[which + 1][0]] if which + 1 < len(tokens) else None
        if left not in (None, ' ') or right not in (None, ' '):
            return None
        if left and right:
            if not self.same(paragraph, first - 1, first) or paragraph.characters[first - 1].look != paragraph.characters[last].look:
                return None
            cut, around = (first, last + 1), (first - 1, last + 1)
        else:
            cut = (first - 1, last) if left else (first, last + 1)
            around = cut
        if not self.one_container(paragraph, *around) or self.empties(paragraph, *cut):
            return None
        return (*cut, '')

    def added(self, paragraph, tokens, which):
        """A fresh word after a token, where the token's end, the space and what follows look the same."""
        last, characters = tokens[which][1], paragraph.characters
        if last < len(characters):
            if characters[last].text != ' ' or not self.same(paragraph, last - 1, last + 1):
                return None
            if last + 1 < len(characters) and characters[last + 1].text == ' ':
                return None
        elif characters[last - 1].run.getparent() is not paragraph.element:
            return None
        return last, last, ' ' + self.fresh()

    def bordered(self, paragraph, first, last):
        """Nothing but spaces touches the token from outside."""
        near = ([paragraph.characters[first - 1]] if first else []) + paragraph.characters[last:last + 1]
        return all(c.text.isspace() for c in near)

    def empties(self, paragraph, start, end):
        """Whether removing these characters leaves a container (a link, a content control) without text."""
        container = paragraph.characters[start].run.getparent()
        if container is paragraph.element:
            return False
        inside = [i for i, c in enumerate(paragraph.characters) if c.run is not None and container in c.run.iterancestors()]
        return all(start <= i < end for i in inside)

    def occurrence(self, whole, original, start):
        """0 when the text occurs once; its 1-based number among several; None when engines could count differently."""
        hits = [m.start() for m in re.finditer('(?=%s)' % re.escape(original), whole)]
        if any(b - a < len(original) for a, b in zip(hits, hits[1:])):
            return None
        joined, folded = whole.replace(OBJECT, ''), re.sub(r'\s+', ' ', whole.translate(FOLD))
        fold = re.sub(r'\s+', ' ', original.translate(FOLD))
        tight = re.sub(r'\s+', ' ', joined.translate(FOLD))
        if not len(hits) == joined.count(original) == folded.lower().count(fold.lower()) == tight.lower().count(fold.lower()):
            return None
        return hits.index(start) + 1 if len(hits) > 1 else 0

    # ------------------------------------------------------------ paragraphs
    def insert(self):
        for paragraph in self.candidates(lambda p: self.apart(p) and self.simple_place(p)):
            where = self.random.choice(('after', 'before'))
            if paragraph.ends_in_field if where == 'after' else paragraph.starts_in_field:
                continue
            if self.mark(paragraph, 'del', 'moveFrom', 'moveTo') or self.joined_from_before(paragraph):
                continue
            if where == 'after' and self.kept_by_tab_stops(paragraph):
                continue
            put = ' '.join(self.fresh() for _ in range(self.random.randint(3, 8)))
            op = {'op': 'insert_paragraph', where: 'P%d' % paragraph.number, 'content': put}
            if self.random.random() < 0.5:
                op['plain'] = True
            self.take(paragraph)
            return {'op': op, 'expect': 'applied', 'class': 'insert', 'paragraph': paragraph.number, 'kind': 'insert', 'where': where, 'put': put}
        return None

    def delete(self):
        for paragraph in self.candidates(lambda p: self.apart(p) and self.simple_place(p) and self.deletable(p)):
            return self.deletion(paragraph, 'applied', 'delete')
        return None

    def deletion(self, paragraph, expect, why):
        self.take(paragraph)
        return {'op': {'op': 'delete_paragraph', 'paragraphIndex': paragraph.number}, 'expect': expect, 'class': why,
                'paragraph': paragraph.number, 'kind': 'delete'}

    def take(self, paragraph):
        self.used.add(paragraph.number)
        self.shaped.add(paragraph.number)

    def simple_place(self, paragraph):
        """A paragraph that is an ordinary block: in the body, a cell or a free content control."""
        parent = self.tree.local(paragraph.element.getparent())
        return not paragraph.dead and not paragraph.locked and parent in ('body', 'tc', 'sdtContent', 'customXml')

    def mark(self, paragraph, *names):
        properties = paragraph.element.find('%s/%s' % (self.tree.w('pPr'), self.tree.w('rPr')))
        return properties is not None and any(self.tree.local(c) in names for c in properties)

    def joined_from_before(self, paragraph):
        """The paragraph before has a mark that a pending revision deletes, so the two are one in the accepted view."""
        return paragraph.number > 1 and self.mark(self.tree.paragraphs[paragraph.number - 2], 'del', 'moveFrom')

    def has(self, paragraph, *names):
        return any(self.tree.local(e) in names for e in paragraph.element.iter())

    def deletable(self, paragraph):
        """Deletion is expected to work and has one meaning."""
        return (not self.refused_deletion(paragraph) and not self.unclear_deletion(paragraph))

    def refused_deletion(self, paragraph):
        if self.has(paragraph, 'fldSimple'):
            return 'delete-simple-field'
        if paragraph.crossing_field:
            return 'delete-crossing-field'
        if paragraph.element.find('%s/%s' % (self.tree.w('pPr'), self.tree.w('sectPr'))) is not None:
            return 'delete-section-break'
        if self.has(paragraph, 'commentRangeStart', 'commentReference'):
            return 'delete-comment'
        return None

    def unclear_deletion(self, paragraph):
        element, tree = paragraph.element, self.tree
        if paragraph.starts_in_field or paragraph.ends_in_field or paragraph.code_text:
            return True
        if self.mark(paragraph, 'del', 'moveFrom', 'moveTo') or self.has(paragraph, 'moveFrom', 'moveTo', 'commentRangeEnd', 'dir', 'bdo'):
            return True
        if any(isinstance(e.tag, str) and e.tag.endswith('}oMath') for e in element.iter()):
            return True
        if any(tree.local(e) == 'sdt' and (tree.restricted(e) or tree.placeholder(e)) for e in element.iter()):
            return True
        if not paragraph.characters and (self.mark(paragraph, 'ins') or self.has(paragraph, *GONE)):
            return True
        before, after = tree.neighbours(element)
        if before == 'tbl' and after == 'tbl':
            return True         # two tables would become one
        if after is None and before in ('sdt', 'customXml'):
            return True
        if before is None and after is None and self.joined_from_before(paragraph):
            return True
        if self.kept_by_tab_stops(paragraph) or not paragraph.characters and tree.mark_stays(element):
            return True
        return False

    def kept_by_tab_stops(self, paragraph):
        """check_redline takes the tab stops of a paragraph that no paragraph follows for content that keeps it alive."""
        element, tree = paragraph.element, self.tree
        return tree.neighbours(element)[1] != 'p' and element.find('%s/%s' % (tree.w('pPr'), tree.w('tabs'))) is not None

    # ------------------------------------------------------------ looks and comments
    def word_in(self, paragraph):
        """(start, end, occurrence) of a word of one look in one run, or None."""
        whole = paragraph.text()
        tokens = [(m.start(), m.end()) for a, b in self.regions(paragraph, 'plain') for m in TOKEN.finditer(whole, a, b)]
        self.random.shuffle(tokens)
        for first, last in tokens[:8]:
            some = paragraph.characters[first:last]
            if last - first > LONGEST or any(c.element is not some[0].element for c in some):
                continue
            occurrence = self.occurrence(whole, whole[first:last], first)
            if occurrence is not None:
                return first, last, occurrence
        return None

    def look(self):
        """A word is marked or made bold."""
        for paragraph in self.candidates(lambda p: self.editable(p) and self.quiet(p)):
            found = self.word_in(paragraph)
            if found is None:
                continue
            first, last, occurrence = found
            properties = paragraph.characters[first].run.find(self.tree.w('rPr'))
            names = [self.tree.local(c) for c in properties] if properties is not None else []
            if set(names) & {'rPrChange', 'highlight', 'b', 'bCs'}:
                continue
            word = paragraph.text()[first:last]
            bold = self.random.random() < 0.5
            op = {'op': 'format_text', 'textToFormat': word, 'bold': True} if bold else {'op': 'highlight_text', 'textToFind': word, 'color': 'green'}
            op['paragraphIndex'] = paragraph.number
            if occurrence:
                op['occurrence'] = occurrence
            self.used.add(paragraph.number)
            return {'op': op, 'expect': 'applied', 'class': 'look', 'paragraph': paragraph.number, 'kind': 'look',
                    'start': first, 'end': last, 'bold': bold}
        return None

    def quiet(self, paragraph):
        """Nobody's pending revision speaks of the paragraph or its border."""
        return not self.mark(paragraph, 'ins', 'del', 'moveFrom', 'moveTo') and not self.joined_from_before(paragraph)

    def paragraph_look(self):
        for paragraph in self.candidates(lambda p: self.simple_place(p) and self.apart(p) and self.quiet(p)):
            properties = paragraph.element.find(self.tree.w('pPr'))
            names = [self.tree.local(c) for c in properties] if properties is not None else []
            if set(names) & {'pPrChange', 'jc', 'framePr'}:
                continue
            self.take(paragraph)
            op = {'op': 'format_paragraph', 'paragraphIndex': paragraph.number, 'alignment': 'center'}
            return {'op': op, 'expect': 'applied', 'class': 'paragraph-look', 'paragraph': paragraph.number, 'kind': 'paragraph_look'}
        return None

    def comment(self):
        """A comment changes no text."""
        for paragraph in self.candidates(lambda p: self.editable(p) and self.quiet(p)):
            found = self.word_in(paragraph)
            if found is None:
                continue
            first, last, occurrence = found
            op = {'op': 'insert_comment', 'paragraphIndex': paragraph.number, 'textToFind': paragraph.text()[first:last],
                  'commentContent': 'About ' + self.fresh()}
            if occurrence:
                op['occurrence'] = occurrence
            self.used.add(paragraph.number)
            return {'op': op, 'expect': 'applied', 'class': 'comment', 'paragraph': paragraph.number, 'kind': 'comment'}
        return None

    # ------------------------------------------------------------ rows and moves
    def row(self):
        """A row goes, or one like it comes behind it."""
        for paragraph in self.candidates(lambda p: self.simple_place(p)):
            row = self.plain_row(paragraph)
            if row is None:
                continue
            rows = row.getparent().findall(self.tree.w('tr'))
            inside = [p for p in self.tree.paragraphs if row in p.element.iterancestors()]
            if any(p.number in self.used or not self.apart(p) or not self.quiet(p) for p in inside):
                continue
            at = rows.index(row)
            if self.random.random() < 0.5:
                if len(rows) < 3 or any(not self.deletable(p) for p in inside):
                    continue
                for each in inside:
                    self.take(each)
                op = {'op': 'edit_table', 'paragraphIndex': paragraph.number, 'action': 'delete_row', 'targetRow': at}
                return {'op': op, 'expect': 'applied', 'class': 'row-delete', 'paragraph': paragraph.number, 'kind': 'row_delete'}
            if at < 1:
                continue
            texts = [self.fresh() for _ in row.findall(self.tree.w('tc'))]
            for each in inside:
                self.take(each)
            op = {'op': 'edit_table', 'paragraphIndex': paragraph.number, 'action': 'add_row', 'targetRow': at + 1, 'content': texts}
            return {'op': op, 'expect': 'applied', 'class': 'row-add', 'paragraph': paragraph.number, 'kind': 'row_add', 'put': texts}
        return None

    def plain_row(self, paragraph):
        """The row around a paragraph, when it and its table hold nothing special."""
        tree = self.tree
        row = next((a for a in paragraph.element.iterancestors() if tree.local(a) == 'tr'), None)
        if row is None or tree.local(row.getparent()) != 'tbl':
            return None
        table = row.getparent()
        for element in table.iter():
            if tree.local(element) in ('sdt', 'customXml', 'vMerge', 'tblPrEx', 'ins', 'del', 'cellIns', 'cellDel', 'AlternateContent', 'pict', 'drawing'):
                return None
        if any(tree.local(a) == 'tbl' for a in table.iterancestors()) or len(list(table.iter(tree.w('tbl')))) > 1:
            return None
        return row

    def move(self):
        """A paragraph of plain runs goes behind another of the same container."""
        tree = self.tree

        def movable(p):
            return (self.simple_place(p) and self.apart(p) and self.quiet(p) and self.deletable(p) and p.characters
                    and all(tree.local(c) in ('pPr', 'r', 'proofErr') for c in p.element)
                    and all(tree.local(c) in ('rPr', 't', 'tab') for r in p.element.findall(tree.w('r')) for c in r)
                    and not any(tree.local(e) in ('rPrChange', 'pPrChange') for e in p.element.iter())
                    and self.next_is_paragraph(p))
        for paragraph in self.candidates(movable):
            def target(p):
                return (self.simple_place(p) and self.apart(p) and self.quiet(p) and self.next_is_paragraph(p)
                        and p.element.getparent() is paragraph.element.getparent() and abs(p.number - paragraph.number) > 2
                        and not p.ends_in_field)
            for other in self.candidates(target):
                self.take(paragraph)
                self.take(other)
                op = {'op': 'move_paragraph', 'paragraphIndex': paragraph.number, 'after': other.number}
                return {'op': op, 'expect': 'applied', 'class': 'move', 'paragraph': paragraph.number, 'kind': 'move', 'to': other.number}
        return None

    def next_is_paragraph(self, paragraph):
        following = paragraph.element.getnext()
        return following is not None and self.tree.local(following) == 'p' and paragraph.number < len(self.tree.paragraphs) \
            and self.tree.paragraphs[paragraph.number].element is following

    # ------------------------------------------------------------ refusals
    def refusal(self):
        """An operation that the engine's contract says it refuses."""
        makers = [self.refused_text, self.refused_delete]
        self.random.shuffle(makers)
        return makers[0]() or makers[1]()

    def refused_text(self):
        def holds(p):
            return not p.dead and not p.code_text and any(c.kind in ('field', 'locked', 'moved') for c in p.characters)
        for paragraph in self.candidates(holds):
            for _ in range(8):
                planned = self.text_in(paragraph, self.random.choice(('field', 'locked', 'moved')), 'refused_ok')
                if planned:
                    return planned
        return None

    def refused_delete(self):
        for paragraph in self.candidates(lambda p: self.apart(p) and self.simple_place(p) and self.refused_deletion(p)):
            return self.deletion(paragraph, 'refused_ok', self.refused_deletion(paragraph))
        return None
