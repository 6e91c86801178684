"""The demo models' words and the demo judge's rule (docs/creative-writing.md declares both).

A demo writer picks each sentence from one of two stocks, the abler it is the more often from the
one without worn phrases. Sentences of both are about as long, so that length tells nothing.
"""

import re
from random import Random

SENTENCES = 12
"""In each piece."""
_PLAIN = (
    "She had put the kettle on before she remembered whose kettle it was.",
    "The ferry was late, and the man with the geese took it personally.",
    "He counted the change twice, as if it might be talked into more.",
    "On the third day somebody watered the plastic fern in the hall.",
    "The dog knew, and had gone to sit under the piano with his ball.",
    "Her brother answered every question but the one about the van.",
    "It was the good knife, and it was in the drawer with the string.",
    "They argued about the map until the road ended at a turnip field.",
    "He wore the winter coat indoors all June and gave no reason.",
    "The clerk stamped it, looked at it again, and stamped the desk.",
    "There were two chairs and three aunts, so he leaned on the sink.",
    "What he called a harbour was a jetty, two bollards and an opinion.",
)
_WORN = (
    "A shiver ran down her spine as the whispers of destiny called out.",
    "Their eyes met, and in that moment the whole world seemed to stand still.",
    "It was a testament to the resilience of the human spirit.",
    "The city was a tapestry of light, a symphony of countless dreams.",
    "Little did he know that nothing would ever be the same again.",
    "Her heart raced like a wild thing yearning to be free at last.",
    "Shadows danced upon the walls like ghosts of a forgotten past.",
    "He let out a breath that he had not known he was holding.",
    "And somehow, deep within, she knew that everything would be all right.",
    "Time seemed to stand still as a single tear traced down her cheek.",
    "The silence hung heavy, thick with a thousand unspoken words.",
    "Together they would weave the threads of a brighter tomorrow.",
)
_PHRASES = re.compile(
    r"shiver ran|world seemed to|testament to|tapestry|little did|heart raced|shadows danced|"
    r"breath (?:that )?\w+ had not|deep within|stand still|hung heavy|weave the threads",
    re.IGNORECASE,
)


def demo_piece(ability: float, rng: Random) -> str:
    """What a demo writer of that ability, from 0 to 1, writes."""
    plain, worn = (rng.sample(stock, len(stock)) for stock in (_PLAIN, _WORN))
    stocks = [plain if rng.random() < ability else worn for _ in range(SENTENCES)]
    return " ".join(stock.pop() for stock in stocks)


def worth(text: str) -> float:
    """The share of sentences without a worn phrase, from .1 to .9; 0 where there are none."""
    sentences = [part for part in re.split(r"[.!?]", text) if part.strip()]
    plain = sum(not _PHRASES.search(sentence) for sentence in sentences)
    return 0.1 + 0.8 * plain / len(sentences) if sentences else 0.0
