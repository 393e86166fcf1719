"""What can be measured, and which machines there are."""

from __future__ import annotations

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import Benchmark
from machmeter.model.device import DeviceList
from machmeter.model.plan.study import Study
from machmeter.run.history.indexing import list_runs
from machmeter.run.programs.devices import listed_devices
from machmeter.store.index_rows import RunSummary
from machmeter.studies.select import STUDIES, select


class MeasuredMachine(Struct, frozen=True):
    """A machine that was measured here."""

    name: str
    """As given with `--name`, else its host name."""
    host: str
    """Its host name."""
    cpu_model: str
    """As the system describes its CPUs."""
    runs: int
    """Runs of it."""
    last_run: str
    """ID of the last one."""
    last_started: str
    """When the last one began, ISO 8601."""


def benchmarks() -> tuple[Benchmark, ...]:
    """Every benchmark with its parameters and metrics."""
    return BENCHMARKS


def studies() -> tuple[Study, ...]:
    """Every study: experiments and the questions they answer."""
    return STUDIES


def refuse_unknown(name: str) -> None:
    """Raises UsageError where no study, group or benchmark has that name."""
    select((name,), {})


def measured_machines(*, context: Context | None = None) -> tuple[MeasuredMachine, ...]:
    """Every machine that this user's runs measured; a run that cannot be read is a warning."""
    context = context or Context()
    by_name: dict[tuple[str, str, str], list[RunSummary]] = {}
    for run in list_runs(context.data, context.cache, context.warn, context.notify):
        by_name.setdefault((run.machine, run.host, run.cpu_model), []).append(run)
    return tuple(
        MeasuredMachine(*key, runs=len(runs), last_run=runs[-1].id, last_started=runs[-1].started)
        for key, runs in by_name.items()
    )


def devices(*, context: Context | None = None) -> DeviceList:
    """The GPUs and other devices of this machine that can be measured, each asked in a process of
    its own by a program that is compiled first.

    Raises:
        MachineLacksError: There is none, or no compiler.
    """
    context = context or Context()
    return listed_devices("", (), context.for_builds, context.notify)
