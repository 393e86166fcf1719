"""Where a program ran, by the labels that people give: file names and lines around a table."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from machmeter.importing.readings import Place
from machmeter.model.benchmark import Value

_START = r"(?<![A-Za-z0-9])"
_MANY = re.compile(_START + r"(\d{1,6})[ -]?nodes?(?![A-Za-z0-9])", re.IGNORECASE)
_BETWEEN = re.compile(
    _START + r"(?:inter[ -]?node|between nodes|across nodes)(?![A-Za-z0-9])", re.IGNORECASE
)
_WITHIN = re.compile(
    _START + r"(intra[ -]?node|(?:one|single|same)[ -]node|on[ -]?node)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_RANKS = re.compile(
    _START + r"(?:(\d{1,7})[ -]?(?:ranks?|procs?|processes|tasks)|np[ =]?(\d{1,7}))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_SLURM_NODES = re.compile(r"SLURM_(?:JOB_NUM_|N)NODES=(\d{1,6})(?!\d)")
_SLURM_TASKS = re.compile(r"SLURM_NTASKS=(\d{1,7})(?!\d)")
_LAUNCHER = re.compile(
    r"(?<![\w/.-])(?:[\w/.-]*/)?(srun|flux run|mpiexec|mpirun|prun|aprun|ibrun)\s+(.+)"
)
_OPTION_RANKS = re.compile(r"(?:^|\s)(?:-n|-np|--ntasks)[ =]?\s*(\d{1,7})(?=\s|$)")
_OPTION_NODES = re.compile(r"(?:^|\s)(?:-N|--nodes)[ =]?\s*(\d{1,6})(?=\s|$)")
_OPTION_EACH = re.compile(
    r"(?:^|\s)(?:-ppn|-perhost|-?-npernode|--(?:n|)tasks-per-node|-?-map-by[ =]ppr)[ =:]\s*"
    r"(\d{1,6})(?=\s|$|:node)"
)

_HINT = re.compile(r"node|rank|proc|task|np|run|exec|NODES|NTASKS", re.IGNORECASE)
_LONGEST_LABEL = 300
_REACH = 200

UNKNOWN = Place()


def label_in(words: str) -> Place:
    """What a line, or the name of a file, says of nodes and ranks; nothing where it says nothing.

    Known are `2 nodes`, `inter-node` (two), `intra-node` (one), `16 ranks`, `np16`, Slurm's
    SLURM_NNODES and SLURM_NTASKS, and the options of launchers (srun -N 2 -n 4, mpiexec -n 4,
    mpirun -np 4 -npernode 2).
    """
    plain = words.replace("_", " ")
    nodes = _first(_MANY, plain) or _first(_SLURM_NODES, words)
    if not nodes and _BETWEEN.search(plain):
        nodes = 2
    if not nodes and _WITHIN.search(plain):
        nodes = 1
    ranks = _first(_RANKS, plain) or _first(_SLURM_TASKS, words)
    launcher = _LAUNCHER.search(words)
    if launcher:
        # Of mpiexec -N is no number of nodes (Open MPI: ranks of each).
        if launcher.group(1) in ("srun", "flux run"):
            nodes = nodes or _first(_OPTION_NODES, launcher.group(2))
        ranks = ranks or _first(_OPTION_RANKS, launcher.group(2))
        each = _first(_OPTION_EACH, launcher.group(2))
        if each and ranks and ranks % each == 0:
            nodes = nodes or ranks // each
        ranks = ranks or nodes * each
    return Place(nodes, ranks, " ".join(words.split())[:60] if nodes or ranks else "")


def labels_in(lines: Sequence[str]) -> tuple[tuple[int, Place], ...]:
    """Every label among the lines, with the number of its line (from 1)."""
    found = (
        (number, label_in(line))
        for number, line in enumerate(lines, start=1)
        if len(line) <= _LONGEST_LABEL and _HINT.search(line)
    )
    return tuple((number, place) for number, place in found if place != UNKNOWN)


def place_before(labels: Sequence[tuple[int, Place]], line: int, name: str, given: Place) -> Place:
    """Where the table whose head is line `line` (from 1) was measured.

    given: what a person said, which counts most; then the last labels in the 200 lines above the
    table, then the file's name.
    """
    found = given
    last = bisect_left(labels, line, key=lambda label: label[0])
    for number, place in reversed(labels[max(0, last - 20) : last]):
        if line - number <= _REACH:
            found = _completed(found, place)
    return _completed(found, label_in(name))


def pair_layout(place: Place) -> tuple[dict[str, Value], str]:
    """The layout of two ranks, and what is not known of it."""
    if place.nodes >= 2:
        return {"nodes": 2, "ranks_per_node": 1}, ""
    if place.nodes == 1:
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
    nodes: dict[str, Value] = {"nodes": place.nodes} if place.nodes else {}
    if not place.ranks:
        return nodes, {}, "how many ranks ran is not printed"
    ranks: dict[str, Value] = {"ranks": place.ranks}
    if place.unknown:
        return {}, ranks, place.unknown
    return nodes, ranks, "not as many ranks on each node"


def _first(pattern: re.Pattern[str], words: str) -> int:
    found = pattern.search(words)
    return next((int(word) for word in found.groups() if word), 0) if found else 0


def _completed(known: Place, label: Place) -> Place:
    if not (label.nodes and not known.nodes) and not (label.ranks and not known.ranks):
        return known
    return Place(known.nodes or label.nodes, known.ranks or label.ranks, known.label or label.label)
