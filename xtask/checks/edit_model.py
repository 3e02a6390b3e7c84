#!/usr/bin/env python3
"""An independent model of document edits, to judge the engine with. Needs python3 and lxml.

  edit_model.py plan DOCX --seed N --out DIR
      writes ops.json (what the engine gets), expect.json (the same operations with what should happen to each, and where)
      and wanted.docx (the document with the edits made directly on the XML, untracked)
  edit_model.py judge DOCX DIR --redline R.docx --result R.json
      one JSON line: what the engine did with each operation, the levels of check_redline.check, and whether every zip entry
      it did not have to touch is byte-identical
  edit_model.py batch --documents documents.csv --root FOLDER --seed N --out DIR --engine PATH [--jobs 2] [--timeout 60] [--only TEXT]
      plan, apply and judge for every document; writes results.jsonl and a summary; exit 1 when something is wrong

Expectations: "applied" means the engine should make the edit; "refused_ok" means its contract is to refuse it, and wanted.docx
does not hold the edit. A refusal of an "applied" operation is counted, not an error; wanted is then built again without it.
The model must never call the engine; only `batch` runs it, as a user would. Read next: edit_plan.py, edit_tree.py."""
import argparse
import collections
import csv
import json
import multiprocessing
import os
import posixpath
import subprocess
import sys
import time
import traceback

import check_redline
import edit_kinds
import edit_plan
import edit_tree
import zip_entries

LEVELS = [side + '_' + level for side in ('reject', 'accept') for level in check_redline.LEVELS]
ENGINE_OPTIONS = ['--author', 'Tester', '--date', '2026-01-01T00:00:00Z', '--json']
USUAL_EXITS = (0, 1)


def plan(data, seed, basic=False):
    """The planned operations (index, op, expect, class and the edit itself) for one document; `basic`: of text and paragraphs only."""
    return edit_plan.Planner(edit_tree.Tree(data), seed, basic).plan()


def wanted(data, planned, skip=None, around=None):
    """The document after the planned operations, without the indexes in `skip` (default: those the engine should refuse)."""
    if skip is None:
        skip = {o['index'] for o in planned if o['expect'] != 'applied'}
    return edit_tree.wanted(data, planned, frozenset(skip), None, around)


def write_plan(data, seed, folder):
    planned = plan(data, seed)
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, 'ops.json'), dump({'operations': [o['op'] for o in planned]}))
    write(os.path.join(folder, 'expect.json'), dump({'seed': seed, 'operations': planned}))
    write(os.path.join(folder, 'wanted.docx'), wanted(data, planned))
    return planned


