"""Which hosts of a launch that failed start no more programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations

from machmeter.launch.process import ProcessResult
from machmeter.model.plan.launch import LostHost

ANSWER_SECONDS = 60.0
"""How long a program that does next to nothing may take on hosts that are well."""
_MOST_PAIRS = 16
_LONGEST_WORDS = 200

Starting = Callable[[Sequence[str]], ProcessResult]


def lost_hosts(names: Sequence[str], start: Starting) -> tuple[LostHost, ...]:
    """Those that start nothing together with one that does, in the order of `names`.

    start: starts one rank on each of some hosts. Two are found that start together; then halves of
    the others are started beside one of these, and halves of what fails, so that each lost host
    costs about as many starts as its number has bits. None where no two start together: that is
    the fault of no host.
    """
    found: dict[str, str] = {}
    anchor = _anchor(names, start)

    def search(group: Sequence[str]) -> None:
        result = start((anchor, *group))
        if _ended_well(result):
            return
        if len(group) == 1:
            found[group[0]] = _words(result, group[0])
            return
        middle = len(group) // 2
        search(group[:middle])
        search(group[middle:])

    if anchor:
        search([name for name in names if name != anchor])
    return tuple(LostHost(name, found[name]) for name in names if name in found)


def _anchor(names: Sequence[str], start: Starting) -> str:
    """The first of two hosts that start together; empty where none of a few do."""
    disjoint = list(zip(names[::2], names[1::2], strict=False))
    others = [pair for pair in combinations(names[: _MOST_PAIRS // 2], 2) if pair not in disjoint]
    for pair in (*disjoint, *others)[:_MOST_PAIRS]:
        if _ended_well(start(pair)):
            return pair[0]
    return ""


def _ended_well(result: ProcessResult) -> bool:
    return result.exit_code == 0 and not result.timed_out


def _words(result: ProcessResult, name: str) -> str:
    """What was said of the host: the line that names it, else the last one."""
    if result.timed_out:
        return f"nothing ended within {result.wall_seconds:.0f} s"
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    said = [line for line in lines if any(c.isalpha() for c in line)]
    own = [line for line in said if re.search(rf"\b{re.escape(name)}\b", line)]
    last = (own or said or [f"exit code {result.exit_code}"])[-1]
    return "".join(c if c.isprintable() else " " for c in last)[:_LONGEST_WORDS]
