"""Faults of a launch by what its program wrote."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from machmeter.apps.judge import output_faults
from machmeter.model.layout import Binding
from machmeter.model.plan.description import (
    Description,
    Echo,
    EchoOf,
    Figure,
    OutputCheck,
    OutputReadings,
    Validity,
)
from machmeter.model.plan.launch import Verdict
from tests.support.described import launch_of_described

DESCRIBED = Description(
    name="a",
    title="A",
    command=("a",),
    figures=(Figure(name="rate", unit="1/s", better="higher", pattern="(a)"),),
    echoes=(
        Echo(what=EchoOf.RANKS, pattern="(a)"),
        Echo(what=EchoOf.THREADS, pattern="(a)"),
    ),
    validities=(Validity(name="use", pattern="(a)", least=90, most=101),),
    checks=(
        OutputCheck(name="energy", pattern="(a)", reference=-4.0, absolute=0.5),
        OutputCheck(name="same", pattern="(a)", across=True, relative=0.25),
    ),
)
LAUNCH = launch_of_described(DESCRIBED, 2, 4)
OF_DEFAULT = launch_of_described(DESCRIBED, 2, 4, Binding.DEFAULT)
RIGHT = {"rate": 8.0, "ranks": 2, "threads": 4, "use": 95.0, "energy": -4.0, "same": 16.0}


def verdicts(
    changes: Mapping[str, float | None], expected: Mapping[str, float] | None = None
) -> list[Verdict]:
    values = {k: v for k, v in (RIGHT | dict(changes)).items() if v is not None}
    readings = OutputReadings(values)
    return [fault.verdict for fault in output_faults(LAUNCH, readings, expected or {})]


def test_a_right_launch_has_no_fault() -> None:
    assert verdicts({}, {"same": 16.0}) == []


@pytest.mark.parametrize("name", ["ranks", "threads"])
def test_other_ranks_or_threads_than_launched_are_wrong_parallelism(name: str) -> None:
    assert verdicts({name: 1}) == [Verdict.WRONG_PARALLELISM]


def test_where_nothing_is_set_its_threads_are_what_the_program_chose() -> None:
    of_default = OutputReadings(RIGHT | {"threads": 1})
    assert output_faults(OF_DEFAULT, of_default, {}) == ()
    one_rank = OutputReadings(RIGHT | {"ranks": 1})
    assert output_faults(OF_DEFAULT, one_rank, {}) != ()


def test_an_optional_figure_that_is_missing_is_no_fault_unless_it_cannot_be_read() -> None:
    wait = Figure(name="wait", unit="s", better="lower", pattern="(a)", optional=True)
    launch = launch_of_described(replace(DESCRIBED, figures=(*DESCRIBED.figures, wait)), 2, 4)
    right = RIGHT | {"same": 16.0}
    assert output_faults(launch, OutputReadings(right), {}) == ()
    (fault,) = output_faults(launch, OutputReadings(right, {"wait": "it is no number"}), {})
    assert fault.verdict is Verdict.INCOMPLETE


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_a_launch_without_one_of_its_numbers_is_incomplete(name: str) -> None:
    assert verdicts({name: None}, {"same": 16.0}) == [Verdict.INCOMPLETE]


@pytest.mark.parametrize(("use", "right"), [(90, True), (101, True), (89.9, False), (102, False)])
def test_bounds_belong_to_what_is_valid(use: float, *, right: bool) -> None:
    assert verdicts({"use": use}) == ([] if right else [Verdict.CONTENDED])


@pytest.mark.parametrize(
    ("energy", "right"), [(-3.5, True), (-4.5, True), (-3.49, False), (-4.51, False), (4.0, False)]
)
def test_tolerance_ends_at_its_value(energy: float, *, right: bool) -> None:
    assert verdicts({"energy": energy}) == ([] if right else [Verdict.WRONG_ANSWER])


@pytest.mark.parametrize(
    ("same", "right"), [(20.0, True), (12.0, True), (20.1, False), (11.9, False)]
)
def test_launches_must_agree(same: float, *, right: bool) -> None:
    assert verdicts({"same": same}) == []
    assert verdicts({"same": same}, {"same": 16.0}) == ([] if right else [Verdict.WRONG_ANSWER])


@pytest.mark.parametrize(("reference", "within"), [(100.0, 1.0), (-100.0, 1.0), (0.0, 0.25)])
def test_the_larger_tolerance_counts(reference: float, within: float) -> None:
    check = OutputCheck(name="c", pattern="(a)", reference=reference, absolute=0.25, relative=0.01)
    described = Description(name="a", title="A", command=("a",), checks=(check,))
    for change, faults in ((within, 0), (within * 1.1, 1)):
        readings = OutputReadings({"c": reference + change})
        assert len(output_faults(launch_of_described(described), readings, {})) == faults


def test_the_fault_that_explains_others_is_first() -> None:
    changes = {"ranks": 1, "use": 1.0, "energy": 0.0, "rate": None}
    assert verdicts(changes) == [
        Verdict.WRONG_PARALLELISM,
        Verdict.INCOMPLETE,
        Verdict.WRONG_ANSWER,
        Verdict.CONTENDED,
    ]


def test_the_reason_of_a_missing_number_is_that_of_its_reading() -> None:
    only = replace(DESCRIBED, echoes=(), validities=(), checks=())
    (fault,) = output_faults(launch_of_described(only), OutputReadings({}, {"rate": "no log"}), {})
    assert "no log" in fault.reason
