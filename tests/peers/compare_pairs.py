#!/usr/bin/env python3
"""Redlines of pairs of documents by other free programs, for the same judge as those of engross.

  compare_pairs.py run ENGINE --pairs LIST.tsv --out DIR     ENGINE: docx-scalpel, wmlcomparer, docx-redline, adeu, jubarte, libreoffice, engross
  compare_pairs.py table --pairs LIST.tsv --out DIR --judge xtask/checks/check_redline.py

LIST.tsv has lines id, before, after. `run` writes DIR/ENGINE/ID.docx and DIR/ENGINE.tsv: id, result, CPU milliseconds (user and
system, children included, start of the interpreter not), and the peak of memory so far in MiB. A program has a minute for a pair.
`table` judges what is there. engross is run as its command (ENGROSS names the binary), the others as their documentation says."""
import argparse
import collections
import io
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

LIMIT = 60

# Pairs so long that the judge finds no more than a bound of the least change.
UNKNOWN = {'SD-nvca'}


def docx_scalpel():
    import docx_scalpel
    return lambda before, after: docx_scalpel.docx_diff_compare(before, after)


def wmlcomparer():
    from python_redlines import XmlPowerToolsEngine
    engine = XmlPowerToolsEngine()
    return lambda before, after: engine.run_redline('Reviewer', before, after)[0]


def docx_redline():
    import docx_redline

    def compare(before, after):
        with tempfile.TemporaryDirectory() as folder:
            one, other, out = (os.path.join(folder, name) for name in ('a.docx', 'b.docx', 'c.docx'))
            for path, data in ((one, before), (other, after)):
                with open(path, 'wb') as file:
                    file.write(data)
            docx_redline.redline_files(one, other, out, author='Reviewer')
            with open(out, 'rb') as file:
                return file.read()
    return compare


def adeu():
    from adeu import RedlineEngine
    from adeu.diff import generate_structured_edits
    from adeu.ingest import _extract_text_from_doc
    from docx import Document

    # As the package's own `adeu diff` compares two documents, and `adeu apply` applies what it found.
    def compare(before, after):
        sides = [_extract_text_from_doc(Document(io.BytesIO(data)), clean_view=True, include_appendix=False, return_structure=True)
                 for data in (before, after)]
        edits, _ = generate_structured_edits(sides[0][0], sides[0][1], sides[1][0], sides[1][1])
        engine = RedlineEngine(io.BytesIO(before), author='Reviewer')
        if edits:
            engine.process_batch(edits)
        saved = engine.save_to_stream()
        return saved.getvalue() if hasattr(saved, 'getvalue') else saved
    return compare


def jubarte():
    import jubarte_redlines
    return lambda before, after: jubarte_redlines.compare_documents(before, after, author='Reviewer')


def libreoffice():
    """One office for all pairs, spoken to by its own Python."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'compare_libreoffice.py')
    profile = tempfile.mkdtemp()
    office = subprocess.Popen(['soffice', '--headless', '--norestore', '-env:UserInstallation=file://' + profile,
                               '--accept=socket,host=127.0.0.1,port=2117;urp;'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            socket.create_connection(('127.0.0.1', 2117), 1).close()
            break
        except OSError:
            time.sleep(0.5)

    def compare(before, after):
        with tempfile.TemporaryDirectory() as folder:
            one, other, out = (os.path.join(folder, name) for name in ('a.docx', 'b.docx', 'c.docx'))
            for path, data in ((one, before), (other, after)):
                with open(path, 'wb') as file:
                    file.write(data)
            subprocess.run(['/usr/bin/python3', script, one, other, out], check=True, timeout=LIMIT, capture_output=True)
            with open(out, 'rb') as file:
                return file.read()
    compare.office = office
    return compare


def engross():
    binary = os.environ['ENGROSS']

    def compare(before, after):
        with tempfile.TemporaryDirectory() as folder:
            one, other, out = (os.path.join(folder, name) for name in ('a.docx', 'b.docx', 'c.docx'))
            for path, data in ((one, before), (other, after)):
                with open(path, 'wb') as file:
                    file.write(data)
            subprocess.run([binary, 'compare', one, other, '-o', out, '--author', 'Reviewer', '--json'], check=True,
                           timeout=LIMIT, stdout=subprocess.DEVNULL)
            with open(out, 'rb') as file:
                return file.read()
    return compare


ENGINES = {'docx-scalpel': docx_scalpel, 'wmlcomparer': wmlcomparer, 'docx-redline': docx_redline, 'adeu': adeu, 'jubarte': jubarte,
           'libreoffice': libreoffice, 'engross': engross}


def ticks(process):
    """CPU seconds of a process that stays up."""
    with open('/proc/%d/stat' % process) as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return sum(int(fields[at]) for at in (11, 12, 13, 14)) / os.sysconf('SC_CLK_TCK')


def below(process):
    """A process's living descendants."""
    parents = {}
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open('/proc/%s/stat' % entry) as file:
                    parents[int(entry)] = int(file.read().rsplit(')', 1)[1].split()[1])
            except OSError:
                pass
    found, waiting = [], [process]
    while waiting:
        own = waiting.pop()
        children = [child for child, parent in parents.items() if parent == own]
        found += children
        waiting += children
    return found


