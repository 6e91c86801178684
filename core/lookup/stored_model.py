"""The model of a stored run as a plugin's coroutine holds it, with the roles of the run."""

from ..benchmark import Benchmark
from ..journal import RunRecord
from ..roles import MODEL
from ..sample.model import Answer, JournaledModel
from ..settings.run_config import stored_roles, stored_sampling
from .runs import model_label


def stored_model(
    run: RunRecord, benchmark: Benchmark, answer: Answer, item_id: str, iteration: int
) -> JournaledModel:
    """That of one sample, whose calls to the model and to roles are answered alike.

    Args:
        run: Says who was asked, and how.
        benchmark: Declares the roles.
        answer: Gives the replies.
        item_id: Of the sample.
        iteration: Of the sample.
    """
    players = stored_roles(run.settings)
    roles = {
        role.name: JournaledModel(
            answer,
            phase=role.phase,
            asked=players[role.name].label,
            sampling=role.sampling,
            item_id=item_id,
            iteration=iteration,
        )
        for role in benchmark.roles
        if role.name in players
    }
    return JournaledModel(
        answer,
        phase=MODEL,
        asked=model_label(run),
        sampling=stored_sampling(run.settings),
        system=run.settings["system"],
        item_id=item_id,
        iteration=iteration,
        roles=roles,
    )
