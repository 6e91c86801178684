"""The program that compares two versions finds a difference, and no other."""

from benchmarks.same_results import Json, comparable, differences


def test_a_difference_is_named_by_its_path() -> None:
    """The last digit counts, the kind of number too, and what only one side has."""
    before: Json = {"metrics": [{"value": 0.30000000000000004, "n": 3}], "gone": None}
    after: Json = {"metrics": [{"value": 0.3, "n": 3.0}]}
    assert list(differences(before, after)) == [
        '$.gone: null | "(absent)"',
        "$.metrics[0].n: 3 | 3.0",
        "$.metrics[0].value: 0.30000000000000004 | 0.3",
    ]


def test_times_are_not_compared() -> None:
    """When something was made and how long it took is left out, at any depth."""
    assert comparable([{"at": "now", "elapsed_s": 3, "score": {"latency_s": 1, "v": 2}}]) == [
        {"score": {"v": 2}}
    ]
