"""What plugins show beside our own: values alone, which the terminal, reports and sites set."""

from .parts import (
    Control,
    Controls,
    Drawing,
    Output,
    Paragraph,
    Part,
    Plot,
    Quote,
    RecordedCall,
    ReportPage,
    ReportSection,
    Series,
    Table,
    TranscriptView,
    Turn,
)

__all__ = [
    "Control",
    "Controls",
    "Drawing",
    "Output",
    "Paragraph",
    "Part",
    "Plot",
    "Quote",
    "RecordedCall",
    "ReportPage",
    "ReportSection",
    "Series",
    "Table",
    "TranscriptView",
    "Turn",
]
