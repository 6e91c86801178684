"""What the seven powers are sent."""

from eibench.judges import Template

RULES = """\
You play {power} in a game of Diplomacy against six other powers, who are played by others. All \
write letters to each other before each movement phase; letters bind nobody. Who has 18 of the 34 \
supply centres wins. Moves are written in secret and carried out at once.{character}

You win by persuading others, by judging whom to believe, and by good orders. Play to win; if that \
is out of reach, survive with as many centres as you can."""
CHARACTER = "\n\nThe manner in which you play: {text}"
BOARD = """\
[BOARD]
Phase {phase}, year {year} of at most {years}.
{board}
[/BOARD]

[JOURNAL]
{journal}
[/JOURNAL]

[LETTERS]
{letters}
[/LETTERS]
"""
NEGOTIATE = Template(
    BOARD
    + """
This is round {round} of {rounds} of letters before the orders of this phase. Write to whom you \
like, or to nobody. Reply with one JSON object and nothing else:

{"letters": [{"to": "a power, or ALL", "text": "your letter"}], "journal": "what you want to \
remember: plans, promises, whom you trust and why; it replaces your journal"}"""
)
ORDER = Template(
    BOARD
    + """
Now write your orders. These are all that are legal, unit by unit:

{legal}

A unit without an order holds. Reply with one JSON object and nothing else:

{"orders": ["one of the legal orders for each unit"], "journal": "what you want to remember; it \
replaces your journal"}"""
)
