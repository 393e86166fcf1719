"""Proxies: whose work each does, and what limits it on this machine."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.scaling.roofline import RoofStanding
from machmeter.api.context import Context
from machmeter.benchmarks.catalogue import PROXIES
from machmeter.benchmarks.compute import FMA
from machmeter.model.errors import MachmeterError
from machmeter.model.results.run import RunResult, RunState
from machmeter.run.history.indexing import index_of, list_runs, result_of
from machmeter.store.run_folder import RunFolder


class ListedProxy(Struct, frozen=True):
    """A proxy, as `list` shows it."""

    name: str
    """Of its benchmark."""
    stands_for: str
    """Kind of work, and programs that do it."""
    standing: RoofStanding | None = None
    """What limits it on all cores of a node, as the newest run of this host with its roofline
    measured it; None where none did."""
    run: str = ""
    """ID of that run."""


def proxies(*, context: Context | None = None) -> tuple[ListedProxy, ...]:
    """Every proxy, with what limits it here; a run that cannot be read is a warning."""
    context = context or Context()
    return with_limits(_newest_results(context, _measured_with_peak(context)))


def with_limits(results: Iterable[RunResult]) -> tuple[ListedProxy, ...]:
    """Every proxy with what limits it by the first of the runs that says so."""
    found = {one.name: ListedProxy(one.name, one.stands_for) for one in PROXIES}
    for result in results:
        for name, standing in _standings(result).items():
            if found[name].standing is None:
                found[name] = replace(found[name], standing=standing, run=result.header.id)
        if all(one.standing for one in found.values()):
            break
    return tuple(found.values())


def _measured_with_peak(context: Context) -> set[str]:
    """IDs of the runs in the index with results of a proxy and of the peak."""
    index = index_of(context.data)
    try:
        with_peak = {one.run for one in index.results(FMA.name)}
        measured = (index.results(one.name) for one in PROXIES)
        return with_peak & {one.run for results in measured for one in results}
    except MachmeterError as error:
        context.warn(error)
        return set()


def _newest_results(context: Context, ids: Collection[str]) -> Iterator[RunResult]:
    """Of finished runs of this host with one of the IDs."""
    if not ids:
        return
    for run in reversed(list_runs(context.data, context.cache, context.warn, context.notify)):
        if run.id not in ids or run.host != platform.node() or run.state is not RunState.FINISHED:
            continue
        try:
            result = result_of(RunFolder(Path(run.folder)), context.cache)
        except MachmeterError as error:
            context.warn(error)
            continue
        yield result


def _standings(result: RunResult) -> dict[str, RoofStanding]:
    """By the names of proxies."""
    # A list of all without what limits them needs nothing of a page.
    from machmeter.report.benchmarks.groups.roofline.marks import roofline_of

    found = roofline_of(result)
    names = {one.name for one in PROXIES}
    marks = found.marks if found else ()
    by_rate = sorted(marks, key=lambda mark: mark.flops.value)
    return {
        mark.flops.point.benchmark: mark.standing
        for mark in by_rate
        if mark.flops.point.benchmark in names
    }
