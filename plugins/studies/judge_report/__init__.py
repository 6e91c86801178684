"""What `bench judge-report` measures beside what a result document concludes of a judge.

`document` puts it together; `criteria`, `scenarios`, `cycles` and `stability` are each a measure,
pure functions of comparisons; docs/judge-report.md has the definitions.
"""
