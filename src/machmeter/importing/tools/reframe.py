"""ReFrame's JSON report: the performance variables of every test case that passed.

Each case is a job of its own, so that the same case in several runs of one report, or in several
reports, gives launches. ReFrame does not say which way is better: it is taken from the thresholds
(only a lower one: higher is better), or else from the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.importing.names import reported_name, slug_of
from machmeter.importing.placement import label_of_name, workload_layout
from machmeter.importing.readings import ForeignResult, Place, Reading, is_plausible
from machmeter.importing.text import ForeignText, decimals_shown, json_of
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError
from machmeter.model.written.text import readable
from machmeter.published.estimates import metric_name
from machmeter.published.units import PRINTED_UNITS

_ALIASES = {"GB/sec": "GB/s", "MB/sec": "MB/s", "Gflop/s": "GFLOP/s", "Gflops": "GFLOP/s"}
_ALIASES |= {"GFLOPS": "GFLOP/s", "TFLOPS": "TFLOP/s", "seconds": "s", "sec": "s", "usec": "us"}
# Binary rates are given in bytes: among the units of published results there are only decimal ones.
_BINARY_RATES = {"KiB/s": 2.0**10, "MiB/s": 2.0**20, "GiB/s": 2.0**30, "TiB/s": 2.0**40}
_PASSED = ("pass", "success", "xpass")
_FAILED = ("fail", "failure", "xfail")
_MISSED = "its test missed a reference of ReFrame's"
_TIMES = ("s", "ms", "us", "ns", "min", "h")


class _Variable(Struct):
    """One entry of `perfvars`, as reports up to 4.6 have them."""

    name: str
    value: float | None = None
    unit: str | None = None
    thres_lower: float | None = None
    thres_upper: float | None = None


class _Case(Struct):
    """One case; up to 4.6 `environment` and `check_vars` hold what later stands in the case."""

    name: str | None = None
    display_name: str | None = None
    system: str | None = None
    partition: str | None = None
    environ: str | None = None
    environment: str | None = None
    result: str | None = None
    fail_phase: str | None = None
    perfvalues: dict[str, list[Any]] | None = None
    perfvars: list[_Variable] | None = None
    executable: Any = None
    executable_opts: Any = None
    num_tasks: Any = None
    check_vars: Any = None
    job_nodelist: Any = None
    nodelist: Any = None

    def set_to(self, variable: str) -> Any:
        """What a variable of the test is set to, None where the report does not state it."""
        old = self.check_vars.get(variable) if isinstance(self.check_vars, dict) else None
        return getattr(self, variable) if old is None else old


class _Run(Struct):
    testcases: list[_Case]


class _Session(Struct):
    version: str = ""
    hostname: str = ""


class _Document(Struct):
    runs: list[_Run]
    session_info: _Session = field(default_factory=_Session)


def recognizes(text: ForeignText) -> bool:
    """Whether the text is a report of ReFrame."""
    found: Any = json_of(text)
    return (
        isinstance(found, dict)
        and isinstance(found.get("session_info"), dict)
        and isinstance(found.get("runs"), list)
    )


def read_reframe(text: ForeignText, given: Place) -> Reading:
    """The performance variables of every case. Raises MachmeterError for another form."""
    del given
    try:
        document = msgspec.convert(json_of(text), type=_Document)
    except msgspec.ValidationError as error:
        raise MachmeterError(
            f"{text.name} is not of the form of ReFrame's report: {error}",
            "give the file that `reframe --report-file FILE` wrote",
        ) from error
    remarks: list[str] = []
    results = [
        result
        for run in document.runs
        for case in run.testcases
        for result in _case(text, case, remarks)
    ]
    version = document.session_info.version[:20]
    return Reading((f"ReFrame {version}".strip(),), tuple(results), tuple(dict.fromkeys(remarks)))


def _case(text: ForeignText, case: _Case, remarks: list[str]) -> Iterator[ForeignResult]:
    name = case.display_name or case.name or "test"
    group = f"{text.name}: {reported_name(name)}"
    variables = list(_variables(case))
    # What misses its reference was measured all the same: left out, only the good would be
    # reported.
    missed = case.result in _FAILED and case.fail_phase == "performance"
    if case.result and case.result not in _PASSED and not missed:
        if variables:
            remarks.append(f"{group}: it did not pass ({case.result}); left out")
        return
    place = _place(case)
    layout, ranks, note = workload_layout(place)
    parameters = {**ranks, **_named(case, name)}
    said = label_of_name(name)
    flag = ""
    if said.nodes > 1 and place.nodes == 1:
        flag = f"labeled {said.nodes} nodes, but ReFrame saw it run on one"
        remarks.append(f"{group}: {flag}; its results are flagged")
    for variable in variables:
        result = _result(variable, name, group, remarks)
        if result is not None:
            yield msgspec.structs.replace(
                result,
                layout=layout,
                parameters={**parameters, **result.parameters},
                note="; ".join(part for part in (_MISSED if missed else "", note) if part),
                flag=flag,
                program=_program(case),
            )


def _named(case: _Case, name: str) -> dict[str, Value]:
    """What distinguishes the case from others: test, place and environment."""
    place = ":".join(part for part in (case.system, case.partition) if part)
    named = {
        "test": name,
        "partition": place,
        "environment": case.environ or case.environment or "",
    }
    return {key: reported_name(said) for key, said in named.items() if said}


def _program(case: _Case) -> str:
    """The command of the case, where the report has it."""
    executable, options = case.set_to("executable"), case.set_to("executable_opts")
    words = options if isinstance(options, list) else []
    return reported_name(" ".join(map(str, [executable, *words]))) if executable else ""


def _variables(case: _Case) -> Iterator[_Variable]:
    yield from case.perfvars or ()
    for key, entry in (case.perfvalues or {}).items():
        if len(entry) >= 5:
            value, _, lower, upper, unit = entry[:5]
            yield _Variable(
                key.rsplit(":", 1)[-1],
                _number(value),
                unit if isinstance(unit, str) else "",
                _number(lower),
                _number(upper),
            )


def _result(variable: _Variable, name: str, group: str, remarks: list[str]) -> ForeignResult | None:
    printed = variable.unit or ""
    binary = _BINARY_RATES.get(printed, 0.0)
    unit = "B/s" if binary else _ALIASES.get(printed, printed)
    if unit not in PRINTED_UNITS:
        remarks.append(f"{group}: {variable.name} is in {printed!r}, no known unit; left out")
        return None
    better = _better(variable, unit)
    if not better:
        remarks.append(
            f"{group}: neither its thresholds nor its unit show which way {variable.name} is "
            "better; left out"
        )
        return None
    if variable.value is None or variable.value <= 0:
        return None
    if not is_plausible(variable.value):
        remarks.append(f"{group}: {variable.name} is {variable.value:g}, no number; left out")
        return None
    value = variable.value * (binary or 1.0)
    quantity = re.sub(r"^[^a-zA-Z0-9]+", "", readable(variable.name))[:80] or "value"
    is_named = metric_name(quantity) == variable.name
    return ForeignResult(
        values=(value,),
        unit=unit,
        decimals=decimals_shown(value),
        group=group,
        workload=slug_of(name, "test"),
        quantity=quantity,
        better=better,
        parameters={} if is_named else {"variable": reported_name(variable.name)},
    )


def _better(variable: _Variable, unit: str) -> str:
    lower, upper = variable.thres_lower is not None, variable.thres_upper is not None
    if lower != upper:
        return "higher" if lower else "lower"
    if unit in _TIMES:
        return "lower"
    return "higher" if "/s" in unit else ""


def _place(case: _Case) -> Place:
    """On how many nodes a case was seen to run, and with how many ranks."""
    names = case.job_nodelist if isinstance(case.job_nodelist, list) else case.nodelist
    nodes = len(set(map(str, names))) if isinstance(names, list) else 0
    tasks = case.set_to("num_tasks")
    return Place(nodes, max(tasks, 0) if isinstance(tasks, int) else 0)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
