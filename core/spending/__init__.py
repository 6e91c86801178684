"""What calls cost, what they may cost, and when to stop.

`prices` knows what calls cost, at least and at most; `book` where prices are from;
`budget` keeps a command under ``--max-cost``; `billing` says which failed attempts
may have cost something.
"""
