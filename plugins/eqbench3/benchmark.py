"""EQ-Bench 3 (Paech 2025): role-plays in which somebody needs to be understood, graded by a judge.

The model plays its part turn by turn and looks back on it; a judge model grades
the whole transcript by a rubric. Its facts are in docs/eqbench3.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from eibench import (
    PLACEMENT_OPTIONS,
    Benchmark,
    ChatRequest,
    ExamSituation,
    ForeignPart,
    ForeignResults,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    PublishedScheme,
    SampleScore,
    Sampling,
    Score,
    Summary,
    Table,
    folder,
    read_rows,
)
from eibench.judges import Rubric, ask_for_margins, fill, rubric_score

from .comparing import PAIR_TEXTS, pair_prompt
from .demo import demo_answer, demo_margins, demo_verdict, respondents
from .foreign import FORM, LIST, read_file
from .protocol import RUBRIC, Kind
from .scenarios import ScenarioContent, read_scenarios
from .scoring import summarise
from .transcripts import (
    Transcript,
    TranscriptTurn,
    judge_messages,
    make_transcript,
    read_sections,
    sections_report,
)

CAPPED_WEIGHT = 0.1
"""What a comparison weighs in ratings where the published scheme caps its margin."""
NO_DEBRIEF = "(Nobody was asked to look back.)"
"""In an exam of judges, where a reply to the first turn is all that there is."""
MIN_LENGTH = 100
"""Characters that one reply at least must have for a transcript to be compared."""


class EQBench3(Benchmark[ScenarioContent, Transcript], Pairwise[ScenarioContent, Transcript]):
    """The benchmark."""

    name = "eqbench3"
    version = "1"
    grading = "3"
    title = "role-plays, turn by turn, graded by a judge on a rubric (Paech 2025)"
    kind = "rubric"
    languages = ("en",)
    data = folder("eqbench3")
    cite = data / "citation.bib"
    sampling = Sampling(temperature=0.7, min_p=0.1, max_tokens=12_000)
    judge_sampling = Sampling(temperature=0.0, max_tokens=8_000)
    judged = True
    asks_again = True
    single_turn = False
    foreign_forms = (FORM,)
    foreign_lists = (LIST,)
    options = (
        Option(
            "rubric",
            True,
            "Have each transcript graded by the judge.",
            in_grades=True,
            may_meet=True,  # comparisons are the same without
        ),
        Option("elo", True, "Compare with other models, for ratings."),
        *PLACEMENT_OPTIONS,
        Option(
            "analyses",
            "published",
            "What comparisons of analyses weigh in ratings: published (a tenth, where the pack "
            "caps them), or full.",
            ("published", "full"),
            in_ratings=True,
        ),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The scenarios, with the protocol that the pack brings."""
        scenarios = read_scenarios(source)
        return Pack(source, scenarios.items, _comparability(source), scenarios.warnings)

    async def generate(self, item: Item, model: Model, options: Options) -> Transcript:
        """The scenario's turns in order, then the debrief."""
        scenario: ScenarioContent = item.content
        return await make_transcript(scenario, model, self._debrief_temperature(scenario, model))

    def _debrief_temperature(self, scenario: ScenarioContent, model: Model) -> float | None:
        """The protocol's own, unless the user has set one for the whole run."""
        if model.sampling.temperature != self.sampling.temperature:
            return model.sampling.temperature
        return scenario.protocol.debrief_temperature

    async def grade(
        self, item: Item, transcript: Transcript, judge: Model | None, options: Options
    ) -> Score:
        """The verdict's grades; without a judge, only what is odd about the replies."""
        scenario: ScenarioContent = item.content
        odd = sections_report(transcript, scenario.kind.headings)
        flags = ("sections",) * bool(odd)
        if judge is None or not options["rubric"]:
            return Score(flags=flags, detail={"sections": odd})
        if message := _too_little(scenario, transcript):
            return Score.unscored(message, flags=(*flags, "silent"), detail={"sections": odd})
        rubric = scenario.kind.rubric
        messages = judge_messages(scenario, transcript, rubric.shown)
        shared = len(messages) - 1
        constrained = scenario.protocol.constrained
        outcome = await rubric.ask(judge, messages, cache_prefix=shared, constrained=constrained)
        score = rubric.score(outcome)
        values = _totalled(score.values, scenario.kind)
        flags = (*flags, *score.flags)
        return replace(score, values=values, flags=flags, detail={"sections": odd})

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """Our own wording; what a pack brings is known by the pack."""
        return {"form": Rubric(("criterion",), 10).shown, **PAIR_TEXTS}

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The rubric score, every criterion and the ability profile."""
        protocol = pack.items[0].content.protocol
        return summarise(protocol, pack.items, scores, graded=bool(options["rubric"]))

    def needs_judge(self, options: Options) -> bool:
        """Whether verdicts or comparisons are wanted."""
        return bool(options["rubric"] or options["elo"])

    def compares(self, options: Options) -> bool:
        """Whether ratings are wanted."""
        return bool(options["elo"])

    async def compare(
        self, item: Item, first: Transcript, second: Transcript, judge: Model, options: Options
    ) -> PairScore:
        """The margins of two transcripts, both cut alike."""
        scenario: ScenarioContent = item.content
        prompt = pair_prompt(scenario, first, second)
        criteria, shared = scenario.kind.pairwise_criteria, len(prompt.messages) - 1
        outcome = await ask_for_margins(
            judge,
            prompt.messages,
            criteria,
            prompt.codes,
            cache_prefix=shared,
            constrained=scenario.protocol.constrained,
        )
        margins = outcome.value.margins if outcome.value else {}
        return PairScore(margins, outcome.reason, outcome.flags, *prompt.lengths, outcome.replies)

    def is_comparable(self, item: Item, transcript: Transcript) -> bool:
        """Whether one reply at least has a hundred characters, as in the published code."""
        return item.content.kind.pairwise is not None and transcript.longest >= MIN_LENGTH

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Those of the pack's protocol."""
        anchors: Sequence[Mapping[str, float]] = pack.items[0].content.protocol.anchors
        return anchors

    def published(self, pack: Pack) -> Table | None:
        """The board of eqbench.com, beside ratings on the official pack."""
        return published_board() if pack.source.name == "official" else None

    def published_scheme(self, pack: Pack) -> PublishedScheme:
        """The default, with one plus at most for analyses, where the protocol says so."""
        caps = {item.id: item.content.kind.margin_cap for item in pack.items}
        known = {item_id: cap for item_id, cap in caps.items() if cap is not None}
        return PublishedScheme(known)

    def item_weights(self, pack: Pack, options: Options) -> Mapping[str, float]:
        """A tenth for analyses where the protocol caps their margins.

        The published code counts one plus of such an item at most, two pseudo-wins of twenty for
        both orders. A margin that is cut so would read as a draw; so its full score weighs less.
        """
        if options["analyses"] == "full":
            return {}
        return dict.fromkeys(self.published_scheme(pack).caps, CAPPED_WEIGHT)

    def exam_sample(
        self, pack: Pack, situation: ExamSituation, reply: str
    ) -> tuple[Item, Transcript]:
        """One turn that is answered by the reply, without a debrief."""
        protocol = pack.items[0].content.protocol
        kind = protocol.kinds[situation.kind or next(iter(protocol.kinds))]
        note = situation.note if pack.items[0].content.notes else ""
        content = ScenarioContent(situation.id, "", kind, (situation.text,), note, protocol)
        prompt = fill(kind.prompt, {"scenario_prompt": situation.text})
        sections = read_sections(reply, kind.headings) if kind.headings else None
        turn = TranscriptTurn(prompt, reply, sections)
        debrief = None if kind.debrief is None else NO_DEBRIEF
        return Item(situation.id, content), Transcript((turn,), debrief)

    def read_foreign_parts(
        self, form: str, parts: Iterable[ForeignPart], origin: Path, judge: str
    ) -> ForeignResults:
        """The runs and the comparisons of a file that the published code writes."""
        return read_file(parts, origin, judge)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """A call per turn and one for the debrief; one to the judge."""
        scenario: ScenarioContent = item.content
        debrief = scenario.kind.debrief is not None
        return {"model": len(scenario.turns) + debrief, "judge": int(options["rubric"])}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Sentences of a model of that ability, under the headings that are asked for."""
        scenario: ScenarioContent = item.content
        is_debrief = request.messages[-1].content == scenario.kind.debrief
        return demo_answer(scenario, ability, rng, is_debrief=is_debrief)

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """Grades by the share of sentences that look at what others may feel, and why."""
        prompt = request.messages[-1].content
        codes = respondents(prompt)
        return demo_margins(prompt, codes, rng) if codes else demo_verdict(prompt, rng)


def _too_little(scenario: ScenarioContent, transcript: Transcript) -> str | None:
    """Why a transcript is not graded, where it says too little."""
    if transcript.is_empty:
        return "the model said nothing in any turn"
    least = scenario.protocol.least_length
    if transcript.longest < least:
        return (
            f"no reply has {least} characters; the published code does not grade such a transcript"
        )
    return None


def _totalled(values: Mapping[str, float | None], kind: Kind) -> dict[str, float | None]:
    """A verdict's grades, and before them the score of those that count in this kind."""
    grades = {n: grade for n in kind.rubric.names if (grade := values.get(n)) is not None}
    if not grades:
        return {}
    return {RUBRIC: rubric_score(grades, kind.scored, kind.rubric.scale), **grades}


