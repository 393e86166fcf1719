"""A run as the file of a machine, so that other runs are compared with it without its records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from machmeter.analysis.scaling.hardware import network_limit
from machmeter.benchmarks.catalogue import is_primary, known
from machmeter.model.errors import MachmeterError
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.published.format import (
    Counts,
    Hardware,
    PrintedFigure,
    PrintedTable,
    PublishedMachine,
)
from machmeter.published.units import PRINTED_UNITS, PrintedUnit, unit_of_metric
from machmeter.run.compare.run_as_machine import run_as_machine
from machmeter.text.labels import point_label
from machmeter.text.plain import plain

_MOST_FIGURES, _MOST_LAUNCHES = 1000, 1000
_LEAST_LAUNCHES = 2
# Digits after the point of a value in its unit, and of its launches: of what a float holds.
_DECIMALS = 9


def machine_of_run(result: RunResult, machine_id: str = "") -> tuple[PublishedMachine, int]:
    """The machine that a run measured, with the launches of each result, and how many results are
    left out: what has no interval, or a unit that machine files do not have.

    machine_id: empty is made from the name of the machine.
    """
    machine = result.header.machine
    name = machine.name or machine.host
    measured = run_as_machine(result)
    every = [one for one in measured.estimates if is_primary(one)]
    kept = [one for one in every if _is_kept(one)][:_MOST_FIGURES]
    source = f"machmeter {result.header.version}, run {result.header.id}"
    made = PublishedMachine(
        format=1,
        id=machine_id or _id_of(name),
        name=plain(name, 200),
        summary=plain(machine.cpu_model, 200),
        source=source,
        year=int(result.header.started[:4]),
        tables=tuple(_tables(kept)),
        counts=Counts(nodes=measured.parts.nodes, cores=measured.parts.cores),
        parts={"cpu": plain(machine.cpu_model, 200), "system": machine.software.distribution},
        hardware=_hardware(result),
        code_set=measured.code_set,
        kinds={str(one.point.get("pair")): one.pair_relation for one in kept if one.pair_relation},
    )
    return made, len(every) - len(kept)


def _is_kept(one: Estimate) -> bool:
    in_catalogue = known(one.point.benchmark) is not None
    sound = one.resolved and one.is_bounded and one.launches >= _LEAST_LAUNCHES
    return in_catalogue and sound and one.value > 0 and _unit_of(one) != ""


def _unit_of(one: Estimate) -> str:
    """The unit of machine files in which its value has few digits before the point; empty where
    there is none."""
    fitting = {
        name: unit.factor for name, unit in PRINTED_UNITS.items() if _is_unit_of(name, unit, one)
    }
    below = {name: factor for name, factor in fitting.items() if factor <= one.value}
    return max(below, key=lambda name: below[name], default=next(iter(fitting), ""))


def _is_unit_of(name: str, unit: PrintedUnit, one: Estimate) -> bool:
    declared = known(one.point.benchmark)
    if declared is None or unit.unit.symbol != one.unit.symbol:
        return False
    try:
        return unit_of_metric(name, declared.metric(one.metric), name).unit == one.unit
    except (MachmeterError, KeyError):
        return False


def _tables(estimates: Sequence[Estimate]) -> Iterable[PrintedTable]:
    def table_of(one: Estimate) -> tuple[str, str, str]:
        return one.point.benchmark, one.metric, _unit_of(one)

    for number, (of, found) in enumerate(groupby(sorted(estimates, key=table_of), table_of), 1):
        benchmark, metric, unit = of
        declared = known(benchmark)
        statistic = declared.metric(metric).statistic if declared else None
        yield PrintedTable(
            page=f"{benchmark}, {metric}",
            unit=unit,
            figures=tuple(
                _figure(f"f{number}-{position}", one, unit) for position, one in enumerate(found, 1)
            ),
            decimals=_DECIMALS,
            benchmark=benchmark,
            metric=metric,
            statistic=statistic,
        )


def _figure(name: str, one: Estimate, unit: str) -> PrintedFigure:
    factor = PRINTED_UNITS[unit].factor
    launches = tuple(value / factor for value in one.launch_values[:_MOST_LAUNCHES])
    return PrintedFigure(
        id=name,
        value=one.value / factor,
        launches=launches,
        text=plain(point_label(one), 200),
        parameters=dict(one.point.parameters),
        # All of it: what is left out counts as not stated.
        layout=msgspec.to_builtins(one.point.layout),
    )


def _hardware(result: RunResult) -> Hardware:
    machine = result.header.machine
    processor, channels, network = machine.processor, machine.channels, network_limit(machine)
    packages = len({cpu.package for cpu in machine.topology.usable})
    links = network.adapters if network else ()
    domains = [one.memory_bytes for one in machine.topology.domains if one.memory_bytes > 0]
    return Hardware(
        generation=processor.generation if processor else "",
        sockets=packages,
        cores=len(machine.topology.usable_cores),
        channels=channels.count,
        transfers=round(channels.transfers / 1e6),
        domain_gib=min(domains, default=0) / 2**30,
        network=links[0].network if links else "",
        nics=len(links),
        nic_gigabits=min((one.bits_per_second for one in links), default=0.0) / 1e9,
    )


def _id_of(name: str) -> str:
    """Lower-case letters, digits, dots and dashes of a name, as ids of machines have them."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:80] or "machine"