def judge(data, planned, result, redline):
    """What the engine's result and redline (None: no file) are worth: a dictionary for one JSON line."""
    reported = result.get('operations') or []
    by_index = {o['index']: r for o, r in zip(planned, reported)}
    status = {o['index']: by_index.get(o['index'], {}).get('status', 'missing') for o in planned}
    out = {'operations': len(planned), 'statuses': dict(collections.Counter(status.values()))}
    refused, unexpected = collections.Counter(), collections.Counter()
    for operation in planned:
        index = operation['index']
        if status[index] in ('applied', 'missing') or status[index] == operation['expect']:
            continue
        code = by_index[index].get('code') or status[index].upper()
        refused[code] += 1
        if operation['expect'] == 'applied':
            unexpected['%s (%s)' % (code, operation['class'])] += 1
    broken = [o['index'] for o in planned if o['expect'] != 'applied' and status[o['index']] == 'applied']
    codeless = sum(status[i] in ('refused', 'failed') and not by_index[i].get('code') for i in status)
    out.update(refused_by_code=dict(refused), unexpected_refusals=dict(unexpected),
               refusals_expected=sum(o['expect'] == 'refused_ok' for o in planned), classes=classes(planned, status), contract_broken=len(broken),
               contract_broken_operations=[dict(planned[i]['op'], **{'class': planned[i]['class']}) for i in broken[:3]])
    if len(reported) != len(planned):
        out['error'] = 'the result lists %d operations of %d' % (len(reported), len(planned))
    applied = [i for i, s in status.items() if s == 'applied']
    if redline is None:
        if applied:
            out['error'] = 'operations reported as applied, but there is no redline'
        out.update(no_output=True, silently_wrong=bool(applied))
        return out
    kinds = {o['kind'] for o in planned if o['index'] in applied}
    lists = kinds & {'list', 'headers'}
    # The definition of a new list is no tracked change and has no one right form: it is taken as it is, and its markers are looked at.
    target = wanted(data, planned, {i for i in status if i not in applied}, redline if lists else None)
    wrong = list_faults(redline, [o for o in planned if o['index'] in applied and o['kind'] in lists]) if lists else []
    if wrong or codeless:
        out['error'] = '; '.join(wrong + ['%d refusals without a code' % codeless] * bool(codeless))
    verdict = check_redline.check(data, target, redline, gran=False)
    out.update({k: verdict.get(k) for k in LEVELS})
    out.update({k: verdict[k] for k in ('reject_first', 'accept_first', 'pkg_new', 'schema_new', 'revisions', 'error') if verdict.get(k)})
    strict = bool(verdict.get('reject_strict') and verdict.get('accept_strict'))
    out['silently_wrong'] = bool(applied) and not strict or bool(wrong)
    source = edit_tree.Tree(data)
    changed = [source.main]
    folder, name = posixpath.split(source.main)
    if kinds & {'comment', 'list', 'headers'}:
        changed += ['[Content_Types].xml', posixpath.join(folder, '_rels', name + '.rels')]
    if 'comment' in kinds:
        changed += [posixpath.join(folder, n + '.xml') for n in edit_kinds.COMMENT_PARTS]
        changed += [part for part in map(lambda n: source.related(n)[0], edit_kinds.COMMENT_PARTS) if part]
    if lists:
        changed.append(source.related('numbering')[0] or posixpath.join(folder, 'numbering.xml'))
    changed += [o['part'] for o in planned if o['index'] in applied and o['kind'] == 'note']
    different = zip_entries.differences(data, redline, changed)
    out['entries_identical'] = not different
    if different:
        out['entries'] = different[:5]
    return out


def classes(planned, status):
    """Of each class of operations how many ended how."""
    found = collections.defaultdict(collections.Counter)
    for operation in planned:
        found[operation['class']][status[operation['index']]] += 1
    return {name: dict(counts) for name, counts in found.items()}


def list_faults(redline, planned):
    """New lists whose first level is not marked as asked for."""
    tree = edit_tree.Tree(redline)
    root = tree.related('numbering')[1]
    if root is None:
        return ['the redline has no numbering part']
    w = tree.w
    abstract = {e.get(w('abstractNumId')): e for e in root.iter(w('abstractNum'))}
    instances = [(int(e.get(w('numId'))), e.find(w('abstractNumId')).get(w('val'))) for e in root.iter(w('num'))]
    newest = sorted(instances)[-len(planned):]
    faults = []
    for operation, (number, link) in zip(planned, newest):
        formats = [f.get(w('val')) for f in abstract[link].find(w('lvl')).iter(w('numFmt'))]
        if formats[:1] != [operation['format']]:
            faults.append('list %d is marked %s, not %s' % (number, formats, operation['format']))
    order = [tree.local(e) for e in root if tree.local(e) in ('abstractNum', 'num')]
    if order != sorted(order):
        faults.append('a definition stands behind an instance')
    return faults


