"""Under which names a value passes from one function to another, followed without running anything.

A value is followed through assignments, loops, arguments, attributes, returned values, and objects
made of it: what a class of the project, `replace` or a container is called with is in the result;
an error is not, nor a text joined of it, nor what another package's function makes of it. Which
function a method's call enters is told by annotations, by what a name was assigned, or by the
method's name where a single class has it; where none tells, the result is taken to hold the
object. All branches count alike, and all calls of a function are one; so a function that the first
one never enters, by calls, properties or names, is left out, whatever flows into it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from .structure_source import Function, Source, parameters

#: A function as file:qualified name, and what is called so in it; the name of its result is "".
Node: TypeAlias = tuple[str, str]
_KEPT = (
    "replace _replace dict list tuple set frozenset sorted reversed iter next zip enumerate filter "
    "cast partial chain max min"
)
_KEPT_BY = frozenset(_KEPT.split())
_WORD = re.compile(r"\w+")


@dataclass
class Scope:
    """A function, or a class as what its calls enter."""

    path: str
    owner: str
    node: Function
    types: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its name in the graph."""
        return f"{self.path}:{self.owner}.{self.node.name}"

    @cached_property
    def names(self) -> list[str]:
        """Its parameters."""
        return [arg.arg for arg in parameters(self.node)]


