"""What a plugin declares wrongly is refused when it registers, with what to do.

Numbers as in `test_faults`.
"""

from types import SimpleNamespace
from typing import Any

import pytest

import eibench
from eibench import BoardControl, Derived, Option, PluginError, Value, hookimpl
from eibench.core.guard import guard
from eibench.core.plugins import Catalogue, Plugin
from tests.core.guard.conftest import Fine


def add_plugin(catalogue: Catalogue, plugin: object, distribution: str) -> None:
    """Load one plugin, which must not be broken."""
    catalogue.load([Plugin("x", distribution, lambda: plugin)])
    if catalogue.broken:
        raise PluginError(catalogue.broken[0].reason)


def registering(thing: Any, hook: str = "register_benchmarks") -> SimpleNamespace:
    """A plugin that registers one thing."""

    @hookimpl
    def register_one(register: Any) -> None:
        register(thing)

    return SimpleNamespace(**{hook: register_one})


def declares(**attributes: Any) -> Fine:
    """A benchmark with these attributes."""
    return type("Broken", (Fine,), attributes)()  # type: ignore[no-any-return]


def options(*some: Any) -> Fine:
    """A benchmark with these options."""
    return declares(options=some)


class Engine:
    """A rating engine."""

    name, title = "coin", "tosses a coin"

    def rate(self, comparisons: object, settings: object) -> None:
        """Nothing."""


async def _graded_otherwise(self: object, item: object, transcript: object) -> None:
    """Takes less than it is given."""


def _not_awaited(self: object, item: object, model: object, options: object) -> None:
    """Is no coroutine function."""


def _summed_up(self: object, pack: object, scores: object, options: object) -> None:
    """Meant as another."""


FAULTS = {
    "a method that is misspelt": (
        declares(sumarise=_summed_up),
        "its method sumarise is never called; did you mean summarise?",
    ),
    "a compare that is never called": (
        declares(compare=_not_awaited),
        "it compares, so it derives from eibench.Pairwise too: class Broken(Benchmark, Pairwise)",
    ),
    "a method that takes too little": (
        declares(grade=_graded_otherwise),
        "its method grade is called as grade(item, transcript, judge, options), which it cannot be",
    ),
    "a method that is no coroutine function": (
        declares(generate=_not_awaited),
        "its method generate is no coroutine function: write async def",
    ),
    "ranked by no value": (
        declares(values=(Value("v"),), ranked_by="zz", summarise=eibench.Benchmark.summarise),
        "it is ranked by 'zz', and its values are v",
    ),
    "a value named by a number": (
        declares(values=(Value(3),)),  # type: ignore[arg-type]
        "its value 3 is not described by texts",
    ),
    "a field of a type that is not read": (
        declares(fields={"id": str, "q": list[str]}),
        "its field 'q' holds list[str], which is not one of: str, int",
    ),
    "values that are names": (
        declares(values=("v",)),
        "it has ('v',) as values, not a tuple of eibench.Value",
    ),
    "a value declared twice": (
        declares(values=(Value("v"), Value("v"))),
        "its value 'v' is declared twice",
    ),
    "a value of a kind that there is not": (
        declares(values=(Value("v", kind="rate"),)),  # type: ignore[arg-type]
        "its value 'v' is of kind 'rate'; kinds: number, share",
    ),
    "a range the wrong way round": (
        declares(values=(Value("v", range=(5, 1)),)),
        "its value 'v' has the range (5, 1): give low, high",
    ),
    "a share above 1": (
        declares(values=(Value("v", kind="share", range=(0, 100)),)),
        "its value 'v' is a share, so its range is within 0 and 1",
    ),
    "nothing to report": (
        declares(summarise=eibench.Benchmark.summarise),
        "it has neither values nor a summarise, so there is nothing to report",
    ),
    "fields without an id": (declares(fields={"word": str}), 'its fields must hold "id": str'),
    "neither fields nor a reader": (
        declares(read_pack=eibench.Benchmark.read_pack),
        "it has neither fields nor a read_pack, so that there are no items",
    ),
    "a mean of what there is not": (
        declares(values=(Value("v", mean_of=("w",)),)),
        "its value 'v' is the mean of 'w', which is no value",
    ),
    "a mean by what is no field": (
        declares(values=(Value("v", macro="task"),), fields={"id": str}),
        "its value 'v' is a mean by 'task', which is none of its fields",
    ),
    "a formula over what there is not": (
        declares(values=(Derived("s", of=("w",), formula=len),)),
        "its value 's' is derived from 'w', which is no value with a mean of its own",
    ),
    "a formula over nothing": (
        declares(values=(Derived("s", of=(), formula=len),)),
        "its value 's' needs a formula, and a tuple of the values whose means it is of",
    ),
    "a formula with a mean of means": (
        declares(values=(Derived("s", of=("w",), formula=len, mean_of=("w",)), Value("w"))),
        "its value 's' is derived: macro, mean_of and kind are for the values it is of",
    ),
    "a value by what is no option": (
        declares(values=(Value("v", when={"task": "EU"}),)),
        "its value 'v' exists by 'task', which is none of its options",
    ),
    "a value by what is no choice": (
        declares(
            values=(Value("v", when={"task": ("EU", "EB")}),),
            options=(Option("task", "EA", "Which.", ("EA", "EU")),),
        ),
        "its value 'v' exists by task = ('EU', 'EB'), of EA, EU",
    ),
    "12 a version that is a number": (
        declares(version=1),
        "it has 1 as version, not a text, such as '1'",
    ),
    "13 an option declared twice": (
        options(Option("lang", "en", "h"), Option("lang", "zh", "h")),
        "its option 'lang' is declared twice",
    ),
    "14 an ill-named option": (
        options(Option("Bad Name", 1, "h")),
        "its option 'Bad Name' must be named in lower-case letters, digits and underscores",
    ),
    "15 a default that is no choice": (
        options(Option("lang", "de", "h", choices=("en", "zh"))),
        "its option 'lang' has the default 'de', which is not among its choices",
    ),
    "16 a default that is a list": (
        options(Option("langs", ["en"], "h")),
        "its option 'langs' has the default ['en']: not a text, a number, True, False or None",
    ),
    "33 a class instead of an instance": (Fine, "it is a class; pass Fine()"),
    "58 a default out of its range": (
        options(Option("seeds", 0, "h", min=1)),
        "its option 'seeds' has the default 0, which is not a whole number from 1 on",
    ),
    "59 a range of a text": (
        options(Option("lang", "en", "h", max=3)),
        "its option 'lang' has a range, so its default and its bounds must be finite numbers",
    ),
    "60 choices that are a text": (
        options(Option("lang", "e", "h", choices="en")),  # type: ignore[arg-type]
        "its option 'lang' has choices that are no tuple of texts: 'en'",
    ),
    "61 options that are names": (
        options("lang"),
        "it has ('lang',) as options, not a tuple of eibench.Option",
    ),
    "62 sampling that is a dict": (
        declares(sampling={"temperature": 0.1}),
        "it has {'temperature': 0.1} as sampling, not an eibench.Sampling",
    ),
    "63 a form that is a text": (
        declares(foreign_forms="inspect"),
        "it has 'inspect' as foreign_forms, not a tuple of texts: write ('inspect',)",
    ),
    "64 a switch that is a text": (
        declares(judged="yes"),
        "it has 'yes' as judged, not True or False",
    ),
    "65 no iterations": (
        declares(iterations=0),
        "it has 0 as iterations, not a whole number from 1 on",
    ),
    "66 a control of all of the score": (
        declares(board_controls=(BoardControl("length", "characters", "length", scale=1),)),
        "its board control 'length' has the scale 1: between 0 and 1",
    ),
    "67 a control declared twice": (
        declares(board_controls=(BoardControl("length", "characters", "length"),) * 2),
        "its board control 'length' is declared twice",
    ),
}