def run_one(job):
    """Plan, apply and judge one document of a batch."""
    path, root, seed, out, engine, limit = job
    folder = os.path.join(out, path.replace('/', '__'))
    record, started = {'file': path}, time.time()
    try:
        data = read(os.path.join(root, path))
        planned = write_plan(data, seed, folder)
        if not planned:
            return dict(record, skipped='nothing to edit')
        redline = os.path.join(folder, 'redline.docx')
        if os.path.exists(redline):
            os.remove(redline)
        command = [engine, 'apply', os.path.join(root, path), os.path.join(folder, 'ops.json'), '-o', redline, *ENGINE_OPTIONS]
        begun = time.time()
        try:
            run = subprocess.run(command, capture_output=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return dict(record, timeout=True)
        record.update(engine_s=round(time.time() - begun, 3), exit=run.returncode)
        write(os.path.join(folder, 'result.json'), run.stdout)
        if run.returncode not in USUAL_EXITS:
            crashed = run.returncode < 0 or run.returncode == 101
            return dict(record, crashed=crashed, engine_error=(run.stdout[-300:] or run.stderr[-300:]).decode('utf-8', 'replace'))
        try:
            result = json.loads(run.stdout)
        except ValueError:
            return dict(record, crashed=True, engine_error='stdout is not JSON: ' + run.stdout[:200].decode('utf-8', 'replace'))
        record.update(judge(data, planned, result, read(redline) if os.path.exists(redline) else None))
    except Exception:
        record['model_error'] = traceback.format_exc()[-800:]
    record['total_s'] = round(time.time() - started, 3)
    return record


def batch(arguments):
    paths = [p for p in documents(arguments.documents) if arguments.only in p]
    os.makedirs(arguments.out, exist_ok=True)
    jobs = [(p, arguments.root, arguments.seed, arguments.out, arguments.engine, arguments.timeout) for p in paths]
    records = []
    with multiprocessing.Pool(arguments.jobs) as pool, open(os.path.join(arguments.out, 'results.jsonl'), 'w', encoding='utf-8') as log:
        for record in pool.imap_unordered(run_one, jobs):
            records.append(record)
            log.write(json.dumps(record, ensure_ascii=False) + '\n')
            log.flush()
            if sys.stderr.isatty():
                print('\r%d/%d' % (len(records), len(jobs)), end='', file=sys.stderr)
    text, good = summary(sorted(records, key=lambda r: r['file']))
    write(os.path.join(arguments.out, 'summary.txt'), text)
    print(text)
    return 0 if good else 1


def summary(records):
    """The table for people, and whether everything is in order."""
    judged = [r for r in records if 'accept_strict' in r]
    applied = sum(r.get('statuses', {}).get('applied', 0) for r in records)
    codes, unexpected = collections.Counter(), collections.Counter()
    for record in records:
        codes.update(record.get('refused_by_code', {}))
        unexpected.update(record.get('unexpected_refusals', {}))
    both = sum(bool(r['reject_strict'] and r['accept_strict']) for r in judged)
    wrong = [r for r in records if r.get('silently_wrong')]
    crashed = [r for r in records if r.get('crashed') or r.get('timeout')]
    errors = [r for r in records if r.get('engine_error') and not r.get('crashed')]
    model = [r for r in records if r.get('model_error')]
    moved = [r for r in judged if not r['entries_identical']]
    schema = [r for r in judged if r.get('schema_new') or r.get('pkg_new')]
    broken = [r for r in records if r.get('contract_broken')]
    seconds = sorted(r['engine_s'] for r in records if 'engine_s' in r)
    by_class = collections.defaultdict(collections.Counter)
    for record in records:
        for name, counts in record.get('classes', {}).items():
            by_class[name].update(counts)
    planned, refused = sum(r.get('operations', 0) for r in records), sum(c['refused'] + c['failed'] for c in by_class.values())
    share = lambda n: '%d of %d (%.1f %%)' % (n, len(judged), 100 * n / len(judged)) if judged else 'none judged'
    lines = ['documents                 %d' % len(records), 'judged                    %d' % len(judged),
             'operations planned        %d' % sum(r.get('operations', 0) for r in records), 'operations applied        %d' % applied,
             'operations not applied    %s' % listed(codes), '  of those unexpected     %s' % listed(unexpected),
             'refused, of all planned   %d (%.1f %%)' % (refused, 100 * refused / planned if planned else 0),
             'contract broken           %d operations in %d documents' % (sum(r['contract_broken'] for r in broken), len(broken)),
             'reject_strict             ' + share(sum(bool(r['reject_strict']) for r in judged)),
             'accept_strict             ' + share(sum(bool(r['accept_strict']) for r in judged)),
             'both                      ' + share(both), 'silently wrong            %d' % len(wrong),
             'new schema/package faults %d' % len(schema), 'entries not identical     %d' % len(moved),
             'nothing written           %d' % sum(bool(r.get('no_output')) for r in records),
             'crashed or timed out      %d' % len(crashed), 'engine errors (exit > 1)  %d' % len(errors), 'model errors              %d' % len(model)]
    for name, counts in sorted(by_class.items()):
        lines.append('  %-24s%s' % (name, ', '.join('%s %d' % c for c in counts.most_common())))
    if seconds:
        lines.append('engine seconds            median %.3f, 95th %.3f, most %.3f' % (seconds[len(seconds) // 2], seconds[len(seconds) * 95 // 100], seconds[-1]))
    for title, some, keys in (('SILENTLY WRONG', wrong, ('error', 'reject_first', 'accept_first')), ('SCHEMA', schema, ('schema_new', 'pkg_new')),
                              ('ENTRIES', moved, ('entries',)), ('CONTRACT BROKEN', broken, ('contract_broken_operations',)),
                              ('CRASHED OR TIMED OUT', crashed, ('exit', 'timeout', 'engine_error')), ('ENGINE ERRORS', errors, ('exit', 'engine_error')),
                              ('MODEL ERRORS', model, ('model_error',))):
        if some:
            lines.append('\n' + title)
            for record in some:
                lines.append('  %s' % record['file'])
                lines += ['      %s: %s' % (k, json.dumps(record[k], ensure_ascii=False)[:400]) for k in keys if record.get(k)]
    return '\n'.join(lines), not (wrong or crashed or errors or model or moved or broken or schema)


def listed(counter):
    return '%d: %s' % (sum(counter.values()), ', '.join('%s %d' % x for x in counter.most_common())) if counter else '0'


def documents(path):
    with open(path, newline='', encoding='utf-8') as lines:
        return [row['path'] for row in csv.DictReader(lines) if row.get('status', 'ok') == 'ok']


def read(path):
    with open(path, 'rb') as source:
        return source.read()


def write(path, content):
    with open(path, 'wb') as target:
        target.write(content.encode('utf-8') if isinstance(content, str) else content)


def dump(value):
    return json.dumps(value, ensure_ascii=False, indent=1) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    one = commands.add_parser('plan')
    one.add_argument('document')
    two = commands.add_parser('judge')
    two.add_argument('document')
    two.add_argument('folder')
    two.add_argument('--redline')
    two.add_argument('--result', required=True)
    three = commands.add_parser('batch')
    for name in ('documents', 'root', 'engine'):
        three.add_argument('--' + name, required=True)
    three.add_argument('--jobs', type=int, default=2)
    three.add_argument('--timeout', type=float, default=60)
    three.add_argument('--only', default='', help='only documents whose path contains this text')
    for command in (one, three):
        command.add_argument('--seed', type=int, required=True)
        command.add_argument('--out', required=True)
    arguments = parser.parse_args()
    if arguments.command == 'plan':
        planned = write_plan(read(arguments.document), arguments.seed, arguments.out)
        print(json.dumps({'operations': len(planned), 'refused_ok': sum(o['expect'] != 'applied' for o in planned)}))
        return 0
    if arguments.command == 'judge':
        planned = json.loads(read(os.path.join(arguments.folder, 'expect.json')))['operations']
        redline = read(arguments.redline) if arguments.redline and os.path.exists(arguments.redline) else None
        record = judge(read(arguments.document), planned, json.loads(read(arguments.result)), redline)
        print(json.dumps(record, ensure_ascii=False))
        return 1 if record.get('silently_wrong') or record.get('error') or record['contract_broken'] else 0
    return batch(arguments)


if __name__ == '__main__':
    sys.exit(main())
