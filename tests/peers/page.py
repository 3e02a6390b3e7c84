def tables(ready, skipped, cases, verdicts, times):
    import collections
    return {n: f"{n}: {dict(collections.Counter(v.word for v in vs.values()))}" for n, vs in verdicts.items()}
