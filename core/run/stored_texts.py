"""What a user wrote that is stored with a run: texts, and no keys."""

from ..clients.keys import redact, refuse_credentials
from ..errors import UsageError
from ..settings.run_config import RunConfig, judges_of
from ..text import readable
from ..types import canonical


def check_stored(config: RunConfig) -> None:
    """Refuse what must not be stored with the run, or cannot be.

    Raises:
        UsageError: A key, or what is no text, is in a name, a note, the system prompt, an option
            or an extra field.
    """
    refuse_credentials(config.effective_sampling.extra_body, "the sampling of the benchmark")
    if config.judge:
        refuse_credentials(config.benchmark.judge_sampling.extra_body, "the sampling of the judge")
    for role in config.benchmark.roles:
        refuse_credentials(role.sampling.extra_body, f"the sampling of the role {role.name}")
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
    own = {f"--{name.replace('_', '-')}": value for name, value in config.options.items()}
    return {
        "--name": config.name or "",
        "--model": str(config.model.spec),
        "--judge": " ".join(str(judge.spec) for judge in judges_of(config)),
        "--role": canonical({name: str(p.spec) for name, p in config.roles.items()}),
        "--system": config.system or "",
        "--reasoning-effort": config.sampling.reasoning_effort or "",
        "--note": canonical(dict(config.notes)),
        "--extra-body": canonical(dict(extra)) if extra else "",
        **{option: value for option, value in own.items() if isinstance(value, str)},
    }
