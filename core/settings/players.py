"""Who plays a benchmark's roles: what settings say of each, and of groups of them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

from ..benchmark import Benchmark
from ..errors import UsageError
from ..parties.providers import ModelSpec, of_role
from ..plugins import installed
from ..types import Sampling
from .run_config import Endpoint
from .run_settings import RunSettings, flag_of
from .set_options import ROLE_SET, read_sets
from .targets import Target, asked_with, find_target


def groups_of(benchmark: Benchmark) -> dict[str, list[str]]:
    """The members of each group of a benchmark's roles, by the group's name."""
    groups: dict[str, list[str]] = {}
    for role in benchmark.roles:
        if role.group:
            groups.setdefault(role.group, []).append(role.name)
    return groups


def by_member(benchmark: Benchmark, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by role, with that of a group at each member that has none of its own.

    Several values of a group, as a tuple, are those of its members in turn.

    Raises:
        UsageError: There are more of them than members.
    """
    roles = dict(values)
    for group, members in groups_of(benchmark).items():
        if group not in roles:
            continue
        value = roles.pop(group)
        several = value if isinstance(value, tuple) else (value,)
        if len(several) > len(members):
            message = f"{flag_of('roles')} {group} names {len(several)} players"
            raise UsageError(f"{message}, and there are {len(members)} {group}")
        roles = dict(zip(members, cycle(several), strict=False)) | roles
    return roles


def for_members(benchmark: Benchmark, settings: RunSettings) -> RunSettings:
    """The settings with what they say of a group of roles said of each of its members."""
    if not groups_of(benchmark):
        return settings
    names = ("roles", "role_base_url", "role_api_key_env")
    changes: dict[str, Any] = {n: by_member(benchmark, getattr(settings, n)) for n in names}
    if settings.file:
        changes["file"] = replace(settings.file, roles=by_member(benchmark, settings.file.roles))
    return replace(settings, role_set=_of_members(benchmark, settings), **changes)


def _of_members(benchmark: Benchmark, settings: RunSettings) -> tuple[str, ...]:
    """What is set of a group of roles as set of each member that has it not set of its own."""
    groups, texts = groups_of(benchmark), settings.role_set
    single = {text.partition("=")[0] for text in texts}
    expanded = list[str]()
    for text in texts:
        name, colon, rest = text.partition(":")
        if not colon or name not in groups:
            expanded.append(text)
            continue
        members = (f"{member}:{rest}" for member in groups[name])
        expanded += [one for one in members if one.partition("=")[0] not in single]
    return tuple(expanded)


def _listed(benchmark: Benchmark) -> str:
    """The roles that there are, a group with how many members it has."""
    groups = groups_of(benchmark)
    names = dict.fromkeys(role.group or role.name for role in benchmark.roles)
    return ", ".join(
        f"{name} ({groups[name][0]} to {groups[name][-1]})" if name in groups else name
        for name in names
    )


def find_roles(benchmark: Benchmark, settings: RunSettings) -> dict[str, Target]:
    """Who plays the benchmark's roles, by role; some may be missing.

    Raises:
        UsageError: A role is named that the benchmark does not have, or an address without a
            player.
    """
    names = [role.name for role in benchmark.roles]
    roles_text = f"{benchmark.name} has {_listed(benchmark) or 'no roles'}"
    for option in ("roles", "role_base_url", "role_api_key_env"):
        for name in getattr(settings, option):
            if name not in names:
                raise UsageError(f"{flag_of(option)} {name}: there is no such role; {roles_text}")
    if settings.is_given("role_set") and settings.role_set and not names:
        raise UsageError(f"{ROLE_SET}: {roles_text}")
    read_sets(settings.role_set, ROLE_SET, names)
    roles = {name: role.model for name, role in settings.filed_roles.items() if name in names}
    for name, spec in settings.roles.items():
        if not isinstance(spec, str):
            raise UsageError(f"{flag_of('roles')} {name} is given twice, and is no group of roles")
        roles[name] = spec
    for name in (*settings.role_base_url, *settings.role_api_key_env):
        if name not in roles:
            raise UsageError(f"the role {name} has no player; name one with --role {name}=SPEC")
    return {
        name: find_target(settings, ModelSpec.parse(roles[name]), of_role(name)) for name in roles
    }


def role_sampling(benchmark: Benchmark, players: Mapping[str, Endpoint]) -> dict[str, Sampling]:
    """How replies of roles are drawn where that is not as the benchmark says."""
    drawn = {
        r.name: players[r.name].settings.changes.applied_to(r.sampling) for r in benchmark.roles
    }
    return {
        role.name: drawn[role.name] for role in benchmark.roles if drawn[role.name] != role.sampling
    }


def fitting_players(
    benchmark: Benchmark, settings: RunSettings, model: ModelSpec, named: Mapping[str, Endpoint]
) -> dict[str, Endpoint]:
    """Who will play the roles of a run: those named, and demo players with a demo model."""
    demo = installed().provider(model.provider).demo
    players = {}
    for role in benchmark.roles:
        called = role.name if not role.group or named else role.group
        if role.name not in named and not demo:
            raise UsageError(
                f"{benchmark.name} needs the role {called}: {role.help} Name who plays it, "
                f"such as --role {called}=openai/gpt-4.1"
            )
        asked = asked_with(settings, of_role(role.name), None)
        demo_player = Endpoint(ModelSpec("demo", role.demo_name), settings=asked)
        players[role.name] = named.get(role.name) or demo_player
    return players
