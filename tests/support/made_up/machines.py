"""Machines made up for tests of comparisons: measured ones, and one as printed."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.printed import Printed
from machmeter.model.units import SHARE, UNBOUNDED
from machmeter.text.comparison import MachinePair
from tests.support.synthetic.run import make_run


def measured(name: str = "here", factor: float = 1.0) -> MachineResults:
    """A machine as it was measured; times and rates are `factor` times those of the usual one."""
    return MachineResults(
        id=name,
        title=name,
        origin=Origin.MEASURED,
        source="machmeter 1, 2026-11-20",
        parts=Parts(nodes=1, cores=2),
        properties={"processor": "Made-up CPU", "date": "2026-11-20"},
        estimates=tuple(_scaled(e, factor) for e in make_run().estimates),
        year=2026,
        runs=(name,),
        command="machmeter run quick",
    )


def printed(flag: str = "") -> MachineResults:
    """The same machine as a paper prints it, without intervals, twice as fast or slow."""
    return replace(
        measured("paper", 2.0),
        title="Paper Machine",
        origin=Origin.PUBLISHED,
        source="Somebody et al. 2010",
        runs=(),
        command="",
        estimates=tuple(_printed(e, flag) for e in measured("paper", 2.0).estimates if e.resolved),
    )


def set_beside(first: MachineResults, *others: MachineResults) -> list[MachinePair]:
    """The first machine with each of the others beside it."""
    return [MachinePair(first, other, compare_machines(first, other)) for other in others]


def _scaled(one: Estimate, factor: float) -> Estimate:
    if one.unit == SHARE or not one.resolved or factor == 1:
        return one
    return replace(
        one,
        value=one.value * factor,
        low=one.low * factor,
        high=one.high * factor,
        launch_values=tuple(v * factor for v in one.launch_values),
    )


def _printed(one: Estimate, flag: str) -> Estimate:
    return replace(
        one,
        low=0.0,
        high=UNBOUNDED,
        launches=1,
        launch_values=(one.value,),
        launch_numbers=(1,),
        origin=Origin.PUBLISHED,
        printed=Printed(
            id=one.metric,
            number=f"{one.value:g}",
            value=one.value,
            unit=one.unit.symbol,
            source="Somebody et al. 2010, table 3",
            page="table 3",
            flag=flag,
        ),
    )
