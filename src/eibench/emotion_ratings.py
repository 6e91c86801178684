"""For benchmarks that ask how strongly someone feels each of several emotions."""

from eibench.plugins.emotion_ratings import (
    ENGLISH,
    FORMS,
    GERMAN,
    PARSER,
    EmotionRatings,
    Form,
    PublishedScores,
    Question,
    ReferenceField,
    cut_revision,
    listed_emotions,
    read_questions,
    stored_row,
    stored_score_row,
    usual_sentence,
    without_reading,
)

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
