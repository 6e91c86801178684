"""What `bench plugin new` writes: whole benchmarks, one for each kind, and the files around them.

They are as they stand what a new package holds, but for its names: `my-bench`, `my_bench`,
`MyBench`. Lines from `# pairwise` to `# end` are for `--pairwise` alone.
"""
