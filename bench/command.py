"""The whole of bench: options, comparisons one after the other, their outcomes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime

import msgspec
from msgspec import Struct
from rich.console import Console

from bench.comparisons import (
    busy_network,
    device,
    hpcc,
    latency,
    network_tables,
    network_time,
    overheads,
    pairs,
    same_points,
    spmv,
    triad,
    two_runs,
)
from bench.comparisons.arithmetic import fma, gemm
from bench.comparisons.proxies import (
    bands,
    beam,
    lattice,
    likelihood,
    liquid,
    pressure,
    projection,
    quartets,
    ring,
    weather,
)
from bench.comparisons.waits import between_launches, first_minute, simulation
from bench.context import Bench, Outcome, empty_outcome
from bench.options import COMPARISONS, parse_options
from bench.table import WIDTH, print_outcome
from machmeter.layout.errors import LayoutError
from machmeter.machine.detect import detect_machine
from machmeter.model.errors import ExitCode, MachmeterError
from machmeter.model.machine import Machine
from machmeter.run.measuring.lock import machine_to_ourselves
from machmeter.store.paths import cache_home

Comparison = Callable[[Bench], Outcome]

_COMPARE: Mapping[str, Comparison] = {
    "first-minute": first_minute.compare,
    "between-launches": between_launches.compare,
    "simulation": simulation.compare,
    "triad": triad.compare,
    "device": device.compare,
    "fma": fma.compare,
    "gemm": gemm.compare,
    "latency": latency.compare,
    "network-tables": network_tables.compare,
    "network-time": network_time.compare,
    "busy-network": busy_network.compare,
    "hpcc": hpcc.compare,
    "bands": bands.compare,
    "lattice": lattice.compare,
    "likelihood": likelihood.compare,
    "liquid": liquid.compare,
    "overheads": overheads.compare,
    "pairs": pairs.compare,
    "pressure": pressure.compare,
    "projection": projection.compare,
    "quartets": quartets.compare,
    "spmv": spmv.compare,
    "ring": ring.compare,
    "beam": beam.compare,
    "weather": weather.compare,
    "same-points": same_points.compare,
    "two-runs": two_runs.compare,
}
# Runs take machmeter's measuring lock by themselves.
_LOCKS_BY_ITSELF = ("first-minute", "two-runs")
_BUSY_LOAD = 0.5


class BenchDocument(Struct, frozen=True):
    """The document of `--json`. seconds: per comparison; load: runnable tasks before and after."""

    started: str
    machine: Machine
    mpi: str
    seed: int
    rounds: int
    outcomes: dict[str, Outcome]
    seconds: dict[str, float]
    load: tuple[float, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested comparisons; the exit code is 0 also where peers are missing.

    It is 1 where failures left a comparison or a row of it without a result. Where machmeter itself
    cannot be built or started, it is the exit code of that failure.
    """
    options = parse_options(sys.argv[1:] if arguments is None else arguments)
    quiet = Console(stderr=True, width=WIDTH, highlight=False)
    machine = detect_machine()
    bench = Bench(
        options,
        machine,
        cache_home(os.environ),
        os.environ,
        lambda text: quiet.print(text, style="dim", markup=False),
    )
    load = os.getloadavg()[0]
    if load > _BUSY_LOAD * len(machine.topology.usable):
        bench.notify(f"load {load:.1f}: other programs on this machine disturb the measurement")
    started = datetime.now(UTC).isoformat()
    console = Console(width=WIDTH, highlight=False, quiet=options.as_json)
    outcomes: dict[str, Outcome] = {}
    seconds: dict[str, float] = {}
    exit_code = _compare_all(bench, console, outcomes, seconds)
    result = BenchDocument(
        started,
        machine,
        options.mpi,
        options.seed,
        options.rounds,
        outcomes,
        seconds,
        (load, os.getloadavg()[0]),
    )
    if options.as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n")
    _print_end(console, result)
    return exit_code


def _compare_all(
    bench: Bench, console: Console, outcomes: dict[str, Outcome], seconds: dict[str, float]
) -> int:
    """Every requested comparison, printed as it ends; an interrupt keeps the completed ones."""
    exit_code = int(ExitCode.DONE)
    try:
        for name in bench.options.only or tuple(COMPARISONS):
            began = time.monotonic()
            outcomes[name], code = _compare(bench, name)
            seconds[name] = time.monotonic() - began
            exit_code = max(exit_code, code)
            print_outcome(console, outcomes[name])
    except KeyboardInterrupt:
        bench.notify("interrupted: only completed comparisons are printed")
        exit_code = int(ExitCode.SOMETHING_FAILED)
    finally:
        bench.close()
    return exit_code


def _compare(bench: Bench, name: str) -> tuple[Outcome, int]:
    """One comparison under the measuring lock, and its exit code."""
    failed = empty_outcome(COMPARISONS[name])
    try:
        alone = machine_to_ourselves(bench.cache, f"bench {name}")
        with nullcontext() if name in _LOCKS_BY_ITSELF else alone:
            outcome = _COMPARE[name](bench)
        code = ExitCode.SOMETHING_FAILED if outcome.lacks_a_result else ExitCode.DONE
        return outcome, int(code)
    except LayoutError as error:
        failed.skipped.append(str(error))
        return failed, int(ExitCode.DONE)
    except MachmeterError as error:
        lines = (f"machmeter: {error.message}", error.remedy, error.details)
        failed.failures.append("\n".join(line for line in lines if line))
        return failed, int(error.exit_code)


def _print_end(console: Console, result: BenchDocument) -> None:
    times = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in result.seconds.items())
    console.print(
        f"{result.machine.cpu_model}, {len(result.machine.topology.usable)} CPUs; load "
        f"{result.load[0]:.1f} before, {result.load[1]:.1f} after; seed {result.seed}. {times}.",
        markup=False,
    )
    console.print(
        "A ratio above 1 means that machmeter's result is better; intervals are over launches, "
        "paired by round.",
        markup=False,
    )
