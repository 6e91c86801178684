"""What plugins show beside our own: values alone, which the terminal, reports and sites set."""

from .parts import Control as Control
from .parts import Controls as Controls
from .parts import Drawing as Drawing
from .parts import Output as Output
from .parts import Paragraph as Paragraph
from .parts import Part as Part
from .parts import Plot as Plot
from .parts import ReportPage as ReportPage
from .parts import ReportSection as ReportSection
from .parts import Series as Series
from .parts import Table as Table
from .transcript_views import Quote as Quote
from .transcript_views import RecordedCall as RecordedCall
from .transcript_views import TranscriptView as TranscriptView
from .transcript_views import Turn as Turn
