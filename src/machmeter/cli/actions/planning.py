"""The plan of a run in a few lines for a person."""

from __future__ import annotations

import textwrap

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import Parameter, ParameterKind, Value
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import Study
from machmeter.model.results.run import Baseline, Plan, Request
from machmeter.model.units import format_bytes
from machmeter.run.planning.automatic_names import automatic_parameters

_WIDTH = 100


def plan_lines(plan: Plan, study: Study) -> list[str]:
    """Every spec with the values of its points, and what is left out, in 100 columns."""
    auto = {(e.benchmark, name) for e in study.experiments for name in automatic_parameters(e)}
    lines = []
    for spec in plan.specs:
        lines.append(f"{spec.name}: {counted(len(spec.points), 'point')} a launch")
        for parameter in find(spec.benchmark).parameters:
            marked = " (auto)" * ((spec.benchmark, parameter.name) in auto)
            text = f"{parameter.name}{marked} {', '.join(_values(spec, parameter))}"
            lines += _wrapped(text, "    ")
    for skipped in plan.skipped:
        lines += _wrapped(f"not measured: {skipped.what}: {skipped.reason}", "")
    return lines


def sides_lines(asked: Request, against: Baseline | None) -> list[str]:
    """What either side of a run of two is built with, in 100 columns; nothing for one side."""
    if against is None:
        return []
    chain = against.toolchain
    if against.programs:
        built = f"the programs that measured it ({chain.compiler}, {chain.flags})"
    else:
        built = f"compiled anew: {_build_text(against.request)}"
    old = _wrapped(f"old: run {against.run}, {built}", "")
    return [*old, *_wrapped(f"new: {_build_text(asked)}", "")]


def _build_text(asked: Request) -> str:
    flags = f", flags {' '.join(asked.flags)}" if asked.flags else ""
    return f"compiler {asked.compiler or 'as found'}{flags}, MPI {asked.mpi}"


def counted(number: int, noun: str) -> str:
    """`1 point`, `2 points`, `2 launches`."""
    ending = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{ending}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _values(spec: LaunchSpec, parameter: Parameter) -> list[str]:
    values = dict.fromkeys(point.get(parameter.name) for point in spec.points)
    return [_value_text(parameter, value) for value in values]


def _value_text(parameter: Parameter, value: Value) -> str:
    """A value in short: `64KiB`, `triad`."""
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        return format_bytes(value).replace(" ", "") if value >= 1024 else str(value)
    return str(value)
