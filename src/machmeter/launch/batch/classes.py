"""Which classes of nodes Slurm has: what is compiled on one is for the nodes of its class alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, islice

from msgspec import Struct

from machmeter.launch.batch.host_lists import names_in
from machmeter.launch.batch.slurm import answer_of

_PATIENCE_SECONDS = 10
# Partition, state, nodes, CPUs, sockets:cores:threads, generic resources, features. Not memory: it
# changes no program, and nodes that say theirs by themselves differ by some of it. Without --exact
# unlike nodes share a line, and the least of what they have stands there (sinfo(1)).
_WORDS = ("sinfo", "--noheader", "--exact", "--format=%P|%t|%N|%c|%z|%G|%f")
_FIELDS = 7
# Sites name racks, leaves and owners by features, too: more classes than these are no hardware.
_MOST_CLASSES = 8
# Compact states of nodes that have a job, or could start one now or when they are powered up; marks
# that follow them (sinfo(1), "Node state codes"), but `*`: such a node does not respond.
_UP = frozenset(("alloc", "comp", "idle", "mix", "plnd", "resv"))
_MARKS = "~#!%$@^-+"
# More nodes has no Slurm (slurm.conf(5), MaxNodeCount).
_MOST_NODES = 65_536


class NodeClass(Struct, frozen=True):
    """Nodes of which Slurm says the same."""

    text: str
    """How: `64 CPUs (2:32:1), gpu:4, avx512`: sockets, cores, threads, resources, features."""
    nodes: str
    """Their names, as Slurm writes them: `n[1-40],n77`."""
    up: tuple[str, ...]
    """The names of those that have a job, or could start one."""


def node_classes(
    names: Collection[str], environment: Mapping[str, str], without: str = ""
) -> tuple[NodeClass, ...]:
    """The classes of the nodes of partitions, in Slurm's order; none where Slurm does not say.

    names: of the partitions; without: nodes that no job may have, as Slurm writes them. Where
    features make more than a few classes, those count that differ otherwise.
    """
    try:
        answer = answer_of(_WORDS, environment, _PATIENCE_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return ()
    rows = [line.strip().split("|", _FIELDS - 1) for line in answer.splitlines()]
    of_these = [row for row in rows if len(row) == _FIELDS and row[0].rstrip("*") in names]
    lists = _lists_by(of_these, lambda row: _text(*row[3:]))
    if len(lists) > _MOST_CLASSES:
        lists = _lists_by(of_these, lambda row: _text(*row[3:6]))
    excluded = frozenset(islice(names_in(without), _MOST_NODES))
    found: list[NodeClass] = []
    left = _MOST_NODES
    for text, nodes in lists.items():
        named = chain.from_iterable(names_in(one) for one, is_up in nodes.items() if is_up)
        up = dict.fromkeys(islice(named, left))
        left -= len(up)
        found.append(
            NodeClass(text, ",".join(nodes), tuple(one for one in up if one not in excluded))
        )
    return tuple(found)


def _lists_by(
    rows: Sequence[Sequence[str]], text_of: Callable[[Sequence[str]], str]
) -> dict[str, dict[str, bool]]:
    """By class its lists of nodes, each with whether these are up."""
    # A node of several partitions stands there several times.
    lists: dict[str, dict[str, bool]] = {}
    for row in rows:
        lists.setdefault(text_of(row), {})[row[2]] = row[1].rstrip(_MARKS) in _UP
    return lists


def _text(cpus: str, shape: str, resources: str, features: str = "") -> str:
    # What there is none of, Slurm writes as (null).
    others = (one for one in (resources, features) if one and one != "(null)")
    return ", ".join((f"{cpus} CPUs ({shape})", *others))
