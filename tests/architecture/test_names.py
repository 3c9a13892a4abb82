"""Each set of names, and each structure of a message, stands once."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import permutations

from tests.architecture.sources import nodes, python

ORDERS_OF_THEIR_OWN = {
    # Modules that list a whole set once more: why
    "bench.press": "the plainer button is measured first",
    "bus.messages": "the numbers on the wire",
    "cli.processes": "the command line does not load the settings to read its arguments",
    "journal.heartbeat": "the numbers in the file, with phases that no game has yet",
    "journal.verify_game": "given away with an exported game: it must not import what it checks",
    "selftest.checks.panel": "the contact that counts is shown first",
    "vocabulary": "the set itself, with its length",
}

PART_OF_ANOTHER = {
    # (the smaller set, the larger one): why the larger one is not written with the smaller one's name
    (
        "game.claims.ClaimStatus",
        "bus.values.NodeClaimStatus",
    ): "a node has words of its own, in the wire's order",
    ("supply.zone.Feed", "paper.picture.Anchor"): "where a cable begins and where a text stands",
}

ALIKE_BY_CHANCE = {
    # Structures with the same fields: why they are not one
    ("bus.values.ButtonsView", "bus.values.DisplaysView"): "stuck buttons, and displays that answer",
    ("hal.roles.ContactChange", "protocol.probes.Edge"): "in the message no field may be missing",
    ("hal.roles.PanelPower", "protocol.probes.PanelCurrent"): "the hardware knows no messages",
    (
        "game.events.Collecting",
        "game.events.Resumed",
        "hal.debouncer.HeldSinceBoot",
        "hal.debouncer.Pressed",
        "hal.debouncer.Released",
        "hal.debouncer.StuckPressed",
        "hal.debouncer.WireMended",
    ): "events, told apart by their class, with nothing but their moment",
}

Named = tuple[str, frozenset[str]]


def test_a_set_of_names_stands_once() -> None:
    places: dict[frozenset[str], list[str]] = defaultdict(list)
    for place, members in literals():
        places[members].append(place)
    assert [sorted(found) for found in places.values() if len(found) > 1] == []


def test_a_set_that_holds_another_names_it() -> None:
    """`Literal[Side, "drawn"]`, not both sides once more."""
    held = {
        (plain(less), plain(more))
        for (less, few), (more, many) in permutations(literals(), 2)
        if len(few) > 1 and few < many
    }
    assert sorted(held) == sorted(PART_OF_ANOTHER)


def test_a_whole_set_is_taken_from_its_name() -> None:
    """`get_args(Level)`, not every level once more."""
    sets = set(whole_sets())
    listed = {
        plain(f"{name}:").rstrip(".")
        for name, module in python("pi_controller")
        for node in {*nodes(module, ast.Tuple, ast.List, ast.Set)} - within_literals(module)
        if frozenset(map(ast.unparse, node.elts)) in sets
    }
    assert listed == set(ORDERS_OF_THEIR_OWN)


def whole_sets() -> Iterator[frozenset[str]]:
    """The members of each named set with two or more, those of the sets that it names among them."""
    named = {place.split(":")[1]: members for place, members in literals()}
    for members in named.values():
        whole = members
        while not whole.isdisjoint(named):
            whole = frozenset(one for part in whole for one in named.get(part, {part}))
        if len(whole) > 1:
            yield whole


def within_literals(module: ast.Module) -> set[ast.AST]:
    return {node.slice for node in nodes(module, ast.Subscript) if ast.unparse(node.value) == "Literal"}


def literals() -> list[Named]:
    """Every `Literal`, however deep in an annotation; not the version of a document, its only value."""
    found: list[Named] = []
    for name, module in python("pi_controller"):
        names = aliases(module)
        for node in nodes(module, ast.Subscript):
            if ast.unparse(node.value).split(".")[-1] != "Literal":
                continue
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if not (len(parts) == 1 and isinstance(parts[0], ast.Constant) and parts[0].value == 1):
                place = f"{name}:{names.get(node, node.lineno)}"
                found.append((place, frozenset(ast.unparse(part) for part in parts)))
    return found


def aliases(module: ast.Module) -> dict[ast.AST, str]:
    """What is given a name at the top of a module."""
    return {
        line.value: line.targets[0].id
        for line in module.body
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
    }


def plain(place: str) -> str:
    """`pi_controller/bus/values.py:Side` as `bus.values.Side`."""
    return place.removeprefix("pi_controller/").replace(".py:", ".").replace("/", ".")


def test_a_structure_stands_once() -> None:
    """No second message, command or view with the same fields of the same types."""
    places: dict[frozenset[str], set[str]] = defaultdict(set)
    for place, members in structures():
        places[members].add(plain(place))
    alike = {tuple(sorted(found)) for found in places.values() if len(found) > 1}
    assert alike == set(ALIKE_BY_CHANCE)


def structures() -> Iterator[Named]:
    """The fields that each data class and `Struct` declares; one without any is nothing but its name."""
    for name, module in python("pi_controller"):
        for node in nodes(module, ast.ClassDef):
            declared = [line for line in node.body if isinstance(line, ast.AnnAssign)]
            fields = {ast.unparse(line.target): written_out(line.annotation) for line in declared}
            members = frozenset(
                f"{field}: {kind}" for field, kind in fields.items() if not kind.startswith("ClassVar")
            )
            if members:
                yield f"{name}:{node.name}", members


def written_out(annotation: ast.expr) -> str:
    """With the unions themselves in place of their names, such as `RequestId`."""
    return re.sub(r"\b\w+\b", lambda word: unions().get(word[0], word[0]), ast.unparse(annotation))


@cache
def unions() -> dict[str, str]:
    return {
        line.targets[0].id: ast.unparse(line.value)
        for _, module in python("pi_controller")
        for line in module.body
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
        if isinstance(line.value, ast.BinOp) and isinstance(line.value.op, ast.BitOr)
    }


JSON_OF_OTHERS = {
    # Modules that read values of which nothing is known yet: whose they are
    "core.game_loop.pending": "a journal's, perhaps of an earlier release",
    "core.game_loop.opening": "a journal's, perhaps of an earlier release",
    "core.runtime": "what asyncio says of an exception",
    "core.wiring.service": "what asyncio says of an exception",
    "journal.record": "a journal's",
    "journal.verify_game": "an exported journal's",
    "protocol.messages": "of who asks over the control socket",
    "protocol.server": "what asyncio says of an exception",
    "roster.model": "a roster's that somebody wrote",
    "settings.load": "a settings file's",
    "settings.overlay": "a page's, and a settings file's",
    "virtual_hall.main": "what asyncio says of an exception",
    "web.api.tables": "a page's, on its way to core",
    "web.http.limits": "what asyncio says of an exception",
}


def test_values_of_any_kind_are_those_of_others() -> None:
    found = {
        plain(f"{name}:").rstrip(".")
        for name, module in python("pi_controller")
        if any(ast.unparse(node) == "dict[str, Any]" for node in nodes(module, ast.Subscript))
    }
    assert found == set(JSON_OF_OTHERS)


def test_a_class_has_a_name_of_its_own() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for name, module in python("pi_controller", "benchmarks"):
        for node in nodes(module, ast.ClassDef):
            if not node.name.startswith("_"):
                places[node.name].add(name)
    assert {kind: where for kind, where in places.items() if len(where) > 1} == {}
