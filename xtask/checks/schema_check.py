#!/usr/bin/env python3
"""Schema errors that a redline has and its source has not, by the Open XML SDK's validator. Needs `pip install docx-scalpel`.

An error is its code and the element it is about: text that takes the look of a run whose look is already wrong is no new one.

  schema_check.py --documents documents.csv --root FOLDER --out DIR [--limit N]
  schema_check.py --pairs DIR [--limit N]
  schema_check.py --compared LIST.tsv [--limit N]

DIR is the output of `edit_model.py batch`, or holds NAME.before.docx and NAME.after.docx, as the random batches keep them
(`ENGROSS_JOBS_KEEP`). LIST.tsv has lines id, before, after, redline of a comparison, whose redline may have the errors of either.
Exit 1 when something is new."""
import argparse
import collections
import itertools
import os
import re
import sys

import docx_scalpel

import edit_model

PLACE = re.compile(r"/([\w:]+)\[\d+\]'")


def errors(path):
    """The schema errors of a document, each with a message. Other findings of the host are no affair of the schema."""
    answer = docx_scalpel.verify_deliverable(edit_model.read(path))
    found = {}
    for finding in getattr(answer, 'report', answer).findings:
        if getattr(finding.category, 'value', finding.category) == 'openXml':
            message = str(getattr(finding, 'message', ''))
            place = PLACE.search(message)
            found.setdefault('%s %s' % (finding.code, place.group(1) if place else '?'), message[:300])
    return found


def batches(arguments):
    """The names, sources and redlines of the documents of a list."""
    for path in edit_model.documents(arguments.documents):
        redline = os.path.join(arguments.out, path.replace('/', '__'), 'redline.docx')
        if os.path.exists(redline):
            yield path, [os.path.join(arguments.root, path)], redline


def pairs(folder):
    """The names, sources and redlines of a folder."""
    for name in sorted(os.listdir(folder)):
        stem = name.removesuffix('.after.docx')
        if stem != name:
            yield stem, [os.path.join(folder, stem + '.before.docx')], os.path.join(folder, name)


def compared(listing):
    """The names, sources and redlines of comparisons."""
    with open(listing) as file:
        for line in file:
            name, before, after, redline = line.rstrip('\n').split('\t')
            yield name, [before, after], redline


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('documents', 'root', 'out', 'pairs', 'compared'):
        parser.add_argument('--' + name)
    parser.add_argument('--limit', type=int)
    arguments = parser.parse_args()
    if not arguments.pairs and not arguments.compared and not (arguments.documents and arguments.root and arguments.out):
        parser.error('either --pairs, or --documents, --root and --out')
    looked_at = unread = 0
    new = collections.defaultdict(list)
    shown, known = {}, {}
    cases = pairs(arguments.pairs) if arguments.pairs else compared(arguments.compared) if arguments.compared else batches(arguments)
    for path, sources, redline in itertools.islice(cases, arguments.limit):
        try:
            before = {}
            for source in sources:
                bytes_of_source = edit_model.read(source)
                if bytes_of_source not in known:
                    known[bytes_of_source] = errors(source)
                before.update(known[bytes_of_source])
            after = errors(redline)
        except Exception as error:
            unread += 1
            print('not read: %s: %s' % (path, repr(error)[:160]))
            continue
        looked_at += 1
        for name in after.keys() - before.keys():
            new[name].append(path)
            shown.setdefault(name, after[name])
    print('documents %d, not read %d, with a new error %d' % (looked_at, unread, len({p for paths in new.values() for p in paths})))
    for name, paths in sorted(new.items(), key=lambda item: -len(item[1])):
        print('  %-40s %d, such as %s\n      %s' % (name, len(paths), paths[0], shown[name]))
    return 1 if new else 0


if __name__ == '__main__':
    sys.exit(main())
