"""What is refused before anything is made or sent: parties that cannot be, and keys in texts."""

from ..benchmark.model import MODEL
from ..clients.demo import JUDGES
from ..clients.keys import redact, refuse_credentials
from ..errors import UsageError
from ..guard import guard, make_client
from ..parties.party import MARK, is_imported
from ..plugins import installed
from ..reports.suggestions import bench
from ..settings.run_config import Endpoint, RunConfig
from ..text import readable
from ..types import canonical
from .connect import client_config
from .session import Session
from .task import Task


def check_task(task: Task, session: Session) -> None:
    """Refuse what cannot be, before anything is made or sent.

    Raises:
        UsageError: The settings contradict each other.
        ConfigError: A key is missing.
    """
    config = task.config
    _refuse_imported(task)
    check_parties(config)
    for party in task.asked:
        session.pricing.check(party.endpoint, party.phase, party.most_sent, party.options)
    for party in task.asked:
        client = client_config(party.endpoint, session.environment, party.options)
        provider = installed().provider(party.endpoint.spec.provider)
        if provider.demo and not party.options.role:
            make_client(provider, client)  # costs nothing, and refuses a name that does not exist
    check_stored(config)
    if hasattr(config.benchmark, "placement"):
        guard(config.benchmark).placement(config.options)


def shared_addresses(config: RunConfig) -> list[str]:
    """Where judges and roles are asked, in words, where that may not be where they are meant to be.

    That is where the model is at a server of the user's own, and nothing is said of theirs.
    """
    messages = list[str]()
    for party in Task(config).parties[1:]:
        endpoint, options = party.endpoint, party.options
        provider = installed().provider(endpoint.spec.provider)
        who = f"{options.title}{endpoint.spec} is asked at"
        if endpoint.shared:
            address = f"{endpoint.base_url}, as the model, for {provider.key_env} is not set"
            messages.append(f"{who} {address}; {options.base_url} names another address")
        elif options.near:
            address = f"{provider.host}, not at the model's server"
            messages.append(f"{who} {address}; {options.base_url} {options.address} asks it there")
    return list(dict.fromkeys(messages))


def _refuse_imported(task: Task) -> None:
    """Refuse to ask those that another program has asked: nobody knows how to reach them."""
    config, generates = task.config, task.asks(MODEL)
    if (config.name or "").endswith(MARK) and generates:
        message = f"--name: names that end in{MARK} are those of imported runs"
        raise UsageError(f"{message}; choose another")
    if generates and is_imported(config.model.spec):
        raise UsageError(
            f"{config.model.spec} is the model of a run that was imported, and cannot be asked; "
            f"{bench('rejudge', 'RUN', '--judge', 'SPEC')} judges what it said"
        )
    for name, player in config.roles.items():
        if is_imported(player.spec):
            raise UsageError(f"--role {name}: {player.spec} is of an imported run; name another")
    for judge in config.judges:
        if is_imported(judge.spec):
            raise UsageError(
                f"{judge.spec} gave the verdicts of a run that was imported, and cannot be "
                f"asked; {bench('show', 'RUN', '--judge', judge.spec)} shows them"
            )


def _without_judge(config: RunConfig) -> str:
    """The switches that would do without a judge, beside those that are off already."""
    benchmark, options = config.benchmark, config.options
    on = [o.name for o in benchmark.options if o.default is True and options[o.name]]
    off = {**options, **dict.fromkeys(on, False)}
    needed = [name for name in on if guard(benchmark).needs_judge({**off, name: True})]
    if not needed or guard(benchmark).needs_judge({**options, **dict.fromkeys(needed, False)}):
        return ""
    return f", or only generate with {' '.join(f'--no-{name}' for name in needed)}"


