"""A small pack in upstream's layout and in our words, and what judges say of its pieces."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

WRITTEN = "And then they dug and dug. " * 20
"""Enough for a piece."""
CRITERIA = {"Wit": 12, "Weak Dialogue": 4, "Elegant Prose": 10, "Overwrought": 0}
"""With the grades of a verdict whose score is (12 + 16 + 10 + 20) / 4 of 20: 72.5."""
FILES = {
    "creative_writing_criteria.txt": "\n".join(CRITERIA),
    "negative_criteria.txt": "Weak Dialogue\n\nOverwrought\n",
    "creative_writing_judging_prompt.txt": "[TASK]\n{writing_prompt}\n[/TASK]\n[PIECE]\n"
    "{test_model_response}\n[/PIECE]\nless:\n{lower_is_better_criteria}\nall:\n"
    "{creative_writing_criteria}",
    "pairwise_prompt.txt": "[TASK]\n{writing_prompt}\n[/TASK]\n[WRITER A0493]\n{model_a_analysis}\n"
    "[/WRITER A0493]\n[WRITER A0488]\n{model_b_analysis}\n[/WRITER A0488]\n{\n"
    '"chain_of_thought_reasoning": "why",\n"wit": "who",\n"coherence": "who"\n}',
}
PROMPTS: dict[str, Any] = {
    "well": {"title": "The Well", "category": "humour", "writing_prompt": "A well. <SEED> Short.",
             "seed_modifiers": ["With a bucket.", "At night."]},
    "5": {"title": "No Seed", "category": "realism", "writing_prompt": "A roof.",
          "seed_modifiers": []},
}  # fmt: skip


def verdict(**grades: float) -> str:
    """What a judge says: the grades of `CRITERIA`, with changes."""
    lines = "\n".join(f"{name}: {grade}" for name, grade in {**CRITERIA, **grades}.items())
    return f"[Analysis]\n\nIt holds.\n\n[Scores]\n\n{lines}"


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., Path]:
    """Writes such a pack; texts of files may be given by their names."""

    def write(prompts: object = PROMPTS, files: Mapping[str, str | None] = {}) -> Path:
        folder = tmp_path / "pack"
        folder.mkdir(exist_ok=True)
        texts = {**FILES, "creative_writing_prompts_v3.json": json.dumps(prompts), **files}
        for name, text in texts.items():
            if text is not None:
                (folder / name).write_text(text, encoding="utf-8")
        return folder

    return write
