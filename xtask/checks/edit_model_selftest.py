#!/usr/bin/env python3
"""Tests of the edit model itself; the engine takes no part. Needs python3 and lxml.

  edit_model_selftest.py --documents documents.csv --root FOLDER [--seed N]

For every document: the plan repeats for the same seed; wanted.docx parses, loads in the checker, and its paragraphs differ from
the source exactly as the operations say (worked out on strings, not on the tree); a replay with a subset gives that subset;
tracked by the stand-in, the edits reject to the source and accept to wanted, at the strictest level.
It must never write beside the documents. Read next: edit_model.py."""
import argparse
import json
import os
import sys
import traceback

import check_redline
import edit_model
import edit_tree


def expected_paragraphs(tree, planned, skip):
    """Paragraph texts after the operations, from the operations' own JSON and the texts of the source."""
    out = []
    by_paragraph = {o['paragraph']: o for o in planned if o['index'] not in skip}
    for paragraph in tree.paragraphs:
        text, operation = paragraph.text(), by_paragraph.get(paragraph.number)
        op = operation['op'] if operation else {'op': None}
        if op['op'] == 'modify_text':
            pieces = text.split(op['originalText'])
            nth = op.get('occurrence', 1)
            assert len(pieces) > nth and ('occurrence' in op or len(pieces) == 2), 'ambiguous: %r' % op
            text = op['originalText'].join(pieces[:nth]) + op['replacementText'] + op['originalText'].join(pieces[nth:])
            out.append(text)
        elif op['op'] == 'insert_paragraph':
            assert ('after' in op) != ('before' in op) and (op.get('after') or op.get('before')) == 'P%d' % paragraph.number
            out += [text, op['content']] if 'after' in op else [op['content'], text]
        elif op['op'] == 'delete_paragraph':
            if tree.mark_stays(paragraph.element):
                out.append('')
        else:
            out.append(text)
    return out


def check_document(data, seed):
    planned = edit_model.plan(data, seed, True)
    assert json.dumps(planned) == json.dumps(edit_model.plan(data, seed, True)), 'the plan is not repeatable'
    used = [o['paragraph'] for o in planned]
    assert len(used) == len(set(used)), 'two operations on one paragraph'
    shaped = sorted(o['paragraph'] for o in planned if o['kind'] != 'text')
    assert all(b - a > 1 for a, b in zip(shaped, shaped[1:])), 'inserts or deletes side by side'
    tree = edit_tree.Tree(data)
    source = [p.text() for p in tree.paragraphs]
    refused = {o['index'] for o in planned if o['expect'] != 'applied'}
    for skip in (refused, refused | {o['index'] for o in planned[::2]}, set()):
        result = edit_model.wanted(data, planned, skip)
        loaded = check_redline.Doc(check_redline.Pkg(result), 'accept')
        assert loaded.st['body'] or not source
        got = [p.text() for p in edit_tree.Tree(result).paragraphs]
        want = expected_paragraphs(tree, planned, skip)
        assert got == want, 'wanted differs: %r' % next(((a, b) for a, b in zip(want, got) if a != b), (len(want), len(got)))
        assert (got == source) == (len(skip) == len(planned)), 'nothing changed'
    statuses = {'operations': [{'status': 'refused', 'code': 'X'} if o['index'] in refused else {'status': 'applied'} for o in planned]}
    tracked = edit_tree.wanted(data, planned, frozenset(refused), edit_tree.Tracked('Tester', '2026-01-01T00:00:00Z'))
    record = edit_model.judge(data, planned, statuses, tracked)
    assert record['reject_strict'] and record['accept_strict'], 'tracked: %s' % {k: record.get(k) for k in ('reject_first', 'accept_first')}
    assert record['entries_identical'] and not record.get('schema_new') and not record.get('pkg_new') and not record.get('error'), str(record)
    return planned


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--documents', required=True)
    parser.add_argument('--root', required=True)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    failed = operations = refusals = empty = 0
    for path in edit_model.documents(arguments.documents):
        try:
            planned = check_document(edit_model.read(os.path.join(arguments.root, path)), arguments.seed)
            operations += len(planned)
            refusals += sum(o['expect'] != 'applied' for o in planned)
            empty += not planned
        except Exception:
            failed += 1
            print(path + '\n    ' + traceback.format_exc().strip().splitlines()[-1][:500])
    print('operations %d, of them refused_ok %d; documents without paragraphs %d; failed %d' % (operations, refusals, empty, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
