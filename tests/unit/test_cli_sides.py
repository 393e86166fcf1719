"""What is not named is as in the run that is measured against."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_launcher import PRECISION
from msgspec.structs import replace
from test_cli_options import DEFAULT
from two_sides import ASKED, two_sided

from machmeter.cli.options import RunOptions, asked_for
from machmeter.cli.sides import Wanted, as_in, refuse_one_side, wanted
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding
from machmeter.model.run import Asked
from machmeter.store.run_folder import RunFolder

OPTIONS = replace(DEFAULT, names=("memory.stream",), settings=("size=32MiB",))
OLD = asked_for(
    replace(OPTIONS, threads="2", mpi=("openmpi",), compiler="clang++", flags="-O2", least=5)
)


def now(**changes: object) -> Asked:
    options: RunOptions = replace(OPTIONS, **{"settings": (), **changes})
    return as_in(OLD, asked_for(options), frozenset(changes))


def test_with_nothing_named_everything_is_as_it_was_but_the_budget() -> None:
    asked = now()
    twice = 2 * OLD.precision.budget_seconds
    assert asked == replace(OLD, precision=replace(OLD.precision, budget_seconds=twice))
    once = as_in(OLD, asked_for(OPTIONS), frozenset(), times=1)
    assert once.precision.budget_seconds == OLD.precision.budget_seconds


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"flags": "-O1"}, replace(OLD, flags=("-O1",))),
        ({"compiler": "g++"}, replace(OLD, compiler="g++")),
        ({"mpi": ("mpich",)}, replace(OLD, mpi="mpich")),
        ({"binding": "spread"}, replace(OLD, wish=replace(OLD.wish, bindings=(Binding.SPREAD,)))),
        ({"threads": "1"}, replace(OLD, wish=replace(OLD.wish, threads=(1,)))),
    ],
)
def test_only_what_is_named_differs(changes: dict[str, object], expected: Asked) -> None:
    assert replace(now(**changes), precision=OLD.precision) == expected


def test_other_settings_make_another_study() -> None:
    asked = now(settings=("kernel=triad",))
    assert asked.study.experiments[0].parameters["kernel"] == ("triad",)
    assert "size" not in asked.study.experiments[0].parameters


def test_names_that_are_left_out_are_the_old_run_s(home: Path) -> None:
    two_sided(home / "runs" / "two", replace(OLD, precision=PRECISION))
    asked = wanted(DEFAULT, Wanted("two", frozenset()))
    assert asked.names == ("memory.stream",)
    assert asked.study == OLD.study
    # It was measured with two sides already: its budget is for both.
    assert asked.precision == PRECISION


def test_a_run_of_one_side_can_not_be_failed_for_being_slower(
    home: Path, one_run: RunFolder
) -> None:
    with pytest.raises(UsageError, match="no old side"):
        refuse_one_side("a-run")
    two_sided(home / "runs" / "two", ASKED)
    refuse_one_side("two")
