#!/usr/bin/env python3
"""Drafts of an agreement as persons change them between two versions, and whether a comparison tells what they did.

  draft_model.py --engross BINARY --out DIR [--seed N] [--rounds M] [--only NAME]

Each habit is one thing that people do to a document: a clause moved and edited, numbers that were typed counted anew, a paragraph
split, a column added. It says what a reader would have to see: how many characters may give way at most, what must be among the
changes, what a summary names first. Rounds beyond that put several habits into one pair. The redlines are judged by
`check_redline.py` as well. Needs lxml. Shares no code with the engine."""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

NAMESPACES = ' '.join('xmlns:%s="%s"' % pair for pair in {
    'w': 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'r': 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
    'wp': 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
    'a': 'http://schemas.openxmlformats.org/drawingml/2006/main',
    'pic': 'http://schemas.openxmlformats.org/drawingml/2006/picture',
    'mc': 'http://schemas.openxmlformats.org/markup-compatibility/2006',
    'wps': 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
    'v': 'urn:schemas-microsoft-com:vml'}.items())
TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
PIXEL = bytes.fromhex('89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c63000100000500010d0a2db40000000049454e44ae426082'.replace(' ', ''))


def esc(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def run(text, look=''):
    look = '<w:rPr>%s</w:rPr>' % look if look else ''
    return '<w:r>%s<w:t xml:space="preserve">%s</w:t></w:r>' % (look, esc(text))


class Para:
    """A paragraph: text as pieces (text, look) or raw XML, and its properties."""

    def __init__(self, text, props='', kind='clause'):
        self.pieces = [[text, '']] if text else []
        self.props, self.kind = props, kind

    @property
    def text(self):
        return ''.join(piece[0] for piece in self.pieces if piece[1] is not None)

    def sub(self, old, new, count=1):
        """Replaces words as somebody who types does: within the piece that has them."""
        for piece in self.pieces:
            if piece[1] is not None and old in piece[0]:
                piece[0] = piece[0].replace(old, new, count)
                return True
        return False

    def xml(self):
        props = '<w:pPr>%s</w:pPr>' % self.props if self.props else ''
        return '<w:p>%s%s</w:p>' % (props, ''.join(p[0] if p[1] is None else run(*p) for p in self.pieces))

    def copy(self):
        new = Para('', self.props, self.kind)
        new.pieces = [list(piece) for piece in self.pieces]
        return new


class Table:
    kind = 'table'

    def __init__(self, rows):
        self.rows = rows
        self.spans = {}

    text = ''

    def xml(self):
        def cell(r, c, text):
            width = '<w:tcW w:w="2000" w:type="dxa"/>' + self.spans.get((r, c), '')
            return '<w:tc><w:tcPr>%s</w:tcPr>%s</w:tc>' % (width, ''.join('<w:p>%s</w:p>' % (run(t) if t else '') for t in text.split('\n')))
        rows = ''.join('<w:tr>%s</w:tr>' % ''.join(cell(r, c, t) for c, t in enumerate(row)) for r, row in enumerate(self.rows))
        grid = ''.join('<w:gridCol w:w="2000"/>' for _ in max(self.rows, key=len))
        return ('<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>%s</w:tblGrid>%s</w:tbl>' % (grid, rows))

    def copy(self):
        new = Table([list(row) for row in self.rows])
        new.spans = dict(self.spans)
        return new


class Raw:
    def __init__(self, xml, kind='raw'):
        self.raw, self.kind = xml, kind
        self.text = ''

    def xml(self):
        return self.raw

    def copy(self):
        return Raw(self.raw, self.kind)


def picture(rel, number, width=914400):
    return ('<w:r><w:drawing><wp:inline><wp:extent cx="%d" cy="457200"/><wp:docPr id="%d" name="Picture %d" descr="Seal"/><a:graphic><a:graphicData '
            'uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="%d" name="s.png"/><pic:cNvPicPr/></pic:nvPicPr>'
            '<pic:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="457200"/></a:xfrm>'
            '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>') % (width, number, number, number, rel, width)


def note(number):
    return '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="%d"/></w:r>' % number


def field(code, shown):
    return ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> %s </w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>%s<w:r><w:fldChar w:fldCharType="end"/></w:r>') % (code, run(shown))


def text_box(text):
    inner = '<w:txbxContent><w:p>%s</w:p></w:txbxContent>' % run(text)
    return ('<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="1828800" cy="457200"/><wp:docPr id="77" name="Box 1"/><a:graphic>'
            '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx>%s</wps:txbx><wps:bodyPr/></wps:wsp>'
            '</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape style="width:144pt;height:36pt"><v:textbox>%s</v:textbox></v:shape></w:pict></mc:Fallback>'
            '</mc:AlternateContent></w:r>') % (inner, inner)


class Draft:
    """One version of the agreement."""

    def __init__(self):
        h = '<w:pStyle w:val="Heading1"/>'
        item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
        c = lambda text: Para(text)
        H = lambda text: Para(text, h, 'heading')
        self.blocks = [
            Para('SERVICES AGREEMENT', '<w:jc w:val="center"/>', 'title'),
            c('This Agreement is made on 1 March 2026 between Alder Works Limited (the “Supplier”) and Birch Holdings plc (the “Customer”).'),
            H('1. Definitions'),
            c('1.1 “Services” means the maintenance services described in Schedule 1, as they are changed from time to time by agreement of the parties.'),
            c('1.2 “Fees” means the sums payable under Clause 3 of this Agreement, without any tax that the law adds to them.'),
            c('1.3 “Business Day” means a day other than a Saturday, a Sunday or a public holiday in London.'),
            H('2. Supply of the Services'),
            c('2.1 The Supplier shall provide the Services with reasonable care and skill from the Start Date. The Supplier shall keep records of the Services for six years.'),
            c('2.2 The Customer shall give the Supplier access to its premises on Business Days. It shall pay for damage that its staff cause there.'),
            c('2.3 Neither party may assign this Agreement without the written consent of the other, which shall not be withheld unreasonably.'),
            H('3. Fees'),
            c('3.1 The Customer shall pay the Supplier EUR 12,500.00 for each month within 30 days of the date of the invoice.'),
            c('3.2 Interest of 4.5% a year is due on sums that are paid late, as Clause 5.2 provides.'),
            Table([['Service', 'Hours', 'Price'], ['Inspection', '10', 'EUR 900'], ['Repair', '25', 'EUR 2,400'], ['Emergency call', '4', 'EUR 650'], ['Spare parts', '0', 'at cost']]),
            c('3.3 The prices in the table are fixed until 31 December 2027.'),
            H('4. Confidentiality'),
            c('4.1 Each party shall keep confidential what it learns of the business of the other and shall use it for this Agreement alone.'),
            c('4.2 This does not apply to:'),
            Para('information that is public', item, 'item'), Para('information that a court asks for', item, 'item'), Para('information that the other party releases in writing', item, 'item'),
            H('5. Term and termination'),
            c('5.1 This Agreement begins on the Start Date and runs for three years.'),
            c('5.2 Either party may end it by giving ninety days’ written notice to the other, but not before the first anniversary of the Start Date.'),
            c('5.3 On termination the Customer shall pay all Fees that are then due, and the Supplier shall return all keys, passes and papers.'),
            H('6. Liability'),
            c('6.1 The liability of each party is limited to EUR 250,000 in any year. Nothing limits liability for fraud or for death caused by negligence.'),
            c('6.2 The Supplier is not liable for loss of profit.'),
            H('7. General'),
            c('7.1 The law of England and Wales governs this Agreement, and its courts have jurisdiction.'),
            c('7.2 Notices shall be in writing and sent to the address given for each party in Schedule 2.'),
            c('Signed by the parties on the date that stands above.'),
        ]
        self.by_start('2.1').pieces.append([note(2), None])
        self.by_start('6.1').pieces.append([note(3), None])
        self.by_start('7.2').pieces.append([field('REF Start \\h', '1.1'), None])
        self.blocks.insert(-1, Para('', '', 'picture'))
        self.blocks[-2].pieces = [[picture('rIdP', 5), None]]
        self.by_start('6.2').pieces.append([text_box('Important: read this clause.'), None])
        self.by_start('1.1').pieces = [['1.1 “', ''], ['Services', '<w:b/>'], ['” means the maintenance services described in Schedule 1, as they are changed from time to time by agreement of the parties.', '']]
        self.notes = {2: 'Records may be kept in electronic form.', 3: 'See the insurance certificate of 2 February 2026.'}
        self.header, self.footer, self.first = 'Draft 1 – confidential', 'Alder Works Limited – page', None
        self.pictures = {'rIdP': PIXEL}
        self.links = {}
        self.size = '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/>'
        self.normal = '<w:sz w:val="22"/>'
        self.title = 'Agreement'

    def copy(self):
        new = Draft.__new__(Draft)
        new.__dict__.update(self.__dict__)
        new.blocks = [block.copy() for block in self.blocks]
        new.notes, new.pictures, new.links = dict(self.notes), dict(self.pictures), dict(self.links)
        return new

    def by_start(self, start):
        return next(block for block in self.blocks if block.text.startswith(start))

    def at(self, start):
        return next(i for i, block in enumerate(self.blocks) if block.text.startswith(start))

    def table(self):
        return next(block for block in self.blocks if block.kind == 'table')

    def of(self, kind):
        return [i for i, block in enumerate(self.blocks) if block.kind == kind]

    def write(self, path):
        main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.'
        rels = [('rIdS', 'styles', 'styles.xml'), ('rIdN', 'numbering', 'numbering.xml'), ('rIdF', 'footnotes', 'footnotes.xml'),
                ('rIdH', 'header', 'header1.xml'), ('rIdT', 'footer', 'footer1.xml')]
        overrides = {'document': 'document.main', 'styles': 'styles', 'numbering': 'numbering', 'footnotes': 'footnotes', 'header1': 'header', 'footer1': 'footer'}
        parts = {}
        sect = '<w:headerReference w:type="default" r:id="rIdH"/><w:footerReference w:type="default" r:id="rIdT"/>'
        parts['header1'] = '<w:hdr %s><w:p>%s</w:p></w:hdr>' % (NAMESPACES, run(self.header))
        parts['footer1'] = '<w:ftr %s><w:p>%s%s</w:p></w:ftr>' % (NAMESPACES, run(self.footer + ' '), field('PAGE', '1'))
        if self.first:
            rels.append(('rIdG', 'header', 'header2.xml'))
            overrides['header2'] = 'header'
            parts['header2'] = '<w:hdr %s><w:p>%s</w:p></w:hdr>' % (NAMESPACES, run(self.first))
            sect += '<w:headerReference w:type="first" r:id="rIdG"/>'
        sect += self.size + ('<w:titlePg/>' if self.first else '')
        parts['document'] = '<w:document %s><w:body>%s<w:sectPr>%s</w:sectPr></w:body></w:document>' % (NAMESPACES, ''.join(b.xml() for b in self.blocks), sect)
        style = lambda kind, name, label, rest, default='': '<w:style w:type="%s"%s w:styleId="%s"><w:name w:val="%s"/>%s</w:style>' % (kind, default, name, label, rest)
        parts['styles'] = '<w:styles %s>%s%s%s%s</w:styles>' % (NAMESPACES,
            style('paragraph', 'Normal', 'Normal', '<w:rPr>%s</w:rPr>' % self.normal, ' w:default="1"'),
            style('paragraph', 'Heading1', 'heading 1', '<w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr>'),
            style('paragraph', 'Quote', 'Quote', '<w:basedOn w:val="Normal"/><w:rPr><w:i/></w:rPr>'),
            style('table', 'Grid', 'Table Grid', '<w:tblPr><w:tblBorders><w:top w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:bottom w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:insideH w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:insideV w:val="single" w:sz="4" w:space="0" w:color="auto"/></w:tblBorders></w:tblPr>'))
        level = lambda n: '<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%%%d)"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%d" w:hanging="360"/></w:pPr></w:lvl>' % (n, n + 1, 720 * (n + 1))
        parts['numbering'] = ('<w:numbering %s><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>%s</w:abstractNum>'
                              '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>') % (NAMESPACES, ''.join(map(level, range(3))))
        mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
        parts['footnotes'] = '<w:footnotes %s><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>%s</w:footnotes>' % (
            NAMESPACES, ''.join('<w:footnote w:id="%d"><w:p>%s%s</w:p></w:footnote>' % (n, mark, run(' ' + text)) for n, text in sorted(self.notes.items())))
        rel = lambda i, kind, target, mode='': '<Relationship Id="%s" Type="%s%s" Target="%s"%s/>' % (i, TYPE, kind, target, mode)
        names = {i: 'media/%s.png' % i for i in self.pictures}
        all_rels = ''.join(rel(*r) for r in rels) + ''.join(rel(i, 'image', names[i]) for i in names) + ''.join(rel(i, 'hyperlink', esc(t), ' TargetMode="External"') for i, t in self.links.items())
        head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        package = 'http://schemas.openxmlformats.org/package/2006/'
        with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
            archive.writestr('[Content_Types].xml', head + '<Types xmlns="%scontent-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>%s</Types>' % (
                package, ''.join('<Override PartName="/word/%s.xml" ContentType="%s%s+xml"/>' % (part, main, kind) for part, kind in overrides.items())))
            archive.writestr('_rels/.rels', head + '<Relationships xmlns="%srelationships">%s</Relationships>' % (package, rel('r1', 'officeDocument', 'word/document.xml')))
            archive.writestr('word/_rels/document.xml.rels', head + '<Relationships xmlns="%srelationships">%s</Relationships>' % (package, all_rels))
            for part, xml in parts.items():
                archive.writestr('word/%s.xml' % part, head + xml)
            for i, data in self.pictures.items():
                archive.writestr('word/' + names[i], data)


# What people do. Each changes a draft and says what a reader must see:
#   most    characters that may be deleted and inserted, at most (moves count twice); None when it does not matter
#   first   what stands in the first line of the summary that tells a change
#   has     a change of that kind whose before and after hold these words
#   none    kinds that must not be there
Seen = collections.namedtuple('Seen', 'most first has none', defaults=(None, None, (), ()))
HABITS = {}


def habit(function):
    HABITS[function.__name__] = function
    return function


def renumber(draft, old, new):
    """Numbers that were typed count on: clauses, and what refers to them."""
    for block in draft.blocks:
        if isinstance(block, Para):
            block.sub('%d. ' % old, '%d. ' % new) if block.kind == 'heading' and block.text.startswith('%d. ' % old) else None
            if re.match(r'%d\.\d ' % old, block.text):
                block.sub('%d.' % old, '%d.' % new)
            block.sub('Clause %d' % old, 'Clause %d' % new, -1)


@habit
def amount(d, rng):
    d.by_start('3.1').sub('12,500.00', '13,750.00')
    return Seen(12, 'EUR 13,750', [('replacement', '', '')])


@habit
def currency(d, rng):
    d.by_start('3.1').sub('EUR 12,500.00', 'USD 12,500.00')
    return Seen(6, 'USD', [('replacement', 'EUR', 'USD')])


@habit
def date(d, rng):
    d.blocks[1].sub('1 March 2026', '15 April 2026')
    return Seen(16, 'April')


@habit
def period_in_words(d, rng):
    d.by_start('5.2').sub('ninety days', 'sixty days')
    d.by_start('7.1').sub('its courts', 'the courts there')
    return Seen(40, 'sixty')


@habit
def number_by_word(d, rng):
    d.by_start('2.1').sub('six years', 'seven (7) years')
    d.by_start('6.2').sub('loss of profit', 'any loss of profit')
    return Seen(20, 'seven')


@habit
def percent(d, rng):
    d.by_start('3.2').sub('4.5%', '8%')
    return Seen(8, '8%')


@habit
def shall_not(d, rng):
    d.by_start('6.2').sub('is not liable', 'is liable')
    return Seen(4, 'not', [('deletion', 'not', '')])


@habit
def party_renamed(d, rng):
    for block in d.blocks:
        block.text and isinstance(block, Para) and block.sub('Customer', 'Client', -1)
    return Seen(200, 'Client')


@habit
def party_other(d, rng):
    d.blocks[1].sub('Birch Holdings plc', 'Cedar Holdings Inc')
    return Seen(22, 'Cedar')


@habit
def term_defined(d, rng):
    at = d.at('1.3') + 1
    d.blocks.insert(at, Para('1.4 “Start Date” means 1 May 2026.'))
    return Seen(36, 'Start Date', [('insertion', '', 'Start Date')], ['deletion'])


@habit
def clause_inserted_and_counted(d, rng):
    for n in (7, 6, 5, 4):
        renumber(d, n, n + 1)
    at = d.at('5. ')
    d.blocks[at:at] = [Para('4. Insurance', '<w:pStyle w:val="Heading1"/>', 'heading'), Para('4.1 The Supplier shall insure itself against claims of third parties with an insurer of good standing.')]
    return Seen(170, None, [('insertion', '', 'Insurance')], ['formatting'])


@habit
def clause_deleted_and_counted(d, rng):
    at = d.at('2.2')
    del d.blocks[at]
    d.by_start('2.3').sub('2.3', '2.2')
    return Seen(140, None, [('deletion', 'access to its premises', '')], ['formatting'])


@habit
def clause_moved(d, rng):
    clauses = [i for i in d.of('clause') if len(d.blocks[i].text) > 60 and re.match(r'\d', d.blocks[i].text)]
    at = rng.choice(clauses)
    block = d.blocks.pop(at)
    to = rng.choice([i for i in d.of('clause') if abs(i - at) > 3])
    d.blocks.insert(to, block)
    return Seen(2 * len(block.text) + 4, 'moved', [], ['formatting'])


@habit
def clause_moved_and_edited(d, rng):
    at = d.at('2.3')
    block = d.blocks.pop(at)
    block.sub('written consent', 'prior written consent')
    block.sub('2.3', '7.3')
    d.blocks.insert(d.at('7.2') + 1, block)
    return Seen(2 * len(block.text) + 12, None, [('moved', '', 'Neither party may assign')], ['formatting'])


@habit
def section_reordered(d, rng):
    at, end, to = d.at('4. '), d.at('5. '), d.at('6. ')
    taken = d.blocks[at:end]
    del d.blocks[at:end]
    to = d.at('6. ')
    d.blocks[to:to] = taken
    return Seen(900, 'moved', [('moved', '', '')], ['formatting'])


@habit
def section_reordered_and_counted(d, rng):
    at, end = d.at('4. '), d.at('5. ')
    taken = d.blocks[at:end]
    del d.blocks[at:end]
    to = d.at('6. ')
    d.blocks[to:to] = taken
    renumber(d, 4, 99), renumber(d, 5, 4), renumber(d, 99, 5)
    return Seen(900, None, [('moved', '', '')], ['formatting'])


@habit
def split(d, rng):
    at = d.at('2.2')
    one, two = d.blocks[at].text.split('. ', 1)
    d.blocks[at] = Para(one + '.')
    d.blocks.insert(at + 1, Para(two))
    return Seen(3, None, [], ['formatting'])


@habit
def split_and_counted(d, rng):
    at = d.at('6.1')
    block = d.blocks[at]
    one, two = block.pieces[0][0].split('. Nothing', 1)
    d.blocks[at] = Para(one + '.')
    second = Para('6.2 Nothing' + two)
    second.pieces += block.pieces[1:]
    d.by_start('6.2').sub('6.2', '6.3')
    d.blocks.insert(at + 1, second)
    return Seen(12, None, [], ['formatting'])


@habit
def joined(d, rng):
    at = d.at('5.1')
    two = d.blocks.pop(at + 1)
    two.sub('5.2 Either', ' Either')
    d.blocks[at].pieces += two.pieces
    d.by_start('5.3').sub('5.3', '5.2')
    return Seen(12, None, [], ['formatting'])


@habit
def sentence_moved(d, rng):
    d.by_start('2.1').sub(' The Supplier shall keep records of the Services for six years.', '')
    d.by_start('4.1').pieces.append([' The Supplier shall keep records of the Services for six years.', ''])
    return Seen(128, None, [], ['formatting'])


@habit
def column_added(d, rng):
    table = d.table()
    for row, text in zip(table.rows, ['Rate', 'EUR 90', 'EUR 96', 'EUR 162', '–']):
        row.insert(2, text)
    return Seen(30, None, [('table_insertion', '', '')], ['table_deletion', 'replacement'])


@habit
def column_gone(d, rng):
    for row in d.table().rows:
        del row[1]
    return Seen(20, None, [('table_deletion', '', '')], ['table_insertion', 'replacement'])


@habit
def row_added(d, rng):
    d.table().rows.insert(3, ['Cleaning', '12', 'EUR 480'])
    return Seen(20, None, [('table_insertion', '', '')], ['table_deletion', 'replacement'])


@habit
def row_gone(d, rng):
    del d.table().rows[2]
    return Seen(20, None, [('table_deletion', '', '')], ['table_insertion', 'replacement'])


@habit
def row_moved(d, rng):
    rows = d.table().rows
    rows.append(rows.pop(1))
    return Seen(50, None, [('table_deletion', '', ''), ('table_insertion', '', '')])


@habit
def prices_raised(d, rng):
    for row, text in zip(d.table().rows[1:4], ['EUR 950', 'EUR 2,600', 'EUR 700']):
        row[2] = text
    return Seen(24, 'EUR', [], ['table_deletion', 'table_insertion'])


@habit
def row_sorted(d, rng):
    rows = d.table().rows
    rows[1:] = sorted(rows[1:])
    return Seen(80)


@habit
def cells_joined(d, rng):
    table = d.table()
    table.rows[4] = ['Spare parts', 'at cost']
    table.spans[4, 1] = '<w:gridSpan w:val="2"/>'
    return Seen(40)


@habit
def row_two_paragraphs(d, rng):
    d.table().rows[2][0] = 'Repair\nwithout parts'
    return Seen(15, None, [], ['table_deletion', 'table_insertion'])


@habit
def list_to_table(d, rng):
    items = d.of('item')
    rows = [['Exception', 'Who decides']] + [[d.blocks[i].text, who] for i, who in zip(items, ['nobody', 'the court', 'the party'])]
    d.blocks[items[0]:items[-1] + 1] = [Table(rows), Para('')]
    return Seen(None)


@habit
def table_to_list(d, rng):
    at = d.of('table')[0]
    d.blocks[at:at + 1] = [Para(': '.join(row), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>', 'item') for row in d.table().rows[1:]]
    return Seen(None)


@habit
def item_added(d, rng):
    at = d.of('item')[1]
    d.blocks.insert(at, Para('information that a party had before', d.blocks[at].props, 'item'))
    return Seen(37, None, [('insertion', '', 'had before')], ['deletion', 'formatting'])


@habit
def item_deeper(d, rng):
    d.blocks[d.of('item')[1]].props = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'
    return Seen(0, None, [('formatting', '', '')], ['insertion', 'deletion', 'replacement'])


@habit
def items_to_sentence(d, rng):
    items = d.of('item')
    texts = [d.blocks[i].text for i in items]
    del d.blocks[items[0]:items[-1] + 1]
    d.by_start('4.2').pieces[0][0] = '4.2 This does not apply to ' + ', '.join(texts) + '.'
    return Seen(160)


@habit
def picture_replaced(d, rng):
    d.pictures['rIdP'] = PIXEL[:-12] + PIXEL[-12:] + b'\0'
    return Seen(0)


@habit
def picture_resized(d, rng):
    block = d.blocks[d.of('picture')[0]]
    block.pieces = [[picture('rIdP', 5, 1828800), None]]
    return Seen(0)


@habit
def header_changed(d, rng):
    d.header = 'Draft 2 – confidential'
    return Seen(2, None, [('replacement', '1', '2')])


@habit
def header_for_first_page(d, rng):
    d.first = 'For signature'
    return Seen(None)


@habit
def footer_changed(d, rng):
    d.footer = 'Alder Works Ltd – page'
    return Seen(12)


@habit
def note_edited(d, rng):
    d.notes[2] = 'Records may be kept in any form.'
    return Seen(20, None, [], ['formatting'])


@habit
def note_gone(d, rng):
    block = d.by_start('2.1')
    block.pieces = [piece for piece in block.pieces if piece[1] is not None]
    del d.notes[2]
    return Seen(None)


@habit
def note_added(d, rng):
    d.notes = {2: d.notes[2], 3: 'Without value added tax.', 4: d.notes[3]}
    for block in d.blocks:
        if isinstance(block, Para):
            for piece in block.pieces:
                if piece[1] is None:
                    piece[0] = piece[0].replace('footnoteReference w:id="3"', 'footnoteReference w:id="4"')
    d.by_start('3.1').pieces.append([note(3), None])
    return Seen(30, None, [], ['deletion', 'replacement'])


@habit
def note_moved(d, rng):
    block = d.by_start('6.1')
    mark = block.pieces.pop()
    d.by_start('3.1').pieces.append(mark)
    return Seen(None)


@habit
def bold(d, rng):
    d.by_start('3.1').pieces = [['3.1 The Customer shall pay the Supplier ', ''], ['EUR 12,500.00', '<w:b/>'], [' for each month within 30 days of the date of the invoice.', '']]
    return Seen(0, None, [('formatting', '', '')], ['insertion', 'deletion', 'replacement'])


@habit
def not_bold(d, rng):
    block = d.by_start('1.1')
    block.pieces[1][1] = ''
    return Seen(0, None, [('formatting', '', '')], ['insertion', 'deletion', 'replacement'])


@habit
def font_of_all(d, rng):
    for block in d.blocks:
        if isinstance(block, Para):
            for piece in block.pieces:
                if piece[1] is not None:
                    piece[1] = '<w:rFonts w:ascii="Arial" w:hAnsi="Arial"/>' + piece[1]
    return Seen(0, None, [], ['insertion', 'deletion', 'replacement'])


@habit
def style_changed(d, rng):
    d.by_start('7.1').props = '<w:pStyle w:val="Quote"/>'
    return Seen(0, None, [('formatting', '', '')], ['insertion', 'deletion', 'replacement'])


@habit
def style_redefined(d, rng):
    d.normal = '<w:sz w:val="20"/>'
    return Seen(0, None, [('limitation', '', '')])


@habit
def page_turned(d, rng):
    d.size = '<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/>'
    return Seen(0, None, [('formatting', '', '')])


@habit
def section_break(d, rng):
    at = d.at('4. ') - 1
    d.blocks[at].props += '<w:sectPr><w:headerReference w:type="default" r:id="rIdH"/><w:footerReference w:type="default" r:id="rIdT"/>%s</w:sectPr>' % d.size
    return Seen(2)


@habit
def quotes_curled(d, rng):
    for block in d.blocks:
        if isinstance(block, Para):
            for piece in block.pieces:
                if piece[1] is not None:
                    piece[0] = piece[0].replace('“', '"').replace('”', '"').replace('’', "'")
    return Seen(140)


@habit
def spaces_tidied(d, rng):
    for start in ('2.1', '2.2', '6.1'):
        d.by_start(start).sub('. ', '.  ')
    return Seen(3)


@habit
def punctuation(d, rng):
    d.by_start('5.3').sub('keys, passes and papers', 'keys, passes, and papers')
    return Seen(2)


@habit
def capitals(d, rng):
    d.by_start('4.1').sub('confidential', 'Confidential')
    return Seen(24)


@habit
def typo(d, rng):
    d.by_start('7.1').sub('jurisdiction', 'juristiction')
    return Seen(24)


@habit
def reference_field(d, rng):
    block = d.by_start('7.2')
    block.pieces[-1] = [field('REF Other \\h', '1.2'), None]
    return Seen(8)


@habit
def box_edited(d, rng):
    block = d.by_start('6.2')
    block.pieces[-1] = [text_box('Important: read this clause twice.'), None]
    return Seen(12, None, [('insertion', '', 'twice')], ['deletion'])


@habit
def sentence_rewritten(d, rng):
    d.by_start('5.3').pieces[0][0] = '5.3 Once this Agreement has come to an end, all unpaid invoices fall due at once; keys, passes and papers go back to their owner.'
    return Seen(260)


@habit
def paragraph_rewritten_beside_others(d, rng):
    at = d.at('4.1')
    d.blocks[at] = Para('4.1 No secret of one side may be told to anybody by the other, for ever.')
    d.blocks.insert(at, Para('4.0 What follows binds both sides.'))
    return Seen(240)


@habit
def paragraph_doubled(d, rng):
    at = d.at('6.2')
    new = Para(d.blocks[at].text.replace('6.2', '6.3').replace('Supplier', 'Customer'))
    d.blocks.insert(at + 1, new)
    return Seen(len(new.text) + 2, None, [], ['deletion', 'replacement'])


@habit
def empty_lines(d, rng):
    for start in ('3. ', '5. '):
        d.blocks.insert(d.at(start), Para(''))
    return Seen(4, None, [], ['deletion', 'replacement', 'formatting'])


@habit
def heading_text(d, rng):
    d.by_start('5. ').sub('Term and termination', 'Term')
    return Seen(18, None, [('deletion', 'termination', '')])


@habit
def clause_to_end(d, rng):
    d.blocks.append(Para('Schedule 1: the lifts in all buildings of the Customer.'))
    return Seen(60, None, [('insertion', '', 'Schedule 1')], ['deletion', 'replacement', 'formatting'])


@habit
def last_goes(d, rng):
    d.blocks.pop()
    return Seen(60, None, [('deletion', 'Signed', '')], ['insertion', 'replacement', 'formatting'])


@habit
def first_goes(d, rng):
    d.blocks.pop(0)
    return Seen(20, None, [('deletion', 'SERVICES', '')], ['insertion', 'replacement', 'formatting'])


@habit
def link_added(d, rng):
    d.links['rIdL'] = 'https://example.org/terms'
    block = d.by_start('3.3')
    block.pieces = [['3.3 The prices in the ', ''], ['<w:hyperlink r:id="rIdL">%s</w:hyperlink>' % run('table'), None], [' are fixed until 31 December 2027.', '']]
    return Seen(12)


@habit
def control_around(d, rng):
    at = d.at('5.1')
    block = d.blocks[at]
    block.pieces = [['5.1 This Agreement begins on the Start Date and runs for ', ''], ['<w:sdt><w:sdtPr><w:alias w:val="Term"/><w:tag w:val="term"/></w:sdtPr><w:sdtContent>%s</w:sdtContent></w:sdt>' % run('three'), None], [' years.', '']]
    return Seen(12)


# No tracked change says that a list became a table: its text goes and comes.
STRUCTURE = {'list_to_table', 'table_to_list'}


def seen_by(engross, before, after, target, extra=()):
    """What the program answers, and what it tells a person."""
    call = [engross, 'compare', before, after, '-o', target, '--date', '2026-01-01T00:00:00Z', *extra]
    ran = subprocess.run(call + ['--json'], capture_output=True, text=True)
    if ran.returncode:
        return None, ran.stderr
    told = subprocess.run(call + ['--summary'], capture_output=True, text=True).stdout
    return json.loads(ran.stdout), told


def faults(answer, told, seen):
    """In what the answer is not what a reader must see."""
    changes = answer['changes']
    wrong = []
    if (answer['proof'].get('reject'), answer['proof'].get('accept')) != ('holds', 'holds'):
        wrong.append('proof %s' % answer['proof'])
    size = sum(len(c['before']) + len(c['after']) for c in changes if c['kind'] in ('insertion', 'deletion', 'replacement'))
    if seen.most is not None and size > seen.most:
        wrong.append('%d characters give way for %d' % (size, seen.most))
    lines = [line for line in told.splitlines() if line.startswith('  ')]
    if seen.first and not (lines and seen.first in lines[0]):
        wrong.append('first told is %r, not %r' % (lines[:1], seen.first))
    for kind, old, new in seen.has:
        if kind == 'limitation':
            found = answer['limitations']
        elif kind == 'moved':
            found = [c for c in changes if c.get('counterpart') and new in c['after']]
        else:
            found = [c for c in changes if c['kind'] == kind and old in c['before'] and new in c['after']]
        if not found:
            wrong.append('no %s %r %r' % (kind, old, new))
    for kind in seen.none:
        found = [c for c in changes if c['kind'] == kind]
        if found:
            wrong.append('%d of kind %s: %r' % (len(found), kind, [(c['before'][:50], c['after'][:50]) for c in found[:3]]))
    if not changes and not answer['limitations']:
        wrong.append('nothing is told')
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--engross', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=100)
    parser.add_argument('--only')
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    import check_redline
    place = lambda name: os.path.abspath(os.path.join(arguments.out, name + '.docx'))
    rng = random.Random(arguments.seed)
    jobs = []
    for name in sorted(HABITS):
        jobs.append((name, [name], False))
        jobs.append((name + '.back', [name], True))
    for number in range(arguments.rounds):
        names = rng.sample(sorted(HABITS), rng.randint(2, 6))
        jobs.append(('mixed%04d' % number, names, rng.random() < 0.3))
    count = collections.Counter()
    total = [0, 0]
    for job, names, is_back in jobs:
        if arguments.only and arguments.only not in job:
            continue
        before, after = Draft(), Draft()
        own = random.Random('%d %s' % (arguments.seed, job))
        seen, done = Seen(), []
        for name in names:
            tried = after.copy()
            try:
                seen = HABITS[name](tried, own)
            except (StopIteration, IndexError, ValueError):
                continue
            after, done = tried, done + [name]
        if len(names) > 1 or is_back:
            seen = Seen(seen.most if is_back and len(names) == 1 else None)
        pair = [before, after]
        if is_back:
            pair.reverse()
        files = [place(job + '.before'), place(job + '.after')]
        for draft, file in zip(pair, files):
            draft.write(file)
        answer, told = seen_by(arguments.engross, *files, place(job))
        count['jobs'] += 1
        if answer is None:
            count['wrong'] += 1
            print('%s: no redline: %s' % (job, told.strip()))
            continue
        wrong = faults(answer, told, seen)
        judged = check_redline.check(*(open(name, "rb").read() for name in (*files, place(job))))
        for level in ('pass_text', 'pass_strict', 'pass_pkg', 'pass_schema'):
            if not judged.get(level):
                wrong.append('judge: %s %s' % (level, [k for k in judged if judged[k] is False][:6]))
        moved = any(c.get('counterpart') for c in answer['changes'])
        if not moved and judged.get('min_chars') is not None:
            total[0] += judged['ins_chars'] + judged['del_chars']
            total[1] += judged['min_chars']
            if len(names) > 1 and not STRUCTURE & set(done) and judged['ins_chars'] + judged['del_chars'] > 1.5 * judged['min_chars'] + 60:
                wrong.append('%d characters for %d' % (judged['ins_chars'] + judged['del_chars'], judged['min_chars']))
        if wrong:
            count['wrong'] += 1
            print('%s (%s): %s' % (job, ', '.join(done), '; '.join(wrong)))
    print('%d pairs, %d with a fault; minimality without moves %.3f' % (count['jobs'], count['wrong'], total[0] / max(1, total[1])))
    return 1 if count['wrong'] else 0


if __name__ == '__main__':
    sys.exit(main())
