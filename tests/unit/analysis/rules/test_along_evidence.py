"""How sure rules are that follow a curve or judge all pairs, and what would change them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.results.finding import Confidence
from tests.unit.analysis.rules.test_along import (
    FLAT,
    GROWTH,
    SWITCH,
    THRESHOLD,
    answer,
    availabilities,
    bandwidths,
    latencies,
    memory,
)
from tests.unit.analysis.rules.test_consistent import answer as answer_of_pairs
from tests.unit.analysis.rules.test_consistent import pairs


def test_a_jump_would_have_to_vanish() -> None:
    finding = answer(SWITCH, latencies(8192))
    assert finding.confidence is Confidence.SURE
    assert finding.would_change[0].startswith("a true jump at 16 KiB below zero (no jump)")


def test_a_curve_without_a_jump_has_no_p_value_and_is_likely() -> None:
    finding = answer(SWITCH, latencies(2**30))
    assert finding.confidence is Confidence.LIKELY
    assert finding.grounds[0].doubts == ("shown step by step, at 95 % each",)


@pytest.mark.parametrize(
    ("half", "word", "change"),
    [
        (256, Confidence.LIKELY, "above +3 % a doubling (still rising)"),
        (2.0**23, Confidence.SURE, "below +3 % a doubling (flat)"),
    ],
)
def test_flat_and_rising_would_change_at_three_percent(
    half: float, word: Confidence, change: str
) -> None:
    finding = answer(FLAT, bandwidths(half))
    assert finding.confidence is word
    assert finding.would_change[0].startswith("a true change from 2 MiB to 4 MiB ")
    assert change in finding.would_change[0]


@pytest.mark.parametrize(
    ("shares", "change"),
    [
        ((0.1, 0.2, 0.7, 0.9), "a true value at 4 KiB below 50.0 % (not reached there)"),
        ((0.1, 0.2, 0.3, 0.4), "a true value at 8 KiB above 50.0 % (reached there)"),
        ((0.1, 0.7, 0.8, 0.2), "a true value at 2 KiB below 50.0 % (not reached there)"),
    ],
)
def test_a_threshold_hangs_on_the_value_that_is_nearest_to_it(
    shares: tuple[float, ...], change: str
) -> None:
    sizes = (1024, 2048, 4096, 8192)
    finding = answer(THRESHOLD, availabilities(dict(zip(sizes, shares, strict=True))))
    assert finding.confidence is Confidence.SURE
    assert finding.would_change[0].startswith(change)


def test_an_open_threshold_says_how_many_launches_it_takes() -> None:
    finding = answer(THRESHOLD, availabilities({1024: 0.1, 2048: 0.498}))
    assert finding.confidence is Confidence.OPEN
    assert "at 2 KiB" in finding.would_change[0]
    assert "launches" in finding.would_change[0]


@pytest.mark.parametrize(
    ("per_peer", "change"),
    [
        (256e3, "a true cost of a further rank below 128 kB (little)"),
        (32e3, "a true cost of a further rank above 128 kB (much)"),
    ],
)
def test_growth_would_change_at_the_bound_of_its_band(per_peer: float, change: str) -> None:
    finding = answer(GROWTH, memory(per_peer))
    assert finding.confidence is Confidence.SURE
    assert finding.would_change[0].startswith(change)


def test_growth_between_two_bands_takes_more_launches() -> None:
    finding = answer(GROWTH, memory(129e3, 1e-3))
    assert finding.confidence is Confidence.OPEN
    assert "launches" in finding.would_change[0]
    bare = answer(replace(GROWTH, bands=()), memory(256e3))
    assert bare.confidence is Confidence.LIKELY


def test_a_host_that_is_named_is_as_sure_as_the_ratio_that_names_it() -> None:
    named, alike = answer_of_pairs(pairs(5, 2)), answer_of_pairs(pairs(5))
    assert named.confidence is Confidence.SURE
    assert named.would_change[0].startswith("a true ratio below 1.00x (no worse)")
    assert alike.confidence is Confidence.LIKELY
    assert alike.would_change[0] == "a pair more than 10 % from the usual"
