"""Machines made up for tests of comparisons: measured ones with launches, printed ones without."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import Direction, Value
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.printed import Printed
from machmeter.model.units import SECONDS, UNBOUNDED, Unit
from tests.support.made_up.estimates import made_up

UNKNOWN_PARTS = Parts()
ONE_THREAD = Layout()


def machine(
    name: str,
    *figures: Estimate,
    parts: Parts = UNKNOWN_PARTS,
    origin: Origin = Origin.MEASURED,
    runs: tuple[str, ...] | None = None,
) -> MachineResults:
    """A machine of that id with those figures; of a run of its own unless others are named."""
    own = (name,) if origin is Origin.MEASURED else ()
    return MachineResults(
        id=name,
        title=f"The {name}",
        origin=origin,
        source="made up",
        parts=parts,
        estimates=figures,
        runs=own if runs is None else runs,
    )


def printed(
    one: Estimate,
    *,
    stated: str = "",
    flag: str = "",
    qualifier: str = "",
    origin: Origin = Origin.PUBLISHED,
) -> Estimate:
    """The same result as a source prints it: one value, no interval.

    stated: fields of the layout that the source states, with commas between.
    """
    fields = tuple(name for name in stated.split(", ") if name)
    return replace(
        one,
        low=0.0,
        high=UNBOUNDED,
        launches=1,
        launch_values=(one.value,),
        launch_numbers=(1,),
        rounds=(),
        attributes={},
        origin=origin,
        printed=Printed(
            id=one.metric,
            number=f"{one.value:g}",
            value=one.value,
            unit=one.unit.symbol,
            source="a paper, table 1",
            page="table 1",
            qualifier=qualifier,
            flag=flag,
            stated_layout=fields,
        ),
    )


def stating(one: Estimate, *fields: str) -> Estimate:
    """The same result whose source states those fields of the layout alone."""
    assert one.printed
    return replace(one, printed=replace(one.printed, stated_layout=fields))


def code(
    name: str,
    value: float,
    layout: Layout = ONE_THREAD,
    *,
    unit: Unit = SECONDS,
    direction: Direction = Direction.LOWER,
    parameters: dict[str, Value] | None = None,
) -> Estimate:
    """A figure of an application as printed: its time, or a rate."""
    like = made_up("apps.retrieval", {"queries": 18, "images": 1000}, layout, "time", value)
    stated = "nodes, ranks_per_node, threads_per_rank"
    return replace(
        printed(like, stated=stated),
        point=make_point(f"workload.{name}", parameters or {}, layout),
        metric="wall_time",
        title="Wall time",
        unit=unit,
        direction=direction,
        scale=Scale.LOG,
    )