@pytest.mark.parametrize(("thing", "message"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_declaration_is_refused(thing: Any, message: str) -> None:
    """The plugin is broken, and the reason says what to write."""
    with pytest.raises(PluginError) as caught:
        add_plugin(Catalogue(), registering(thing), "eibench-broken 0.1.0")
    assert message in str(caught.value)
    assert "eibench-broken 0.1.0" in str(caught.value)


def test_python_code_s_own_benchmark_is_held_to_the_same(tmp_path: Any) -> None:
    """`eibench.run` refuses what would be refused from an installed plugin."""
    with pytest.raises(PluginError, match="it has 1 as version"):
        eibench.run(declares(version=1), runs_dir=tmp_path)


def test_an_engine_s_class_is_refused() -> None:
    """Engines likewise are instances."""
    with pytest.raises(PluginError, match=r"it is a class; pass Engine\(\)"):
        add_plugin(Catalogue(), registering(Engine, "register_rating_engines"), "x")


def test_a_hook_that_is_nearly_one_is_told_with_the_right_name() -> None:
    """34: `register_benchmark` means `register_benchmarks`."""
    with pytest.raises(PluginError, match="did you mean register_benchmarks"):
        add_plugin(Catalogue(), registering(Fine(), "register_benchmark"), "x")


def test_a_hook_without_its_mark_is_not_left_out_in_silence() -> None:
    """One of two hooks is marked: the other would never be called."""
    plugin = registering(Fine())
    plugin.register_providers = lambda register: None
    with pytest.raises(PluginError, match="register_providers is not marked: write @eibench"):
        add_plugin(Catalogue(), plugin, "x")


def test_what_is_right_registers() -> None:
    """A benchmark with every kind of option."""
    right = options(
        Option("lang", "en", "h", choices=("en", "zh")),
        Option("seeds", 2, "h", min=1, max=9),
        Option("share", 0.5, "h", min=0),
        Option("long", False, "h"),
        Option("path", None, "h"),
    )
    catalogue = Catalogue()
    add_plugin(catalogue, registering(right), "x")
    assert catalogue.benchmark("emobench") is right


def test_a_class_that_an_entry_point_names_is_registered() -> None:
    """A benchmark needs no hook."""
    catalogue = Catalogue()
    add_plugin(catalogue, Fine, "x")
    assert isinstance(catalogue.benchmark("emobench"), Fine)


def test_a_method_that_needs_no_self_is_as_good() -> None:
    """A staticmethod is called with the same arguments."""
    catalogue = Catalogue()
    plain = staticmethod(lambda options: {"system": "Say one word."})
    add_plugin(catalogue, registering(declares(prompts=plain)), "x")
    assert guard(catalogue.benchmark("emobench")).prompts({}) == {"system": "Say one word."}