class Flow:
    """What flows into what, over all functions of a checkout."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.edges: dict[Node, set[Node]] = defaultdict(set)
        self.entered: dict[str, set[str]] = defaultdict(set)
        self.scopes = {s.key: s for s in (Scope(*found) for found in source.functions())}
        self.classes = {
            node.name: (path, node)
            for path, tree in source.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        }
        self.methods: dict[str, list[Scope]] = defaultdict(list)
        for scope in self.scopes.values():
            if scope.owner:
                self.methods[scope.node.name].append(scope)
        for scope in self.scopes.values():
            _Reader(self, scope).read()
        for scope in self.scopes.values():
            for base in self._bases(scope.owner):
                if found := self.method(base, scope.node.name):
                    self.entered[found.key].add(scope.key)

    def _bases(self, owner: str) -> list[str]:
        bases = self.classes[owner][1].bases if owner in self.classes else []
        return [name for b in bases if (name := ast.unparse(b).split("[")[0]) != owner]

    def names(self, start: Node, ends: Sequence[str], beside: Sequence[str]) -> set[str]:
        """The names of a parameter on its way into functions of some folders.

        Args:
            start: The parameter.
            ends: Beginnings of the paths where the way ends.
            beside: Beginnings of the paths that are no part of it.
        """
        forward = self._reached(start, tuple(ends), tuple(beside))
        back: dict[Node, set[Node]] = defaultdict(set)
        for node in forward:
            for other in self.edges[node]:
                back[other].add(node)
        waiting = [node for node in forward if node[0].startswith(tuple(ends))]
        seen = set(waiting)
        while waiting:
            new = (back[waiting.pop()] & forward) - seen
            seen |= new
            waiting += new
        return {name for _, name in seen} - {"", "self", "cls"}

    def _entered_from(self, start: str) -> set[str]:
        seen, waiting = {start}, [start]
        while waiting:
            new = self.entered[waiting.pop()] - seen
            seen |= new
            waiting += new
        return seen

    def _reached(self, start: Node, ends: tuple[str, ...], beside: tuple[str, ...]) -> set[Node]:
        entered = {key for key in self._entered_from(start[0]) if not key.startswith(beside)}
        seen, waiting = {start}, [start]
        while waiting:
            node = waiting.pop()
            if not node[0].startswith(ends):
                new = {n for n in self.edges[node] - seen if n[0] in entered}
                seen |= new
                waiting += new
        return seen

    def function(self, path: str, name: str) -> Scope | None:
        """A function at the top of a file, or one that the file imports."""
        if found := self.scopes.get(f"{path}:.{name}"):
            return found
        for each in self.source.imports[path]:
            if each.bound == name and each.name and each.file != path:
                return self.function(each.file, each.name)
        return None

    def method(self, owner: str, name: str) -> Scope | None:
        """A method of a class or of one that it extends."""
        if owner not in self.classes:
            return None
        path, node = self.classes[owner]
        if found := self.scopes.get(f"{path}:{owner}.{name}"):
            return found
        bases = (ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases)
        return next((m for base in bases if base != owner and (m := self.method(base, name))), None)

    def fields(self, owner: str) -> list[ast.AnnAssign]:
        """The fields that a class declares, those of the classes that it extends first."""
        if owner not in self.classes:
            return []
        node = self.classes[owner][1]
        bases = (ast.unparse(base).split("[")[0] for base in node.bases)
        own = [line for line in node.body if isinstance(line, ast.AnnAssign)]
        return [f for base in bases if base != owner for f in self.fields(base)] + own

    def attribute(self, owner: str, name: str) -> str:
        """The class that a field or a property of a class is annotated with, or ""."""
        for line in self.fields(owner):
            if ast.unparse(line.target) == name:
                return self.class_in(line.annotation)
        found = self.method(owner, name)
        return self.class_in(found.node.returns) if found else ""

    def class_in(self, annotation: ast.expr | None) -> str:
        """The first class of the project that an annotation names, or ""."""
        words = _WORD.findall(ast.unparse(annotation)) if annotation else []
        return next((word for word in words if word in self.classes), "")


class _Reader:
    """Reads one function into the graph."""

    def __init__(self, flow: Flow, scope: Scope) -> None:
        self.flow, self.scope = flow, scope
        if scope.owner:
            scope.types |= {"self": scope.owner, "cls": scope.owner}
        for arg in parameters(scope.node):
            if found := flow.class_in(arg.annotation):
                scope.types[arg.arg] = found

    def read(self) -> None:
        """All statements, the function's own functions apart but lambdas with it."""
        nodes = list(_own(self.scope.node))
        for node in nodes:
            self._learn(node)
        for node in nodes:
            self.flow.entered[self.scope.key] |= {found.key for found in self._all_entered(node)}
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._into(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._into(target, value)
                case ast.NamedExpr(target=target, value=value):
                    self._into(target, value)
                case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                    self._into(target, value)
                case ast.comprehension(target=target, iter=value):
                    self._into(target, value)
                case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                    self._into(target, value)
                case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                    self._flow(value, (self.scope.key, ""))
                case ast.Call():
                    self._call(node)
                case _:
                    pass

    def _learn(self, node: ast.AST) -> None:
        """Types of local names."""
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                found = self.flow.class_in(annotation)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.For(target=ast.Name(id=name), iter=value)
                | ast.comprehension(target=ast.Name(id=name), iter=value)
                | ast.withitem(context_expr=value, optional_vars=ast.Name(id=name))
            ):
                found = self._type(value)
            case _:
                return
        if found:
            self.scope.types.setdefault(name, found)

    def _type(self, value: ast.expr) -> str:
        match value:
            case ast.Name(id=name):
                return self.scope.types.get(name, "")
            case ast.Attribute(value=inner, attr=name):
                owner = self._type(inner)
                return self.flow.attribute(owner, name) if owner else ""
            case ast.Call(func=ast.Name(id=name)) if name in self.flow.classes:
                return name
            case ast.Call(func=ast.Name(id="replace"), args=[first, *_]):
                return self._type(first)
            case ast.Call():
                found = self._entered(value)
                return self.flow.class_in(found.node.returns) if found else ""
            case ast.Await(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                return self._type(inner)
            case ast.IfExp(body=one, orelse=other):
                return self._type(one) or self._type(other)
            case ast.BoolOp(values=values):
                return next(filter(None, map(self._type, values)), "")
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
                return self._type(elt)
            case _:
                return ""

    def _into(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self._flow(value, (self.scope.key, name))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
                if len(parts) != len(targets):
                    parts = [value] * len(targets)
                pairs = zip(targets, parts, strict=True)
                for one, part in pairs:
                    self._into(one, part)
            case ast.Starred(value=inner):
                self._into(inner, value)
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                for holder in self._held(inner):
                    self._flow(value, holder)
            case _:
                pass

    def _flow(self, value: ast.expr, into: Node) -> None:
        for node in self._held(value):
            self.flow.edges[node].add(into)

    def _held(self, value: ast.expr | None) -> Iterator[Node]:
        """The names whose value an expression holds."""
        match value:
            case ast.Name(id=name):
                yield (self.scope.key, name)
            case ast.Attribute(value=inner, attr=name):
                yield from self._held(inner)
                if (owner := self._type(inner)) and (found := self.flow.method(owner, name)):
                    for node in self._held(inner):
                        self.flow.edges[node].add((found.key, "self"))
            case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr() | ast.YieldFrom():
                yield from self._held(value.value)
            case ast.IfExp(body=one, orelse=other):
                yield from (*self._held(one), *self._held(other))
            case (
                ast.BoolOp(values=parts)
                | ast.Tuple(elts=parts)
                | ast.List(elts=parts)
                | ast.Set(elts=parts)
                | ast.Dict(values=parts)
            ):
                for part in parts:
                    yield from self._held(part)
            case ast.BinOp(op=ast.BitOr() | ast.Add(), left=one, right=other):
                yield from (*self._held(one), *self._held(other))
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                yield from self._held(elt)
            case ast.DictComp(value=elt):
                yield from self._held(elt)
            case ast.Call():
                yield from self._result(value)
            case _:
                pass

    def _result(self, call: ast.Call) -> Iterator[Node]:
        if found := self._entered(call):
            if found.node.name == "__init__":
                yield from self._given(call)
            yield (found.key, "")
            return
        func = call.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in _KEPT_BY or (name in self.flow.classes and not name.endswith("Error")):
            yield from self._given(call)
        if isinstance(func, ast.Attribute):
            yield from self._held(func.value)

    def _given(self, call: ast.Call) -> Iterator[Node]:
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            yield from self._held(argument)

    def _entered(self, call: ast.Call) -> Scope | None:
        match call.func:
            case ast.Name(id=name):
                if name in self.flow.classes:
                    return self.flow.method(name, "__init__")
                return self.flow.function(self.scope.path, name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if module := self._module(name):
                if attr in self.flow.classes:
                    return self.flow.method(attr, "__init__")
                return self.flow.function(module, attr)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attr):
                return None
            case ast.Attribute(value=inner, attr=attr):
                if isinstance(inner, ast.Name) and inner.id in self.flow.classes:
                    return self.flow.method(inner.id, attr)
                owner = self._type(inner)
                if owner and (found := self.flow.method(owner, attr)):
                    return found
                alone = self.flow.methods[attr]
                return alone[0] if not owner and len(alone) == 1 else None
            case _:
                return None

    def _all_entered(self, node: ast.AST) -> Iterator[Scope]:
        """The functions that are entered where a node stands, or are named there."""
        found: Scope | None = None
        match node:
            case ast.Call(func=func):
                found = self._entered(node)
                if isinstance(func, ast.Name) and (
                    made := self.flow.method(func.id, "__post_init__")
                ):
                    yield made
            case ast.Attribute(value=inner, attr=name) if owner := self._type(inner):
                found = self.flow.method(owner, name)
            case ast.Name(id=name):
                found = self.flow.function(self.scope.path, name)
            case _:
                pass
        if found:
            yield found

    def _module(self, name: str) -> str | None:
        imports = self.flow.source.imports[self.scope.path]
        return next((i.file for i in imports if i.bound == name and i.name is None), None)

    def _call(self, call: ast.Call) -> None:
        """Arguments into the parameters of what is entered."""
        if (found := self._entered(call)) is None:
            return
        names = found.names
        if found.owner and names[:1] in (["self"], ["cls"]):
            names = names[1:]
            if isinstance(call.func, ast.Attribute):
                self._flow(call.func.value, (found.key, "self"))
        positional = [n.arg for n in (*found.node.args.posonlyargs, *found.node.args.args)]
        positional = [name for name in positional if name in names]
        rest = [a.arg for a in (found.node.args.vararg, found.node.args.kwarg) if a]
        for n, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred):
                targets = positional[n:]
            else:
                targets = positional[n : n + 1] or rest[:1]
            for name in targets:
                self._flow(argument, (found.key, name))
        for keyword in call.keywords:
            targets = rest[-1:] or names
            if keyword.arg:
                targets = [keyword.arg] if keyword.arg in names else rest[-1:]
            for name in targets:
                self._flow(keyword.value, (found.key, name))


def _own(function: Function) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
