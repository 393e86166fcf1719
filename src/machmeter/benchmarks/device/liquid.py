"""Molecular dynamics of a liquid on a device."""

from __future__ import annotations

from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ParameterRole,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import Display, Headline, Selection
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import ATOM_STEPS_PER_SECOND

_CASES = ("melt", "liquid")

DEVICE_LIQUID = Benchmark(
    name="device.liquid",
    title="Lennard-Jones liquid on a device",
    subject=Subject.APPLICATIONS,
    summary="Molecular dynamics in the memory of a device, in double precision: cells, a list of "
    "all neighbors of each atom, velocity Verlet, as HOOMD-blue does it on GPUs (Anderson et al. "
    "2008). melt: the problem of proxies.ljmd and of LAMMPS's benchmark; liquid: density, cutoff "
    "and list of HOOMD-blue's (lj-liquid; 64,000 atoms with 20 cells), without its thermostat. "
    "Energy, momentum, forces, atoms, room in cells and lists, and that every digit repeats are "
    "checked in every launch.",
    stands_for="molecular dynamics on GPUs: HOOMD-blue, LAMMPS, OpenMM",
    program=DEVICE_PROGRAM,
    parameters=(
        Parameter("case", ParameterKind.CHOICE, _CASES, "which liquid", choices=_CASES),
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (20,),
            "unit cells along each of three edges, of four atoms (melt) or eight (liquid)",
            minimum=6,
            maximum=200,
            bytes_each=10_000,
            power=3,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (100,),
            "time steps",
            minimum=1,
            maximum=20_000,
            role=ParameterRole.WORK,
        ),
    ),
    metrics=(
        Metric(
            "rate",
            "Rate",
            ATOM_STEPS_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("run",),
            amount="atom_steps",
        ),
        Metric(
            "event_rate",
            "Rate, by the device's clock",
            ATOM_STEPS_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("run_event",),
            amount="atom_steps",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Lennard-Jones liquid on a device, {case}",
                select=Selection(metrics=("rate",), largest=("cells", "steps")),
                by="case",
                values=_CASES,
                hide=("case",),
            ),
        ),
    ),
    seconds_per_point=0.5,
    event_seconds=2.5,
    long_events=True,
    threads=ThreadSweep.ALL,
    # Threads of the host wait while the device works, which may be on their CPUs.
    wait_policies=(WaitPolicy.PASSIVE,),
)
