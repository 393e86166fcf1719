"""Requested layouts of which none fits the machine are refused before anything is launched."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.api.programs.exploring import explore_request
from machmeter.api.programs.fitting import refuse_layouts_that_do_not_fit
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Request
from tests.support.fake_launcher import synthetic_machine
from tests.support.sysfs_tree import Shape

FOUR = synthetic_machine(Shape(packages=1, domains=1, cores=4, smt=1))


def requested(layout: LayoutOptions, *, copies: tuple[int, ...] = ()) -> Request:
    mpi = "mpich" if layout.rank_counts or copies else ""
    return explore_request("/bin/true", layout=layout, copies=copies, mpi=mpi)


@pytest.mark.parametrize(
    ("layout", "needed"),
    [
        (LayoutOptions(threads=(99,)), "99"),
        (LayoutOptions(threads=(5, 6)), "5"),
        (LayoutOptions(rank_counts=(99,)), "99"),
        (LayoutOptions(rank_counts=(2,), threads=(3,)), "6"),
        (LayoutOptions(threads=(5,), bindings=(Binding.NONE,)), "5"),
        (LayoutOptions(threads=(1,), smt=2), "hardware thread"),
        (LayoutOptions(threads=(1,), reserved_cores=4), "core"),
    ],
)
def test_what_cannot_fit_is_refused_with_what_fits(layout: LayoutOptions, needed: str) -> None:
    with pytest.raises(UsageError) as caught:
        refuse_layouts_that_do_not_fit(requested(layout), FOUR)
    assert needed in caught.value.message
    assert "4" in caught.value.message + caught.value.remedy


def test_copies_that_cannot_fit_are_refused() -> None:
    with pytest.raises(UsageError):
        refuse_layouts_that_do_not_fit(requested(LayoutOptions(), copies=(9,)), FOUR)


@pytest.mark.parametrize(
    "layout",
    [
        LayoutOptions(),
        LayoutOptions(threads=(2, 99)),
        LayoutOptions(rank_counts=(2, 99)),
        LayoutOptions(threads=(99,), oversubscribe=True),
        LayoutOptions(rank_counts=(99,), oversubscribe=True),
        LayoutOptions(threads=(4,), bindings=(Binding.NONE,)),
    ],
)
def test_what_fits_in_part_or_is_to_share_cores_is_measured(layout: LayoutOptions) -> None:
    refuse_layouts_that_do_not_fit(requested(layout), FOUR)


def test_what_nobody_named_is_left_out_and_not_refused() -> None:
    request = requested(LayoutOptions())
    none = replace(FOUR.topology, cpus=())
    refuse_layouts_that_do_not_fit(request, replace(FOUR, topology=none))