def _comparability(source: PackSource) -> str:
    if source.name != "official":
        return "not comparable with published scores: those are of the official pack"
    return (
        "rubric score beside the board of eqbench.com only with that board's judge; "
        "ratings beside it never in one column"
    )


FILE = folder("eqbench3") / "published_leaderboard.csv"


def published_rows() -> list[dict[str, Any]]:
    """The board's rows, the best first; numbers as numbers."""
    numbers = ("elo_norm", "rubric_0_100", "ci_low_norm", "ci_high_norm")
    rows = read_rows(FILE, {"model_name": str, **dict.fromkeys(numbers, float)})
    return sorted(rows, key=lambda row: -row["elo_norm"])


def published_board() -> Table:
    """The board as a table of its own."""
    columns = ("rank", "model", "rating there", "printed interval", "rubric (0-100)")
    rows = [
        (
            n,
            row["model_name"],
            row["elo_norm"],
            f"{row['ci_low_norm']:.1f} … {row['ci_high_norm']:.1f}",
            row["rubric_0_100"],
        )
        for n, row in enumerate(published_rows(), start=1)
    ]
    return Table(
        "Published leaderboard of EQ-Bench 3 (eqbench.com, mid-2026): another scale",
        columns,
        rows,
        note="anchored at o3 = 1500 and llama-3.2-1b-instruct = 200, by that site's judge; its "
        "printed intervals leave out that models share scenarios and are too narrow. Do not read "
        "a rating of yours into this column.",
    )
