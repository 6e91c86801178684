"""Benchmarks that ask how strongly someone feels each of several emotions.

The base class `EmotionRatings` and what a plugin needs beside it. What counts imports
numpy, and is imported when there is something to be counted.
"""

from .benchmark import PARSER, EmotionRatings, without_reading
from .forms import ENGLISH, FORMS, GERMAN, Form
from .prompting import listed_emotions, usual_sentence
from .questions import Question, ReferenceField, cut_revision, read_questions
from .standing import PublishedScores
from .stored_answers import stored_row, stored_score_row

__all__ = [
    "ENGLISH",
    "FORMS",
    "GERMAN",
    "PARSER",
    "EmotionRatings",
    "Form",
    "PublishedScores",
    "Question",
    "ReferenceField",
    "cut_revision",
    "listed_emotions",
    "read_questions",
    "stored_row",
    "stored_score_row",
    "usual_sentence",
    "without_reading",
]
