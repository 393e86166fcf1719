"""Where a program ran, by launch lines, headings over tables and the names of files.

A word counts only there: `intra-node` in a line of a library's log, `running on node` of a hello
program or the nodes of a whole cluster or job say nothing of the ranks of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from machmeter.importing.lines.answered import answered
from machmeter.importing.lines.headings import with_all
from machmeter.importing.lines.labels import PlaceLabel, labels_of
from machmeter.importing.lines.programs_started import may_print
from machmeter.importing.readings import Place
from machmeter.model.benchmark import Value

_REACH = 200
_MOST_LABELS = 40

UNKNOWN = Place()


def label_in(line: str) -> Place:
    """What a line says of nodes and ranks, where it is a launch, a heading or the size of a job."""
    return next((label.place for label in labels_of((line,))), UNKNOWN)


def labels_in(lines: Sequence[str]) -> tuple[PlaceLabel, ...]:
    """Every label among the lines; of several starts above a table the one that printed it."""
    return answered(labels_of(lines))


def place_before(
    labels: Sequence[PlaceLabel], line: int, name: str, given: Place, test: str = ""
) -> Place:
    """Where the table whose head is line `line` (from 1) was measured.

    given: what a person said, which counts most; then the labels in the 200 lines above the table
    up to the launch that is nearest, with no other table between them, then the file's name. test:
    title of the table; a launch of something else says nothing of it.
    """
    found = given
    has_label = is_started = False
    for label in _above(labels, line):
        if (label.begins_table and has_label) or (label.is_launch and is_started):
            break
        has_label = has_label or not (label.begins_table or label.is_traced)
        if not label.is_launch or may_print(label.program, test):
            found = _completed(found, label.place)
        if label.is_launch and not label.is_plain:
            break
        is_started = is_started or label.is_launch
    return _completed(found, label_of_name(name))


def start_before(labels: Sequence[PlaceLabel], line: int) -> PlaceLabel | None:
    """The nearest start in the 200 lines above the table whose head is line `line` (from 1)."""
    above = _above(labels, line)
    return next((label for label in above if label.is_launch or label.is_traced), None)


def _above(labels: Sequence[PlaceLabel], line: int) -> Iterator[PlaceLabel]:
    """The labels in the 200 lines above a line, from it on upwards, with the start that is its."""
    last = bisect_right(labels, line, key=lambda label: label.line)
    for label in reversed(labels[max(0, last - _MOST_LABELS) : last]):
        if line - label.line > _REACH:
            break
        if label.line < line or not label.begins_table:
            yield label


def label_of_name(name: str) -> Place:
    """What the name of a file or test says: `2nodes`, `nodes_2`, `np16`, `internode`.

    A number after another one, as in a date, is none, nor is the number of one node (`node07`).
    """
    tokens = list(re.finditer(r"[A-Za-z]+|\d+", name))
    words = [one.group().lower() for one in tokens]
    glued = [bool(at) and one.start() == tokens[at - 1].end() for at, one in enumerate(tokens)]
    found: dict[str, int] = {}
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "node" and before in _NODES_BY_WORD and after not in _OF_A_MACHINE:
            found.setdefault(*_NODES_BY_WORD[before])
        elif word in _NODES_BY_COMPOUND:
            found.setdefault(*_NODES_BY_COMPOUND[word])
        elif word in _KEYS and _is_count(after) and not _is_counted(words, glued, at):
            found.setdefault(_KEYS[word], int(after))
        elif word == "node" and _is_count(after) and {"ppn", "each"} & {*words, *found}:
            found.setdefault("nodes", int(after))
        elif word == "node" and after.isdigit():
            continue
        elif word in _COUNTED and after not in _OF_A_MACHINE and _is_counted(words, glued, at):
            found.setdefault(_COUNTED[word], int(before))
    between = found.pop("between", 0)
    nodes, ranks, each = (found.get(key, 0) for key in ("nodes", "ranks", "each"))
    if between and nodes == 1:
        nodes = between = 0
    is_between = bool(between and not nodes)
    place = Place(nodes or between, ranks, name[:80], each=each, between=is_between)
    return with_all(place) if nodes or between or ranks or each else UNKNOWN


_BETWEEN_NODES, _ONE_NODE = ("between", 2), ("nodes", 1)
_NODES_BY_WORD = {
    "inter": _BETWEEN_NODES,
    **dict.fromkeys(("intra", "one", "single"), _ONE_NODE),
}
_NODES_BY_COMPOUND = {
    "internode": _BETWEEN_NODES,
    **dict.fromkeys(("intranode", "singlenode"), _ONE_NODE),
}
_KEYS = {"nodes": "nodes", "np": "ranks", "ranks": "ranks", "nprocs": "ranks", "ntasks": "ranks"}
_KEYS |= {"ppn": "each", "nnodes": "nodes"}
_COUNTED = {"nodes": "nodes", "node": "nodes", "ranks": "ranks", "procs": "ranks", "tasks": "ranks"}
_COUNTED |= {"rank": "ranks", "proc": "ranks", "processes": "ranks", "np": "ranks", "ppn": "each"}
_OF_A_MACHINE = ("cluster", "system", "machine", "partition", "rack", "lab")


def _is_count(word: str) -> bool:
    return bool(re.fullmatch(r"[1-9]\d{0,6}", word))


def _is_counted(words: Sequence[str], glued: Sequence[bool], at: int) -> bool:
    """Whether the number before the word counts it: no value of another word, no part of a date,
    no version (`mvapich2_np16`)."""
    if at < 1 or not _is_count(words[at - 1]):
        return False
    if glued[at - 1] and not glued[at]:
        return False
    if at < 2 or words[at - 2] not in {*_KEYS, "node", "size"}:
        return at < 2 or not words[at - 2].isdigit()
    return _is_counted(words, glued, at - 2)


def remark_on(place: Place, name: str) -> str:
    """What is taken from a label, with the label; empty where nothing is."""
    if not place.label or not (place.nodes or place.ranks or place.each):
        return ""
    between = ["between nodes"] if place.between else []
    said = between + [
        f"{count} {what}{'s' * (count != 1)}{more}"
        for count, what, more in (
            (0 if place.between else place.nodes, "node", ""),
            (place.ranks, "rank", ""),
            (place.each if not (place.nodes and place.ranks) else 0, "rank", " on each node"),
        )
        if count
    ]
    return f"{name}: {', '.join(said)}, from its label {place.label!r}"


def _completed(known: Place, label: Place) -> Place:
    """What is known, with what a label adds; it is quoted where it adds something."""
    # A number of nodes says more than that there are several.
    counts = known.between and label.nodes > 1 and not label.between
    of_nodes = label if counts or not (known.nodes or known.unknown) else known
    place = Place(
        of_nodes.nodes,
        known.ranks or label.ranks,
        unknown=of_nodes.unknown,
        each=known.each or label.each,
        between=of_nodes.between,
    )
    place = with_all(place)
    if (place.nodes, place.ranks, place.each, place.between) == (
        *(known.nodes, known.ranks, known.each, known.between),
    ):
        return msgspec.structs.replace(place, label=known.label)
    says_nodes = bool(label.nodes or label.each or label.between)
    gave_nodes = counts or (says_nodes and not (known.nodes or known.each or known.between))
    quoted = label.label if gave_nodes else known.label or label.label
    return msgspec.structs.replace(place, label=quoted)


def of_ranks(place: Place, ranks: int) -> Place:
    """The place of as many ranks as the tool itself prints."""
    return with_all(msgspec.structs.replace(place, ranks=ranks or place.ranks))


def pair_layout(place: Place) -> tuple[dict[str, Value], str]:
    """The layout of two ranks, and what is not known of it."""
    if place.label and place.nodes > 2:
        return (
            {},
            f"its label says {place.nodes} nodes; which of them the two ranks used is unknown",
        )
    if place.nodes >= 2 or (not place.nodes and place.each == 1):
        return {"nodes": 2, "ranks_per_node": 1}, ""
    if place.nodes == 1 or (not place.nodes and place.each > 1):
        return {"nodes": 1, "ranks_per_node": 2}, ""
    return {}, place.unknown or "whether the two ranks shared a node is not printed"


def group_layout(place: Place) -> tuple[dict[str, Value], str] | None:
    """The layout of many ranks and what is not known of it; None where no layout is like that."""
    if not place.ranks or place.unknown:
        return None
    if not place.nodes and place.ranks > 1:
        layout: dict[str, Value] = {"ranks_per_node": place.ranks}
        return layout, "on how many nodes the ranks ran is not printed; taken as one"
    nodes = place.nodes or 1
    if place.ranks % nodes:
        return None
    return {"nodes": nodes, "ranks_per_node": place.ranks // nodes}, ""


def workload_layout(place: Place) -> tuple[dict[str, Value], dict[str, Value], str]:
    """The layout of ranks, parameters that say what it cannot, and what is not known of it."""
    found = group_layout(place)
    if found is not None:
        return found[0], {}, found[1]
    # Nodes alone are a layout too: the rest of it stays open.
    nodes: dict[str, Value] = {}
    if place.nodes and not place.between:
        nodes = {"nodes": place.nodes}
    if not place.ranks:
        return nodes, {}, "how many ranks ran is not printed"
    ranks: dict[str, Value] = {"ranks": place.ranks}
    if place.unknown:
        return {}, ranks, place.unknown
    return nodes, ranks, "not as many ranks on each node"
