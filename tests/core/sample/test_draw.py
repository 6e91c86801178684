"""Random choices of a benchmark: the same for every model, other ones in each sample."""

from eibench import Item, Model, Options, Sampling
from eibench.core.parties.party import Party
from eibench.core.sample.model import ConnectedParty, RecordedModel, given_replies
from eibench.testing import LoopbackServer, ScriptedModel
from tests.core.conftest import Lab, Talk


class Seeded(Talk):
    """A benchmark whose published code adds the iteration to its seed."""

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """One reply."""
        return [(await model.chat(f"{item.id}?", seed=100 + model.iteration)).text]


def handle(item_id: str, iteration: int, asked: str = "openai/a") -> RecordedModel:
    """What a plugin's coroutine holds in a run."""
    party = ConnectedParty("generate", Party.of(asked), Sampling(seed=7))
    return RecordedModel(given_replies([]), party, item_id, iteration)


def test_every_model_meets_the_same() -> None:
    """Whoever is asked, again after a stop, and in a test's script."""
    first = handle("7", 2).draw("turn 1").random()
    assert first == handle("7", 2, "openai/b").draw("turn 1").random()
    assert first == ScriptedModel(item_id="7", iteration=2).draw("turn 1").random()


def test_items_iterations_and_names_draw_apart() -> None:
    """Also where joined they read the same."""
    drawn = [
        handle(item, iteration).draw(name).random()
        for item, iteration, name in [("7", 2, "a"), ("7", 1, "a"), ("8", 2, "a"), ("72", 1, "a")]
    ]
    drawn.append(handle("7", 2).draw("b").random())
    assert len(set(drawn)) == 5


def test_the_iteration_is_known() -> None:
    """From 1 on."""
    assert (handle("7", 3).iteration, ScriptedModel().iteration) == (3, 1)


async def test_a_seed_may_depend_on_the_iteration(
    lab: Lab, counting_server: LoopbackServer
) -> None:
    """Each iteration is sent its own, and a resumed run finds its replies by it."""
    lab.benchmark = Seeded()
    first = await lab.run(iterations=2)
    asked = [r for r in counting_server.requests if r.model == "model"]
    seeds = sorted((r.prompt, r.body["seed"]) for r in asked)
    assert seeds == [(f"{item}?", seed) for item in (1, 2, 3, 4) for seed in (101, 102)]
    again = await lab.run(iterations=2)
    assert again["metrics"] == first["metrics"]
    assert len([r for r in counting_server.requests if r.model == "model"]) == len(asked)
