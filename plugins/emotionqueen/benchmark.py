"""EmotionQueen (Chen et al. 2024, arXiv:2409.13359): is it understood, and met with empathy?

The model answers a short statement; a judge says whether the answer recognised
what there was to recognise (PASS) and met it with empathy (WIN). Its facts, and
what of them is ours, are in docs/emotionqueen.md.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Model,
    Options,
    Pack,
    PackSource,
    PublishedRow,
    SampleScore,
    Sampling,
    Score,
    Summary,
    folder,
    no_answer,
)
from eibench.judges import Answers, Outcome, ask_yes_no

from .demo import demo_answer, demo_verdict
from .prompting import MODEL_PROMPT, QUESTIONS, judge_messages, judge_texts, model_prompt
from .scoring import PASS, TOKENS, UNREAD, VALUES, WIN, WORDS, mean_of_both, summarise
from .statements import read_statements

COMPARABILITY = (
    "not comparable with published rates: the paper's are of 10,000 other statements, with other "
    "prompts and GPT-4 as judge; the criteria for implicit emotion and intention are ours"
)


class StatementReply(NamedTuple):
    """What the model answered, or why there is nothing to judge.

    Tokens are of the answer without thinking; ``None`` where the server did not count them.
    """

    text: str
    problem: str | None
    cut_off: bool
    tokens: int | None


class EmotionQueen(Benchmark):
    """The benchmark."""

    name = "emotionqueen"
    version = "1"
    grading = "5"
    title = "answers to short statements: recognised, and met with empathy? (Chen et al. 2024)"
    kind = "yes-no"
    languages = ("en",)
    data = folder("emotionqueen")
    cite = data / "citation.bib"
    sampling = Sampling(temperature=0.0, max_tokens=100)
    judge_sampling = Sampling(temperature=0.0, max_tokens=2000)
    judged = True
    asks_again = True
    values = VALUES

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """The mean of PASS and WIN of each sample that has them."""
        return [mean_of_both(sample.score) for sample in scores]

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The statements."""
        items = read_statements(next(iter(source.files.values())))
        return Pack(source, items, COMPARABILITY, _warnings(items))

    async def generate(self, item: Item, model: Model, options: Options) -> StatementReply:
        """The model's answer to the statement."""
        response = await model.chat(model_prompt(item.content))
        return StatementReply(
            response.text, no_answer(response), response.truncated, _tokens(response)
        )

    async def grade(
        self, item: Item, transcript: StatementReply, judge: Model | None, options: Options
    ) -> Score:
        """PASS and WIN as the judge says; unscored when there is no answer to judge."""
        if transcript.problem is not None:
            return Score.unscored(transcript.problem, values=_lengths(transcript))
        assert judge is not None, "a judged benchmark gets a judge"
        messages = judge_messages(item.content, transcript.text)
        outcome = await ask_yes_no(judge, messages, QUESTIONS, cache_prefix=1)
        return _score(transcript, outcome)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """PASS and WIN rates, overall and by part, and how long the answers are."""
        return summarise(pack.items, scores)

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import rows

        return rows()

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What wraps a statement."""
        return {"model": MODEL_PROMPT}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """What the judge is asked, in each task."""
        return judge_texts()

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """An answer that recognises, and is warm, as often as the ability says."""
        return demo_answer(item.content, ability, rng)

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """PASS for the words of the note, WIN for a warm phrase with them."""
        return demo_verdict(item.content, request.messages[-1].content, rng)


def _tokens(response: ChatResponse) -> int | None:
    usage = response.usage
    uncounted = bool(response.reasoning) and not usage.reasoning  # thinking among the others
    return None if uncounted or not usage.output else usage.output - usage.reasoning


def _lengths(reply: StatementReply) -> dict[str, float | None]:
    tokens = None if reply.tokens is None else float(reply.tokens)
    return {PASS: None, WIN: None, WORDS: float(len(reply.text.split())), TOKENS: tokens}


def _score(reply: StatementReply, outcome: Outcome[Answers]) -> Score:
    values, flags = _lengths(reply), ("cut off",) * reply.cut_off + outcome.flags
    if outcome.value is None:
        message = f"the judge's reply could not be read: {outcome.reason}"
        return Score(values, message, (*flags, UNREAD), {"judge_said": list(outcome.replies)})
    answers = outcome.value
    values |= {PASS: float(answers.values["PASS"]), WIN: float(answers.values["WIN"])}
    return Score(values, None, flags, {"reason": answers.reason})


def _warnings(items: Sequence[Item]) -> tuple[str, ...]:
    makers = sorted({item.content.made_by for item in items} - {None})
    return (f"the statements were generated by {', '.join(makers)}",) if makers else ()
