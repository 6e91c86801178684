"""eibench: emotional-intelligence benchmarks for language models.

Running benchmarks from Python, and reading runs: `run`, `score`, `runs` (docs/api.md).
What plugin authors import: all else (docs/write-a-benchmark.md, docs/plugins.md).

Each name is imported when it is first used, so that `bench --help` need not wait
for what it does not show; type checkers see plain imports.
"""

from typing import TYPE_CHECKING

from eibench.core import __version__ as __version__

if TYPE_CHECKING:
    from eibench.core.api import run as run
    from eibench.core.api import run_async as run_async
    from eibench.core.api import score as score
    from eibench.core.api import score_async as score_async
    from eibench.core.benchmark import PLACEMENT_OPTIONS as PLACEMENT_OPTIONS
    from eibench.core.benchmark import Benchmark as Benchmark
    from eibench.core.benchmark import Model as Model
    from eibench.core.benchmark import Option as Option
    from eibench.core.benchmark import Options as Options
    from eibench.core.benchmark import Pack as Pack
    from eibench.core.benchmark import PackSource as PackSource
    from eibench.core.benchmark import PlacementOptions as PlacementOptions
    from eibench.core.benchmark.abilities import DemoJudge as DemoJudge
    from eibench.core.benchmark.abilities import DemoModel as DemoModel
    from eibench.core.benchmark.abilities import DemoRoles as DemoRoles
    from eibench.core.benchmark.abilities import ExaminesJudges as ExaminesJudges
    from eibench.core.benchmark.abilities import ExamSituation as ExamSituation
    from eibench.core.benchmark.abilities import HasHumanRatings as HasHumanRatings
    from eibench.core.benchmark.abilities import HasPublished as HasPublished
    from eibench.core.benchmark.abilities import HasReference as HasReference
    from eibench.core.benchmark.abilities import HasTranscriptView as HasTranscriptView
    from eibench.core.benchmark.abilities import HumanRatedReply as HumanRatedReply
    from eibench.core.benchmark.abilities import Pairwise as Pairwise
    from eibench.core.benchmark.abilities import PeopleQuestion as PeopleQuestion
    from eibench.core.benchmark.abilities import ReadsForeign as ReadsForeign
    from eibench.core.benchmark.abilities import ReadsForeignParts as ReadsForeignParts
    from eibench.core.benchmark.abilities import ReproducesPublished as ReproducesPublished
    from eibench.core.benchmark.abilities import TakenByPeople as TakenByPeople
    from eibench.core.benchmark.abilities import WithoutReading as WithoutReading
    from eibench.core.benchmark.board_controls import BoardControl as BoardControl
    from eibench.core.benchmark.foreign import ForeignPart as ForeignPart
    from eibench.core.benchmark.foreign import ForeignResults as ForeignResults
    from eibench.core.benchmark.foreign import ForeignRun as ForeignRun
    from eibench.core.benchmark.foreign import ForeignSample as ForeignSample
    from eibench.core.benchmark.foreign import ForeignTurn as ForeignTurn
    from eibench.core.benchmark.generators import DataMaker as DataMaker
    from eibench.core.benchmark.generators import Generated as Generated
    from eibench.core.benchmark.metrics import summarise_values as summarise_values
    from eibench.core.benchmark.model import Role as Role
    from eibench.core.benchmark.model import no_answer as no_answer
    from eibench.core.benchmark.published import PublishedData as PublishedData
    from eibench.core.benchmark.published import PublishedNumber as PublishedNumber
    from eibench.core.benchmark.published import PublishedRow as PublishedRow
    from eibench.core.benchmark.published import PublishedScheme as PublishedScheme
    from eibench.core.benchmark.published import PublishedSource as PublishedSource
    from eibench.core.benchmark.published import PublishedWith as PublishedWith
    from eibench.core.benchmark.values import Derived as Derived
    from eibench.core.benchmark.values import Value as Value
    from eibench.core.cli.audits import AuditedJudge as AuditedJudge
    from eibench.core.cli.audits import audit_options as audit_options
    from eibench.core.cli.audits import chosen_audit as chosen_audit
    from eibench.core.cli.command import Command as Command
    from eibench.core.cli.command import named_benchmark as named_benchmark
    from eibench.core.cli.options import benchmark_argument as benchmark_argument
    from eibench.core.cli.options import json_option as json_option
    from eibench.core.cli.public import bench_run as bench_run
    from eibench.core.cli.public import chosen_board as chosen_board
    from eibench.core.cli.public import chosen_runs as chosen_runs
    from eibench.core.cli.public import completion as completion
    from eibench.core.cli.public import open_runs as open_runs
    from eibench.core.cli.public import provided as provided
    from eibench.core.cli.public import run_options as run_options
    from eibench.core.cli.public import run_selector as run_selector
    from eibench.core.cli.public import shared_options as shared_options
    from eibench.core.cli.selectors import AuditCommand as AuditCommand
    from eibench.core.cli.selectors import named_pack as named_pack
    from eibench.core.compare.board_samples import BoardSamples as BoardSamples
    from eibench.core.console.public import show as show
    from eibench.core.console.public import show_conclusions as show_conclusions
    from eibench.core.console.public import show_json as show_json
    from eibench.core.console.public import tell as tell
    from eibench.core.console.public import warn as warn
    from eibench.core.datasets.human_ratings import human_ratings as human_ratings
    from eibench.core.datasets.people_questions import people_questions as people_questions
    from eibench.core.datasets.sources import find_pack as find_pack
    from eibench.core.errors import BenchError as BenchError
    from eibench.core.errors import BudgetReached as BudgetReached
    from eibench.core.errors import ConfigError as ConfigError
    from eibench.core.errors import DataError as DataError
    from eibench.core.errors import ErrorKind as ErrorKind
    from eibench.core.errors import Interrupted as Interrupted
    from eibench.core.errors import JournalError as JournalError
    from eibench.core.errors import JudgeError as JudgeError
    from eibench.core.errors import MissingCall as MissingCall
    from eibench.core.errors import PluginError as PluginError
    from eibench.core.errors import ProviderError as ProviderError
    from eibench.core.errors import UsageError as UsageError
    from eibench.core.exchange.replayed_run import ReplayedRun as ReplayedRun
    from eibench.core.exchange.replayed_run import replayed as replayed
    from eibench.core.hooks.benchmark_files import BenchmarkFiles as BenchmarkFiles
    from eibench.core.hooks.exporters import Exporter as Exporter
    from eibench.core.hooks.exporters import ExportFile as ExportFile
    from eibench.core.hooks.exporters import ExportOption as ExportOption
    from eibench.core.hooks.exporters import ExportRequest as ExportRequest
    from eibench.core.hooks.on_demand import OnDemand as OnDemand
    from eibench.core.hooks.sections import Control as Control
    from eibench.core.hooks.sections import Controls as Controls
    from eibench.core.hooks.sections import Drawing as Drawing
    from eibench.core.hooks.sections import Output as Output
    from eibench.core.hooks.sections import Paragraph as Paragraph
    from eibench.core.hooks.sections import Plot as Plot
    from eibench.core.hooks.sections import Quote as Quote
    from eibench.core.hooks.sections import RecordedCall as RecordedCall
    from eibench.core.hooks.sections import ReportPage as ReportPage
    from eibench.core.hooks.sections import ReportSection as ReportSection
    from eibench.core.hooks.sections import Series as Series
    from eibench.core.hooks.sections import Table as Table
    from eibench.core.hooks.sections import TranscriptView as TranscriptView
    from eibench.core.hooks.sections import Turn as Turn
    from eibench.core.hooks.specs import hookimpl as hookimpl
    from eibench.core.journal.archives import read_whole as read_whole
    from eibench.core.journal.archives import write_lines as write_lines
    from eibench.core.journal.records import PersonLabel as PersonLabel
    from eibench.core.parties.graders import Grader as Grader
    from eibench.core.parties.graders import Judge as Judge
    from eibench.core.parties.providers import CallContext as CallContext
    from eibench.core.parties.providers import Client as Client
    from eibench.core.parties.providers import ClientConfig as ClientConfig
    from eibench.core.parties.providers import Provider as Provider
    from eibench.core.plugins.catalogue import benchmarks as benchmarks
    from eibench.core.ratings import RatingEngine as RatingEngine
    from eibench.core.ratings.auditing.audit import JudgeAudit as JudgeAudit
    from eibench.core.ratings.auditing.estimates import AuditEstimate as AuditEstimate
    from eibench.core.ratings.comparisons import Comparison as Comparison
    from eibench.core.ratings.comparisons import Comparisons as Comparisons
    from eibench.core.ratings.result import ModelRating as ModelRating
    from eibench.core.ratings.result import Ratings as Ratings
    from eibench.core.ratings.settings import Anchor as Anchor
    from eibench.core.ratings.settings import AnchorSet as AnchorSet
    from eibench.core.ratings.settings import RatingSettings as RatingSettings
    from eibench.core.ratings.strengths import Strengths as Strengths
    from eibench.core.ratings.weighing import ItemCalls as ItemCalls
    from eibench.core.reading.formats import read_csv as read_csv
    from eibench.core.reading.formats import read_csv_rows as read_csv_rows
    from eibench.core.reading.formats import read_json as read_json
    from eibench.core.reading.formats import read_jsonl as read_jsonl
    from eibench.core.reading.formats import read_text as read_text
    from eibench.core.reading.formats import read_toml as read_toml
    from eibench.core.reading.names import check_name as check_name
    from eibench.core.reading.names import left_out_of as left_out_of
    from eibench.core.reading.rows import read_rows as read_rows
    from eibench.core.reports.choosing import RunGraders as RunGraders
    from eibench.core.reports.comparability import is_partial as is_partial
    from eibench.core.reports.comparability import judge_in as judge_in
    from eibench.core.reports.graded import CommonTally as CommonTally
    from eibench.core.reports.graded import GradedSamples as GradedSamples
    from eibench.core.reports.judges import JudgesDocument as JudgesDocument
    from eibench.core.reports.result import Counts as Counts
    from eibench.core.reports.result import Result as Result
    from eibench.core.reports.steadiness import steadiness_table as steadiness_table
    from eibench.core.reports.suggestions import bench as bench
    from eibench.core.runs.folders import runs as runs
    from eibench.core.runs.judged import compare_judges as compare_judges
    from eibench.core.runs.labels import keep_labels as keep_labels
    from eibench.core.runs.run_set import RunSet as RunSet
    from eibench.core.runs.stored_run import StoredRun as StoredRun
    from eibench.core.runs.tables import TidyTables as TidyTables
    from eibench.core.sample.progress import Progress as Progress
    from eibench.core.statistics.estimate import Estimate as Estimate
    from eibench.core.text import is_blank as is_blank
    from eibench.core.types import Baseline as Baseline
    from eibench.core.types import ChatRequest as ChatRequest
    from eibench.core.types import ChatResponse as ChatResponse
    from eibench.core.types import Finish as Finish
    from eibench.core.types import Item as Item
    from eibench.core.types import JsonDict as JsonDict
    from eibench.core.types import JsonObject as JsonObject
    from eibench.core.types import Message as Message
    from eibench.core.types import Metric as Metric
    from eibench.core.types import PairScore as PairScore
    from eibench.core.types import SampleScore as SampleScore
    from eibench.core.types import Sampling as Sampling
    from eibench.core.types import Score as Score
    from eibench.core.types import Summary as Summary
    from eibench.core.types import Usage as Usage
    from eibench.core.types.result_document import ResultDocument as ResultDocument
    from eibench.data import folder as folder

