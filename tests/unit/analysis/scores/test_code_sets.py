"""Scores over a named set of codes, of made-up machines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.scores.code_sets import (
    left_out,
    set_components,
    thread_efficiency,
    why_unlike,
)
from machmeter.benchmarks.codes.set import CODE_SET
from machmeter.model.layout import Binding, Layout
from machmeter.model.origin import Origin
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from tests.support.made_up.estimates import made_up

OFP, NWP = "proxies.ofp", "proxies.nwp"
TWO = CodeSet("codes", 1, {OFP: 1, NWP: 1})
GIB = 2.0**30
_FIRST = {"proxies.ofp": 1, "proxies.lowmach": 1, "proxies.ljmd": 1, "proxies.nwp": 1}
_THIRD = {
    **_FIRST,
    "codes.kdtree": 1,
    "codes.alignpairs": 1,
    "codes.alignlong": 1,
    "codes.blocklu": 1,
}


def of_code(
    code: str, threads: int, rate: float, metric: str = "rate", **layout: object
) -> Estimate:
    sizes = {"cells": 48, "levels": 32, "steps": 20, "imbalance": 0} if code == NWP else {
        "cells": 100, "iterations": 50
    }  # fmt: skip
    placed = replace(Layout(threads_per_rank=threads), **layout)
    return made_up(code, {**sizes, "scaling": "strong"}, placed, metric, rate)


def machine(name: str, cores: int, *results: Estimate, of: CodeSet | None = TWO) -> MachineResults:
    return MachineResults(
        name, name, Origin.MEASURED, "machmeter", Parts(1, cores), estimates=results, code_set=of
    )


def whole(name: str, cores: int, ofp: float, nwp: float, one: float = 1e6) -> MachineResults:
    return machine(
        name,
        cores,
        of_code(OFP, 1, one),
        of_code(OFP, cores, ofp),
        of_code(NWP, 1, one),
        of_code(NWP, cores, nwp),
    )


def ratios(first: MachineResults, other: MachineResults) -> dict[str, float]:
    comparison = compare_machines(first, other)
    found = set_components(first, other, comparison, TWO)
    return {one.name: one.value for one in found.found}


def test_codes_are_compared_with_all_cores_of_both_machines() -> None:
    found = ratios(whole("a", 4, 4e6, 2e6), whole("b", 8, 12e6, 3e6))
    assert found == {OFP: pytest.approx(3.0), NWP: pytest.approx(1.5)}


def test_spread_threads_do_not_count_twice() -> None:
    first, other = whole("a", 4, 4e6, 2e6), whole("b", 8, 12e6, 3e6)
    spread = of_code(OFP, 8, 120e6, binding=Binding.SPREAD)
    both = replace(other, estimates=(*other.estimates, spread))
    assert ratios(first, both)[OFP] == pytest.approx(3)


def test_a_code_that_one_machine_lacks_is_missing() -> None:
    first = whole("a", 4, 4e6, 2e6)
    other = machine("b", 8, of_code(OFP, 1, 1e6), of_code(OFP, 8, 12e6))
    for pair in ((first, other), (other, first)):
        found = set_components(*pair, compare_machines(*pair), TWO)
        assert found.missing == (NWP,)


def test_a_code_of_another_version_is_out_and_told() -> None:
    first = whole("a", 4, 4e6, 2e6)
    other = replace(whole("b", 8, 12e6, 3e6), code_set=replace(TWO, codes={OFP: 1, NWP: 2}))
    found = set_components(first, other, compare_machines(first, other), TWO)
    assert [one.name for one in found.found] == [OFP]
    assert found.missing == (NWP,)
    assert NWP in found.doubts[-1]


@pytest.mark.parametrize(
    ("here", "there", "unlike"),
    [
        (TWO, TWO, False),
        (None, None, False),
        (TWO, replace(TWO, version=2), True),
        (TWO, replace(TWO, name="other"), True),
        (TWO, None, True),
        (None, TWO, True),
    ],
)
def test_sets_must_be_alike(here: CodeSet | None, there: CodeSet | None, unlike: bool) -> None:
    pair = (machine("a", 4, of=here), machine("b", 4, of=there))
    assert bool(why_unlike(*pair)) is unlike


def test_efficiency_is_by_the_rate_of_one_thread() -> None:
    one = whole("a", 4, 2e6, 2e6)
    rate = of_code(OFP, 4, 2e6)
    assert thread_efficiency(one, rate) == pytest.approx(0.5)
    assert thread_efficiency(machine("b", 4, rate), rate) is None


def test_codes_that_hardly_scale_do_not_fit_whoever_is_faster() -> None:
    first, other = whole("a", 4, 4e6, 4e6), whole("b", 8, 12e6, 2e6)
    for pair in ((first, other), (other, first)):
        assert list(left_out(*pair, compare_machines(*pair), TWO)) == [NWP]
    faster = whole("c", 8, 120e6, 20e6, one=10e6)
    assert list(left_out(first, faster, compare_machines(first, faster), TWO)) == [NWP]


def test_what_is_no_code_of_the_set_is_not_left_out_of_it() -> None:
    first, other = whole("a", 4, 4e6, 4e6), whole("b", 8, 8e6, 2e6)
    only_ofp = CodeSet("codes", 1, {OFP: 1})
    assert left_out(first, other, compare_machines(first, other), only_ofp) == {}


@pytest.mark.parametrize(("domain", "fits"), [(0.0, True), (3 * GIB, True), (1 * GIB, False)])
def test_data_beyond_a_memory_domain_do_not_fit(domain: float, fits: bool) -> None:
    first, other = whole("a", 4, 4e6, 4e6), whole("b", 8, 8e6, 8e6)
    data = of_code(OFP, 8, 2 * GIB, "data")
    large = replace(other, estimates=(*other.estimates, data), domain_bytes=domain)
    assert (OFP not in left_out(first, large, compare_machines(first, large), TWO)) is fits


def test_the_set_has_the_version_that_its_codes_had() -> None:
    # Another code, or one less: raise the version and add a line.
    eighth = {
        **{**_THIRD, "codes.shallow": 1, "codes.lbm": 1},
        **{"codes.coulomb": 1, "codes.born": 1, "codes.elements": 1},
    }
    assert {
        1: _FIRST,
        2: {**_FIRST, "codes.kdtree": 1},
        3: _THIRD,
        4: {**_THIRD, "codes.shallow": 1},
        5: {**_THIRD, "codes.shallow": 1, "codes.lbm": 1},
        6: {**_THIRD, "codes.shallow": 1, "codes.lbm": 1, "codes.coulomb": 1},
        7: {
            **{**_THIRD, "codes.shallow": 1, "codes.lbm": 1},
            **{"codes.coulomb": 1, "codes.born": 1},
        },
        8: eighth,
        # Fewer events of a launch are timed.
        9: eighth,
    }[CODE_SET.version] == CODE_SET.codes
