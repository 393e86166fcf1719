"""Other runs of the machine that two compared runs are of, whose spread is that between runs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from machmeter.analysis.matching.between_runs import LEAST_RUNS
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import RunResult
from machmeter.run.compare.run_as_machine import must_agree, run_as_machine

_MOST_RUNS = 20
_OF_MACHINE = frozenset({"processor", "cores", "host"})


def other_runs(
    a: RunResult, b: RunResult, stored: Iterable[RunResult]
) -> tuple[MachineResults, ...]:
    """Of `stored`, the newest first, up to 20 runs that began before both, and are of the machine
    of `a` and `b` and of the compiler, programs and MPI library of `a`: what changed for good
    between the two is not in their spread.

    None where `a` and `b` are of two machines or simulated, or such runs are fewer than three.
    """
    disagreeing = {name for name, here, there in must_agree(a, b) if here != there}
    if _is_simulated(a) or _is_simulated(b) or disagreeing & _OF_MACHINE:
        return ()
    began = min(a.header.started, b.header.started)
    comparable = (
        one
        for one in stored
        if one.header.started < began
        and not (one.baseline or _is_simulated(one))
        and all(here == there for _, here, there in must_agree(a, one))
    )
    found = tuple(islice(comparable, _MOST_RUNS))
    return tuple(map(run_as_machine, found)) if len(found) >= LEAST_RUNS else ()


def _is_simulated(run: RunResult) -> bool:
    return run.header.request.origin.is_quoted
