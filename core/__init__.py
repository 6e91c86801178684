"""The framework: everything that is not one benchmark's own.

It learns of benchmarks only through hooks, and imports neither `judges` nor `plugins`. What is
in it, each importing only what stands above it:

    types/        what all parts share: requests, replies, items, scores, rules, the result document
    errors.py     every error that a person can meet
    text.py       words that people read: texts made harmless, counts, intervals
    hooks/        what plugins can add, named without importing any
    statistics/   intervals, correlations, agreement
    reading/      what is in files: formats, rows of packs, answers made elsewhere
    parties/      who is asked and who grades: models, judges, panels, as values
    benchmark/    what an author of a benchmark writes
    spending/     what calls cost and may cost
    journal/      one SQLite file with every reply and every grade; the only place with SQL
    ratings/      from comparisons to ratings; in `auditing/` what they say of their judge
    matchmaking/  which comparisons to make next
    guard/        around every call into a plugin
    clients/      one for each kind of server, within limits and with retries
    served/       servers of models that eibench starts: placed, watched, ended
    datasets/     packs: found, fetched, known by their contents
    plugins/      found, loaded, looked at
    settings/     what a person sets: in a command, a variable, bench.toml or Python
    sample/       the life of a sample: asked, journalled, graded
    checking/     a plugin under check, public as `eibench.checking`
    reports/      from grades to the result document and its sentences
    runs/         stored runs, each as one object
    console/      tables and progress in a terminal; the only place with rich
    compare/      models beside each other: opponents, tournaments, boards
    html/         pages: a site of all boards, and reports in one file
    run/          a task from its plan to its result; in `doctor/` what may keep one from working
    exchange/     what other programs wrote, imported as runs; bundles, made and verified
    sweep/        models by benchmarks: who is served when, and each new checkpoint
    api.py        what Python calls
    cli/          the `bench` command; the only place with click
"""

__version__ = "0.1.0"
