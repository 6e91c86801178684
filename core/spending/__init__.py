"""What calls cost, what they may cost, and when to stop.

`prices` knows what a token costs and where that figure is from; `estimate`
makes the range of the plan; `budget` keeps a command under ``--max-cost``;
`billing` says which failed attempts may have cost something.
"""
