#!/usr/bin/env python3
"""LibreOffice as a second reader of redlines: it opens each, and accepting all there gives the text that engross accepts to.

  office_check.py --documents documents.csv --root FOLDER --out DIR --engine PATH [--sample 200] [--seed 1]

DIR is the output of `edit_model.py batch`. Both texts are LibreOffice's own: of the redline after its *Accept All*, and of the
file that the engine accepted. A document whose source shows the same difference by itself (accepted there, and by the engine) is
LibreOffice's affair and is counted apart. Needs soffice and a Python that has its module uno (`/usr/bin/python3` where the
system's package is installed). It must never change DIR beside `office/`."""
import argparse
import csv
import os
import random
import re
import subprocess
import sys
import time
import zipfile

import uno
from com.sun.star.beans import PropertyValue

PIPE = 'engross-office-%d' % os.getpid()


class Office:
    """One LibreOffice, started again when it dies."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def desktop(self):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(['soffice', '--headless', '--norestore', '--accept=pipe,name=%s;urp;' % PIPE,
                                             '-env:UserInstallation=file://' + os.path.join(self.folder, 'profile')],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.context = None
        for _ in range(60):
            try:
                local = uno.getComponentContext()
                resolver = local.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', local)
                self.context = resolver.resolve('uno:pipe,name=%s;urp;StarOffice.ComponentContext' % PIPE)
                return self.context.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', self.context)
            except Exception:
                time.sleep(0.5)
        raise RuntimeError('LibreOffice does not answer')

    def text(self, path, accept):
        """Text of a document; None when LibreOffice cannot open it, twice over: it dies now and then by itself."""
        return next((text for text in (self.once(path, accept) for _ in range(2)) if text is not None), None)

    def once(self, path, accept):
        path = without_comments(path, os.path.join(self.folder, 'read.docx'))
        try:
            document = self.desktop().loadComponentFromURL('file://' + os.path.abspath(path), '_blank', 0, (value('Hidden', True),))
            if document is None:
                return None
            if accept:
                helper = self.context.ServiceManager.createInstanceWithContext('com.sun.star.frame.DispatchHelper', self.context)
                helper.executeDispatch(document.CurrentController.Frame, '.uno:AcceptAllTrackedChanges', '', 0, ())
            target = os.path.join(self.folder, 'text.txt')
            document.storeToURL('file://' + target, (value('FilterName', 'Text (encoded)'), value('FilterOptions', 'UTF8,LF,,,')))
            document.close(True)
            with open(target, encoding='utf-8-sig') as file:
                return file.read()
        except Exception as error:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            print('  %s: %s' % (os.path.basename(os.path.dirname(path)), repr(error)[:120]), file=sys.stderr)
            return None


COMMENTS = re.compile(rb'<w:commentRange(?:Start|End)\b[^>]*/>|<w:r\b[^>]*>(?:<w:rPr>(?:(?!</w:r>).)*?</w:rPr>)?<w:commentReference\b[^>]*/></w:r>', re.DOTALL)


def without_comments(path, target):
    """A copy without the marks of comments: without a screen, LibreOffice 7.4 dies while it lays comments out."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as copy:
        for name in source.namelist():
            data = source.read(name)
            copy.writestr(name, COMMENTS.sub(b'', data) if name.endswith('.xml') else data)
    return target


def value(name, content):
    return PropertyValue(Name=name, Value=content)


def documents(path):
    with open(path, newline='', encoding='utf-8') as rows:
        return [row['path'] for row in csv.DictReader(rows) if row.get('status', 'ok') == 'ok']


def accepted(engine, path, target):
    subprocess.run([engine, 'accept', path, '-o', target], check=True, stdout=subprocess.DEVNULL)
    return target


def lines(text):
    """Lines without what LibreOffice counts by itself."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('documents', 'root', 'out', 'engine'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--sample', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    folder = os.path.abspath(os.path.join(arguments.out, 'office'))
    os.makedirs(folder, exist_ok=True)
    redline = lambda path: os.path.join(arguments.out, path.replace('/', '__'), 'redline.docx')
    paths = [p for p in documents(arguments.documents) if os.path.exists(redline(p))]
    random.Random(arguments.seed).shuffle(paths)
    office, ours = Office(folder), os.path.join(folder, 'accepted.docx')
    opened, equal, own, unopened, died, different = 0, 0, [], [], [], []
    for path in paths[:arguments.sample]:
        source = os.path.join(arguments.root, path)
        got = office.text(redline(path), True)
        if got is None:
            if office.text(redline(path), False) is not None:
                opened += 1
                died.append(path)
            else:
                (own if office.text(source, False) is None else unopened).append(path)
            continue
        opened += 1
        want = office.text(accepted(arguments.engine, redline(path), ours), False)
        if want is not None and lines(got) == lines(want):
            equal += 1
            continue
        # The same comparison without our edits.
        there, here = office.text(source, True), office.text(accepted(arguments.engine, source, ours), False)
        (own if there is None or here is None or lines(there) != lines(here) else different).append(path)
        if different and different[-1] == path:
            first = next(((a, b) for a, b in zip(lines(got) + [''], lines(want or '') + ['']) if a != b), None)
            print('different: %s: %s' % (path, str(first)[:300]))
    print('sample %d, opened %d, same text %d, source differs by itself or does not open %d, not opened %d, dies while accepting %d, different %d'
          % (len(paths[:arguments.sample]), opened, equal, len(own), len(unopened), len(died), len(different)))
    for name, some in (('not opened', unopened), ('dies while accepting', died)):
        for path in some:
            print('%s: %s' % (name, path))
    office.process.terminate()
    return 1 if unopened or different else 0


if __name__ == '__main__':
    sys.exit(main())
