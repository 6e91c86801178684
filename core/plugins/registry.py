"""Things of one kind that plugins add, by name, each with the distribution that added it."""

from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import PluginError, UsageError
from ..guard import described
from ..guard.printing import StdoutCapture
from ..hooks.on_demand import OnDemand
from ..reading.names import nearest_of
from .declared import ill_named

T = TypeVar("T")


class BrokenPlugin(NamedTuple):
    """A plugin, or one thing it registers, that cannot be used."""

    name: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} of {self.distribution} is broken: {self.reason}"


def reason_of(error: BaseException) -> str:
    """Why something is broken, on one line."""
    return " ".join(str(error).split()) if isinstance(error, PluginError) else described(error)


class Registry(Generic[T]):
    """Things of one kind by name, each with the distribution that added it (`origins`).

    `check` says what is wrong with a thing as it is registered; no plugin may take a `reserved`
    name. What is there on demand is imported when it is taken out of `things`.
    """

    def __init__(
        self,
        kind: str,
        check: Callable[[object], str | None],
        broken: list[BrokenPlugin],
        reserved: frozenset[str] = frozenset(),
    ) -> None:
        self.kind, self.check, self.broken, self.reserved = kind, check, broken, reserved
        self.origins: dict[str, str] = {}
        self.things: _Things[T] = _Things(self._imported)

    @property
    def declared(self) -> dict[str, Any]:
        """The things as they were registered, or as they are by now: nothing is imported."""
        return self.things.data

    def having(self, things: Mapping[str, OnDemand], origin: str) -> "Registry[T]":
        """Another registry with the same things and further ones on demand, all of one origin."""
        more = Registry[T](self.kind, self.check, self.broken, self.reserved)
        more.origins = {**self.origins, **dict.fromkeys(things, origin)}
        more.declared.update({**self.declared, **things})
        return more

    def refuse_unfit(self, thing: Any, distribution: str) -> None:
        """Refuse a thing of the wrong type, or with a name of eibench's own."""
        check = ill_named if isinstance(thing, OnDemand) else self.check
        if wrong := check(thing):
            named = getattr(thing, "__name__", None) or type(thing).__name__
            raise PluginError(f"{distribution} registers {named} as a {self.kind}: {wrong}")
        if thing.name in self.reserved:
            raise PluginError(
                f"{self.kind} {thing.name!r} of {distribution} clashes with eibench's own"
            )

    def add(self, thing: Any, distribution: str) -> None:
        """Add a thing that fits and whose name is free."""
        self.declared[thing.name] = thing
        self.origins[thing.name] = distribution

    def _imported(self, declared: OnDemand) -> T:
        """What was registered on demand; when it cannot be used, it is kept as broken."""
        distribution = self.origins[declared.name]
        try:
            with StdoutCapture(f"{self.kind} {declared.name} ({distribution})"):
                thing: T = declared.make()
            self.refuse_unfit(thing, distribution)
        except (Exception, SystemExit) as error:
            broken = BrokenPlugin(declared.name, distribution, reason_of(error))
            self.broken.append(broken)
            raise PluginError(str(broken)) from error
        return thing

    def get(self, name: str) -> T:
        """The thing of that name; `UsageError` has the nearest one, and the broken plugins."""
        if name in self.things:
            return self.things[name]
        near = " or ".join(map(repr, nearest_of(name, self.things, cutoff=0.5)))
        hint = f"did you mean {near}?" if near else "there are: " + ", ".join(self.things)
        failed = "".join(f"; {plugin}" for plugin in self.broken)
        raise UsageError(f"unknown {self.kind} {name!r}; {hint}{failed}")

    def __iter__(self) -> Iterator[T]:
        for name in list(self.things):
            try:
                thing = self.things[name]
            except PluginError:  # it is among the broken now
                continue
            yield thing


class _Things(UserDict[str, T]):
    """Things by name; those on demand are imported when they are taken out."""

    data: dict[str, Any]

    def __init__(self, imported: Callable[[OnDemand], T]) -> None:
        super().__init__()
        self._imported = imported

    def __getitem__(self, name: str) -> T:
        thing: Any = self.data[name]
        if isinstance(thing, OnDemand):
            try:
                thing = self.data[name] = self._imported(thing)
            except PluginError:
                del self.data[name]
                raise
        imported: T = thing
        return imported
