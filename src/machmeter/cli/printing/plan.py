"""What `machmeter run --dry-run` and `machmeter prepare` print."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from machmeter.api.measuring import DryRun, PreparedCache
from machmeter.benchmarks.catalogue import find
from machmeter.cli.consoles import text_console
from machmeter.model.benchmark import Parameter, ParameterKind, Value
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import Study
from machmeter.model.results.run import Baseline, Plan, Request, SkipCause
from machmeter.model.units import format_bytes
from machmeter.model.written.text import shell_text
from machmeter.run.planning.automatic_names import automatic_parameters
from machmeter.run.planning.plan import reference_launches
from machmeter.run.planning.sizing import needs_sizes
from machmeter.run.planning.within_budget import CLEARLY_OVER, budget_remark
from machmeter.text.numbers import count_text, duration_text

_WIDTH = 100


def prepared_line(prepared: PreparedCache, words: Sequence[str]) -> str:
    """What a cache holds, and how it is used without internet; words: of the run."""
    held = ", ".join((*prepared.programs, *prepared.fetched))
    run = shell_text(("machmeter", "run", *words))
    return (
        f"{prepared.cache} is ready ({format_bytes(prepared.bytes)} in all): {held}. Without "
        f"internet: copy it, then `MACHMETER_CACHE=COPY {run}`"
    )


def plan_lines(plan: Plan, study: Study) -> list[str]:
    """Every spec with the values of its points, and what is left out, in 100 columns."""
    auto = automatic_parameters(study)
    lines = []
    for spec in plan.specs:
        lines.append(f"{spec.name}: {count_text(len(spec.points), 'point', 'points')} per launch")
        for parameter in find(spec.benchmark, study.benchmarks).parameters:
            marked = " (auto)" * ((spec.benchmark, parameter.name) in auto)
            text = f"{parameter.name}{marked} {', '.join(_values(spec, parameter))}"
            lines += _wrapped(text, "    ")
    for skipped in plan.skipped:
        # What the budget is too short for has one reason, which the remark on it says.
        reason = f": {skipped.reason}" * (skipped.cause is not SkipCause.BUDGET)
        lines += _wrapped(f"not measured: {skipped.what}{reason}", "")
    return lines


def print_plan(planned: DryRun) -> None:
    """What would be launched, with what, and how long that takes."""
    console = text_console()
    request, plan = planned.request, planned.plan
    lines = [*_variant_lines(request, planned.baseline), *plan_lines(plan, request.study)]
    lines += _wrapped(_time_text(planned), "")
    if remark := budget_remark(plan, request, planned.machine):
        lines += _wrapped(remark, "")
    lines += plan.notes
    if needs_sizes(request.study):
        lines.append(
            "sizes marked auto are chosen from a measured latency curve when the run starts"
        )
    for line in lines:
        console.print(line, markup=False)


def _time_text(planned: DryRun) -> str:
    """How many launches an interval for every result takes, and how long the run takes: its budget
    where that is shorter."""
    budget, needed = planned.request.precision.budget_seconds, planned.needed_seconds
    sides = sum(spec.of_reference for spec in planned.plan.specs)
    reference = sides * reference_launches(planned.request.precision)
    launches = count_text(planned.launches_at_least, "launch", "launches")
    of_them = f" ({reference} of the reference kernel)" if reference else ""
    points = count_text(len(planned.plan.points), "point", "points")
    if planned.request.origin is Origin.SIMULATED:
        return f"{points}, each stated once by the model: {launches} of the simulator"
    text = f"{points}, at least {launches}"
    if planned.request.explores:
        most = f"up to the budget of {duration_text(budget)}"
        return f"{text}{of_them}: how long depends on the program, {most}"
    text, guess = f"{text}{of_them}", f"about {duration_text(needed)}"
    if planned.expected_seconds > budget:
        least = duration_text(planned.expected_seconds)
        text = f"{text}: about {least}, beyond the budget of {duration_text(budget)}"
        return f"{text}: no result without two launches"
    if needed <= budget:
        more = f"up to the budget of {duration_text(budget)} where the target precision takes more"
        return f"{text}: {guess}, {more}"
    text = f"{text}: {duration_text(budget)}, the budget; all these launches would take {guess}"
    if needed > CLEARLY_OVER * budget:
        return f"{text}: expect fewer, and indicative results"
    return text


def _variant_lines(request: Request, baseline: Baseline | None) -> list[str]:
    """What baseline and candidate of an A/B run are built with, in 100 columns."""
    if baseline is None:
        return []
    chain = baseline.toolchain
    if baseline.programs:
        built = f"the programs that measured it ({chain.compiler}, {chain.flags})"
    else:
        built = f"compiled again: {_build_text(baseline.request)}"
    old = _wrapped(f"baseline: run {baseline.run}, {built}", "")
    return [*old, *_wrapped(f"candidate: {_build_text(request)}", "")]


def _build_text(request: Request) -> str:
    flags = f", flags {' '.join(request.flags)}" if request.flags else ""
    return f"compiler {request.compiler or 'as found'}{flags}, MPI {request.mpi}"


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
    values = list(dict.fromkeys(point.get(parameter.name) for point in spec.points))
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) == len(values):
        return [_value_text(parameter, value) for value in sorted(numbers)]
    return [_value_text(parameter, value) for value in values]


def _value_text(parameter: Parameter, value: Value) -> str:
    """A value in short: `64KiB`, `triad`; a size exactly, so that no two are written the same."""
    if parameter.kind is ParameterKind.SIZE and isinstance(value, int):
        text = format_bytes(value).replace(" ", "")
        return text if value >= 1024 and "." not in text else str(value)
    return str(value)