def check_parties(config: RunConfig) -> None:
    """Refuse who cannot take part, and a run that misses somebody.

    Raises:
        UsageError: A judge or a player is missing, or does not go with the benchmark or the model.
    """
    name, model, judges = config.benchmark.name, config.model.spec, config.judges
    demo_model = config.demo
    judges_itself = not config.benchmark.judged and config.benchmark.has_demo_judge
    if demo_model and model.name in JUDGES and not judges_itself:
        raise UsageError(f"{model} is a judge; a demo model is demo/medium")
    if demo_model and not config.benchmark.has_demo and model.name not in JUDGES:
        raise UsageError(f"{name} has no words for demo models; name a real one with --model")
    _check_players(config, demo_model=demo_model)
    if not guard(config.benchmark).needs_judge(config.options):
        if judges:
            raise UsageError(f"{name} asks no judge; leave --judge out")
        return
    if not judges:
        without = _without_judge(config)
        raise UsageError(f"{name} needs a judge; name one, such as --judge openai/gpt-4.1{without}")
    _check_votes(config)
    for judge in judges:
        _check_demo_judge(config, judge, demo_model=demo_model)


def _check_votes(config: RunConfig) -> None:
    """Refuse a vote on what is no question of yes or no."""
    values = [value for value in config.benchmark.values if value.judged]
    if config.panel is None or config.panel.rule != "majority":
        return
    if not values or any(value.kind != "share" for value in values):
        name = config.benchmark.name
        message = f"--panel majority is for verdicts of yes or no, and those of {name} are numbers"
        raise UsageError(f"{message}; take mean or median")


def _check_demo_judge(config: RunConfig, judge: Endpoint, *, demo_model: bool) -> None:
    """Refuse a demo judge that cannot judge this."""
    if not installed().provider(judge.spec.provider).demo:
        return
    if judge.spec.name not in JUDGES:
        listed = ", ".join(f"demo/{name}" for name in JUDGES)
        raise UsageError(f"{judge.spec} is no judge; the demo judges are {listed}")
    if not demo_model:
        model = config.model.spec
        raise UsageError(f"the demo judge cannot judge {model}; name a real one with --judge")
    if not config.benchmark.has_demo_judge:
        name = config.benchmark.name
        raise UsageError(f"{name} has no rules for the demo judge; name a real one with --judge")


def _check_players(config: RunConfig, *, demo_model: bool) -> None:
    """Refuse demo players of roles that cannot be."""
    players = {role.name: role.demo_name for role in config.benchmark.roles}
    for name, player in config.roles.items():
        if not installed().provider(player.spec.provider).demo:
            continue
        real = f"name a real one with --role {name}=SPEC"
        demo_name = players.get(name, name)
        if player.spec.name != demo_name:
            message = f"{player.spec} does not play the role {name}; demo/{demo_name} does"
            raise UsageError(message)
        if not demo_model:
            raise UsageError(f"the demo {name} does not play with {config.model.spec}; {real}")
        if not config.benchmark.has_demo_roles:
            raise UsageError(f"{config.benchmark.name} has no rules for the demo {name}; {real}")


def check_stored(config: RunConfig) -> None:
    """Refuse what must not be stored with the run, or cannot be.

    Raises:
        UsageError: A key, or what is no text, is in a name, a note, the system prompt, an option
            or an extra field.
    """
    refuse_credentials(config.effective_sampling, "the sampling of the benchmark")
    if config.judge:
        refuse_credentials(config.benchmark.judge_sampling, "the sampling of the judge")
    for role in config.benchmark.roles:
        refuse_credentials(role.sampling, f"the sampling of the role {role.name}")
    for option, text in _stored_texts(config).items():
        if redact.reply(text) != text:
            raise UsageError(f"{option} holds a key, which would be stored with the run")
        if readable(text) != text:
            raise UsageError(
                f"{option} holds what is no text (bytes that are not UTF-8, or half a surrogate "
                "pair); write it in UTF-8"
            )


def _stored_texts(config: RunConfig) -> dict[str, str]:
    """What the user wrote and the journal keeps, by option."""
    extra = config.sampling.extra_body
    options = {f"--{name.replace('_', '-')}": value for name, value in config.options.items()}
    return {
        "--name": config.name or "",
        "--model": str(config.model.spec),
        "--judge": " ".join(str(judge.spec) for judge in config.judges),
        "--role": canonical({name: str(p.spec) for name, p in config.roles.items()}),
        "--system": config.system or "",
        "--reasoning-effort": config.sampling.reasoning_effort or "",
        "--note": canonical(dict(config.notes)),
        "--extra-body": canonical(dict(extra)) if extra else "",
        **{option: value for option, value in options.items() if isinstance(value, str)},
    }