def spent():
    total = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for child in below(os.getpid()):
        try:
            total += ticks(child)
        except OSError:
            pass
    return total


def peak():
    highest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for child in below(os.getpid()):
        try:
            with open('/proc/%d/status' % child) as file:
                highest = max([highest] + [int(line.split()[1]) for line in file if line.startswith('VmHWM')])
        except OSError:
            pass
    return highest / 1024


def out_of_time(*_):
    raise TimeoutError


def run(arguments):
    folder = os.path.join(arguments.out, arguments.engine)
    os.makedirs(folder, exist_ok=True)
    compare = ENGINES[arguments.engine]()
    signal.signal(signal.SIGALRM, out_of_time)
    with open(arguments.pairs) as listing, open(folder + '.tsv', 'w') as out:
        for line in listing:
            name, one, other = line.rstrip('\n').split('\t')[:3]
            with open(one, 'rb') as before, open(other, 'rb') as after:
                pair = before.read(), after.read()
            start = spent()
            signal.alarm(LIMIT)
            try:
                made, result = compare(*pair), 'ok'
                with open(os.path.join(folder, name + '.docx'), 'wb') as file:
                    file.write(made)
            except TimeoutError:
                result = 'out of time'
            except Exception as error:
                result = repr(error)[:200].replace('\n', ' ').replace('\t', ' ')
            signal.alarm(0)
            out.write('%s\t%s\t%.1f\t%.0f\n' % (name, result, (spent() - start) * 1000, peak()))
            out.flush()
    if hasattr(compare, 'office'):
        compare.office.terminate()


def table(arguments):
    with open(arguments.pairs) as listing:
        pairs = [line.rstrip('\n').split('\t')[:3] for line in listing]
    print('| Program | Redlines | Text | Strict | Hard schema | Minimality (total; worst) | CPU ms, median | Peak MiB |')
    print('|---|---:|---:|---:|---:|---:|---:|---:|')
    for engine in ENGINES:
        folder = os.path.join(arguments.out, engine)
        if not os.path.exists(folder + '.tsv'):
            continue
        with open(folder + '.tsv') as file:
            rows = [line.rstrip('\n').split('\t') for line in file]
        redlines = [(name, one, other, os.path.join(folder, name + '.docx')) for name, one, other in pairs]
        redlines = [row for row in redlines if os.path.exists(row[3])]
        listing = folder + '.judge.tsv'
        with open(listing, 'w') as file:
            file.writelines('\t'.join(row) + '\n' for row in redlines)
        judged = subprocess.run([sys.executable, arguments.judge, '--batch', listing], capture_output=True, text=True, check=True).stdout
        with open(folder + '.jsonl', 'w') as file:
            file.write(judged)
        found = [json.loads(line) for line in judged.splitlines()]
        count = lambda key: sum(bool(row.get(key)) for row in found)
        # A redline that misses changes has few of them, so only those count that are right; the least is not known of very long ones.
        scored = [row for row in found if row.get('min_chars') and row.get('pass_text') and row['id'] not in UNKNOWN]
        total = sum(row['ins_chars'] + row['del_chars'] for row in scored) / max(1, sum(row['min_chars'] for row in scored))
        worst = max((row['granularity'] or 0 for row in scored), default=0)
        times = sorted(float(row[2]) for row in rows if row[1] == 'ok')
        median = times[len(times) // 2] if times else 0
        print('| %s | %d of %d | %d | %d | %d | %.2f; %.1f | %.0f | %.0f |' % (
            engine, len(redlines), len(pairs), count('pass_text'), count('pass_strict'), count('pass_schema_hard'), total, worst, median,
            max([float(row[3]) for row in rows] or [0])))
        failures = collections.Counter(row[1][:60] for row in rows if row[1] != 'ok')
        for reason, number in failures.most_common(4):
            print('    %s: %d × %s' % (engine, number, reason), file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', choices=['run', 'table'])
    parser.add_argument('engine', nargs='?', choices=ENGINES)
    for name in ('pairs', 'out', 'judge'):
        parser.add_argument('--' + name)
    arguments = parser.parse_args()
    return run(arguments) if arguments.what == 'run' else table(arguments)


if __name__ == '__main__':
    sys.exit(main())