_HOMES = {
    "eibench.core.benchmark.abilities": "DemoJudge DemoModel DemoRoles ExaminesJudges"
    " ExamSituation HasHumanRatings"
    " HasPublished HasReference HasTranscriptView Pairwise HumanRatedReply ReadsForeign"
    " PeopleQuestion ReadsForeignParts ReproducesPublished TakenByPeople WithoutReading",
    "eibench.core.benchmark.model": "Role no_answer",
    "eibench.core.benchmark.board_controls": "BoardControl",
    "eibench.core.benchmark.published": "PublishedData PublishedNumber PublishedRow"
    " PublishedScheme PublishedSource PublishedWith",
    "eibench.core.api": "run run_async score score_async",
    "eibench.core.benchmark": "PLACEMENT_OPTIONS Benchmark Model Option Options Pack"
    " PackSource PlacementOptions",
    "eibench.core.parties.providers": "CallContext Client ClientConfig Provider",
    "eibench.core.reading.formats": "read_csv read_csv_rows read_json read_jsonl read_text "
    "read_toml",
    "eibench.core.reading.rows": "read_rows",
    "eibench.core.datasets.human_ratings": "human_ratings",
    "eibench.core.datasets.people_questions": "people_questions",
    "eibench.core.datasets.sources": "find_pack",
    "eibench.core.sample.progress": "Progress",
    "eibench.core.errors": "BenchError BudgetReached ConfigError DataError ErrorKind Interrupted"
    " JournalError JudgeError MissingCall PluginError ProviderError UsageError",
    "eibench.core.benchmark.foreign": "ForeignPart ForeignResults ForeignRun ForeignSample"
    " ForeignTurn",
    "eibench.core.exchange.replayed_run": "ReplayedRun replayed",
    "eibench.core.hooks.benchmark_files": "BenchmarkFiles",
    "eibench.core.hooks.exporters": "Exporter ExportFile ExportOption ExportRequest",
    "eibench.core.hooks.specs": "hookimpl",
    "eibench.core.benchmark.generators": "DataMaker Generated",
    "eibench.core.benchmark.metrics": "summarise_values",
    "eibench.core.benchmark.values": "Derived Value",
    "eibench.core.hooks.on_demand": "OnDemand",
    "eibench.core.ratings": "RatingEngine",
    "eibench.core.cli.selectors": "AuditCommand named_pack",
    "eibench.core.ratings.auditing.audit": "JudgeAudit",
    "eibench.core.ratings.auditing.estimates": "AuditEstimate",
    "eibench.core.ratings.comparisons": "Comparison Comparisons",
    "eibench.core.ratings.result": "ModelRating Ratings",
    "eibench.core.ratings.settings": "Anchor AnchorSet RatingSettings",
    "eibench.core.ratings.strengths": "Strengths",
    "eibench.core.ratings.weighing": "ItemCalls",
    "eibench.core.console.public": "show show_conclusions show_json tell warn",
    "eibench.core.cli.audits": "AuditedJudge audit_options chosen_audit",
    "eibench.core.cli.command": "Command named_benchmark",
    "eibench.core.cli.options": "benchmark_argument json_option",
    "eibench.core.cli.public": "bench_run chosen_board chosen_runs completion open_runs provided"
    " run_options run_selector shared_options",
    "eibench.core.journal.archives": "read_whole write_lines",
    "eibench.core.journal.records": "PersonLabel",
    "eibench.core.plugins.catalogue": "benchmarks",
    "eibench.core.reading.names": "check_name left_out_of",
    "eibench.core.parties.graders": "Grader Judge",
    "eibench.core.reports.choosing": "RunGraders",
    "eibench.core.statistics.estimate": "Estimate",
    "eibench.core.reports.comparability": "is_partial judge_in",
    "eibench.core.reports.graded": "CommonTally GradedSamples",
    "eibench.core.hooks.sections": "Control Controls Drawing Output Paragraph Plot ReportPage"
    " Quote RecordedCall ReportSection Series Table TranscriptView Turn",
    "eibench.core.types.result_document": "ResultDocument",
    "eibench.core.reports.steadiness": "steadiness_table",
    "eibench.core.reports.suggestions": "bench",
    "eibench.core.reports.judges": "JudgesDocument",
    "eibench.core.reports.result": "Counts Result",
    "eibench.core.text": "is_blank",
    "eibench.core.runs.judged": "compare_judges",
    "eibench.core.runs.labels": "keep_labels",
    "eibench.core.compare.board_samples": "BoardSamples",
    "eibench.core.runs.folders": "runs",
    "eibench.core.runs.run_set": "RunSet",
    "eibench.core.runs.stored_run": "StoredRun",
    "eibench.core.runs.tables": "TidyTables",
    "eibench.core.types": "Baseline ChatRequest ChatResponse Finish Item Message Metric"
    " JsonDict JsonObject PairScore SampleScore Sampling Score Summary Usage",
    "eibench.data": "folder",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """A public name, imported on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'eibench' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *_HOME})
