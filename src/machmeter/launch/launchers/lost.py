"""Which hosts of a launch that failed start no more programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations

from machmeter.launch.process import ProcessResult
from machmeter.model.plan.launch import LostHost

# How long what does next to nothing may take on two hosts that are well; on others so many times as
# long as on these, but so many seconds, and some more for each host.
_ANSWER_SECONDS, _TIMES, _LEAST_SECONDS, _SECONDS_A_HOST = 60.0, 10.0, 10.0, 0.1
_MOST_PAIRS = 16
# Of all starts: what is not found then is found when the next launch fails.
_MOST_SECONDS = 300.0
_LONGEST_WORDS = 200

Starting = Callable[[Sequence[str], float], ProcessResult]


def lost_hosts(
    names: Sequence[str], start: Starting, others: Sequence[str] = ()
) -> tuple[LostHost, ...]:
    """Those that start nothing together with one that does, in the order of `names`.

    start: starts ranks on some hosts, which may take so many seconds; others: hosts beside `names`
    that may be well. Two of all are found that start together; then halves of the names that are
    left are started beside one of these, and halves of what fails, so that each lost host costs
    about as many starts as its number has bits. None where no two start together: that is the fault
    of no host. After minutes those that are found by then.
    """
    found: dict[str, str] = {}
    spent = 0.0

    def timed(group: Sequence[str], limit: float) -> ProcessResult:
        nonlocal spent
        result = start(group, limit)
        spent += result.wall_seconds
        return result

    anchor, seconds = _anchor((*names, *others), timed)

    def search(group: Sequence[str]) -> None:
        if spent > _MOST_SECONDS:
            return
        limit = max(_LEAST_SECONDS, _TIMES * seconds) + _SECONDS_A_HOST * len(group)
        result = timed((anchor, *group), limit)
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


def _anchor(names: Sequence[str], start: Starting) -> tuple[str, float]:
    """The first of two hosts that start together, empty where none of a few do, and how long they
    took, seconds."""
    # Half of the tries are left for this machine with others: where no files are shared, the first
    # rank writes nothing elsewhere, and nothing starts without it.
    disjoint = list(zip(names[::2], names[1::2], strict=False))[: _MOST_PAIRS // 2]
    others = [pair for pair in combinations(names[: _MOST_PAIRS // 2], 2) if pair not in disjoint]
    for pair in (*disjoint, *others)[:_MOST_PAIRS]:
        result = start(pair, _ANSWER_SECONDS)
        if _ended_well(result):
            return pair[0], result.wall_seconds
    return "", 0.0


def _ended_well(result: ProcessResult) -> bool:
    return result.exit_code == 0 and not result.timed_out


def _words(result: ProcessResult, name: str) -> str:
    """What was said of the host: by our wrapper, else in the line that names it, else at last."""
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    said = [line for line in lines if any(c.isalpha() for c in line)]
    ours = [line for line in said if line.startswith("machmeter-")]
    own = [line for line in said if re.search(rf"\b{re.escape(name)}\b", line)]
    ended = f"exit code {result.exit_code}"
    if result.timed_out:
        ended = f"nothing ended within {result.wall_seconds:.0f} s"
    best = (ours[:1] or own or said or [ended])[-1]
    return "".join(c if c.isprintable() else " " for c in best)[:_LONGEST_WORDS]
