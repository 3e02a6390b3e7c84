#!/usr/bin/env python3
"""A stand-in for the engine that writes the planned edits as tracked changes, so that the judge itself can be tested.

It reads expect.json beside the operations file, so it proves nothing about an engine: a run of `edit_model.py batch` with it
must come out clean, and with a FAULT in the environment it must not. Faults: mode (an untracked result), entries (another
entry is packed again), text (one character too many), crash, obey (also applies what should be refused).
Usage: edit_model_fake.py apply FILE OPS.json -o OUT [ignored options]"""
import json
import os
import sys

import edit_model
import edit_tree
import zip_entries


def main():
    fault = os.environ.get('FAULT', '')
    if fault == 'crash':
        os.abort()
    source, operations = sys.argv[2], sys.argv[3]
    output = sys.argv[sys.argv.index('-o') + 1]
    planned = json.loads(edit_model.read(os.path.join(os.path.dirname(operations), 'expect.json')))['operations']
    skip = set() if fault == 'obey' else {o['index'] for o in planned if o['expect'] != 'applied'}
    data = edit_model.read(source)
    tracked = None if fault == 'mode' else edit_tree.Tracked('Tester', '2026-01-01T00:00:00Z')
    if fault == 'text':
        for operation in planned:
            if operation.get('put'):
                operation['put'] += '!'
    redline = edit_tree.wanted(data, planned, frozenset(skip), tracked)
    if fault == 'entries':
        redline = zip_entries.replaced(redline, '[Content_Types].xml', zip_entries.read(redline)[0].content() + b' ')
    if len(skip) < len(planned):
        edit_model.write(output, redline)
    statuses = [{'index': o['index'], 'status': 'refused', 'code': 'FAKE_REFUSAL'} if o['index'] in skip else {'index': o['index'], 'status': 'applied'}
                for o in planned]
    print(json.dumps({'input': source, 'output': output, 'operations': statuses}))
    return 1 if skip else 0


if __name__ == '__main__':
    sys.exit(main())
