"""Comet, Gordon and what they were set beside, and what arithmetic says of the study's claims."""

from __future__ import annotations

from collections import Counter

import pytest

from machmeter.model.units import OPERATIONS_PER_SECOND, SECONDS
from machmeter.published.flags import flags_of
from machmeter.published.formulas import published_numbers
from machmeter.published.load import published_claims, published_machine
from machmeter.published.machine import published_results
from machmeter.published.verdicts import ClaimVerdict, judge_claims

STUDY = published_claims("tatineni2015")
JUDGED = {one.claim.id.removeprefix("004-tatineni-"): one for one in judge_claims(STUDY)}
MACHINES = {name: published_machine(name) for name in STUDY.machines}
KNOWN = published_numbers(MACHINES.values())

# Seconds at each number of cores: on Gordon with Open MPI and MVAPICH2, on Comet with MVAPICH2.
APPLICATIONS: dict[str, dict[int, tuple[int, ...]]] = {
    "neuron": {
        48: (1947, 1429, 1207),
        96: (1016, 732, 590),
        192: (485, 374, 304),
        384: (249, 183, 144),
        768: (163, 104, 84),
    },
    "openfoam": {
        96: (1962, 1621, 1368),
        144: (1169, 928, 787),
        192: (786, 665, 544),
        384: (310, 284, 207),
    },
    "quantum-espresso": {
        96: (3046, 2564, 1893),
        192: (1754, 1333, 940),
        384: (1025, 778, 543),
        768: (784, 486, 345),
    },
    "raxml": {16: (664, 528), 24: (525, 417), 32: (458, 362), 48: (323, 263)},
}
RUNS = ("gordon/{}-openmpi-{}", "gordon/{}-mvapich2-{}", "comet/{}-mvapich2-{}")
TIMES = [
    (run.format(name, cores), seconds)
    for name, by_cores in APPLICATIONS.items()
    for cores, times in by_cores.items()
    for run, seconds in zip(RUNS[-len(times) :], times, strict=True)
]
OTHERS = [
    ("comet/shmem-put", 1.42),
    ("comet/shmem-get", 1.76),
    ("comet/atomics-fetch-add-rate", 0.37),
    ("comet/atomics-fetch-add-time", 2.68),
    ("comet/atomics-fetch-inc-rate", 0.38),
    ("comet/atomics-fetch-inc-time", 2.6),
    ("comet/atomics-add-rate", 0.4),
    ("comet/atomics-add-time", 2.51),
    ("comet/atomics-inc-rate", 0.4),
    ("comet/atomics-inc-time", 2.48),
    ("comet/atomics-compare-swap-rate", 0.38),
    ("comet/atomics-compare-swap-time", 2.66),
    ("comet/atomics-swap-rate", 0.39),
    ("comet/atomics-swap-time", 2.58),
    ("comet/device-latency-0", 1.37),
    ("comet/device-latency-1", 2.86),
    ("comet/device-latency-2", 2.88),
    ("comet/device-latency-4", 2.85),
    ("comet/device-latency-8", 2.86),
    ("comet/device-latency-1m", 267.51),
    ("comet/device-latency-2m", 443.15),
    ("comet/device-latency-4m", 802.74),
    ("comet/hoomd-2-1-node", 68.74),
    ("comet/hoomd-4-4-nodes", 78.93),
    ("comet/hoomd-4-1-node", 80.39),
    ("comet/sr-iov-bandwidth", 1.21),
    ("comet/sr-iov-latency", 1.32),
    ("sr-iov/wrf-sr-iov", 15),
    ("sr-iov/wrf-over-ec2", 20),
    ("comet/wrf-sr-iov", 2),
    ("sr-iov/qe-sr-iov", 28),
    ("sr-iov/qe-over-ec2", 500),
    ("comet/qe-sr-iov", 8),
    ("gordon/latency", 1.3),
    ("gordon/qdr", 8),
    ("gordon/peak", 341),
    ("gordon/memory-bandwidth-peak", 85),
    ("comet/hoomd-hours-p100", 1.25),
    ("comet/hoomd-p100", 142.22),
    ("psg/hoomd-hours-p100-2.1.1-double", 1.22),
    ("psg/hoomd-p100-2.1.1-double", 145.72),
    ("psg/hoomd-hours-k80-2.1.1-double", 3.81),
    ("psg/hoomd-k80-2.1.1-double", 46.66),
    ("psg/hoomd-hours-k80-2.1.0-double", 3.85),
    ("psg/hoomd-k80-2.1.0-double", 46.18),
    ("psg/hoomd-hours-k40m-2.1.1-double", 4.0),
    ("psg/hoomd-k40m-2.1.1-double", 44.44),
    ("psg/hoomd-hours-m40-2.1.1-double", 9.38),
    ("psg/hoomd-m40-2.1.1-double", 18.95),
    ("collins/hoomd-hours-k40c-1.3.0-single", 2.7),
    ("collins/hoomd-k40c-1.3.0-single", 65.84),
    ("collins/hoomd-hours-k40c-1.3.0-double", 3.55),
    ("collins/hoomd-k40c-1.3.0-double", 50.08),
    ("collins/hoomd-hours-k40c-1.1.1-single", 2.37),
    ("collins/hoomd-k40c-1.1.1-single", 75.01),
]
REPRODUCED = ("006-019", "022-022", "024-027")
UNDECIDABLE = ("005-005", "020-021", "023-023", "028-033", "035-035")


def numbers(ranges: tuple[str, ...]) -> list[str]:
    pairs = [tuple(map(int, one.split("-"))) for one in ranges]
    return [f"{n:03d}" for first, last in pairs for n in range(first, last + 1)]


@pytest.mark.parametrize(("reference", "value"), TIMES + OTHERS)
def test_what_is_printed_is_a_figure(reference: str, value: float) -> None:
    assert round(KNOWN[reference].value, 2) == value


def test_no_time_of_an_application_is_left_out() -> None:
    there = {
        f"{name}/{figure}"
        for name in ("comet", "gordon")
        for figure in (one.id for table in MACHINES[name].tables for one in table.figures)
        if figure.startswith(tuple(APPLICATIONS))
    }
    assert there == {reference for reference, _ in TIMES}
    assert len(TIMES) == 47


def test_every_claim_is_judged() -> None:
    assert list(JUDGED) == [f"{number:03d}" for number in range(1, 47)]
    assert Counter(one.verdict for one in JUDGED.values()) == {
        ClaimVerdict.REPRODUCED: 24,
        ClaimVerdict.UNDECIDABLE: 21,
        ClaimVerdict.CONTRADICTED: 1,
    }


def test_every_quantitative_claim_has_the_verdict_that_its_figures_allow() -> None:
    quantitative = {n: one.verdict for n, one in JUDGED.items() if one.claim.kind == "quantitative"}
    assert quantitative == {
        **dict.fromkeys(numbers(REPRODUCED), ClaimVerdict.REPRODUCED),
        **dict.fromkeys(numbers(UNDECIDABLE), ClaimVerdict.UNDECIDABLE),
        "034": ClaimVerdict.CONTRADICTED,
    }


@pytest.mark.parametrize("number", numbers(UNDECIDABLE))
def test_a_quantity_that_is_not_decided_says_why(number: str) -> None:
    assert any(
        why in JUDGED[number].claim.note for why in ("printed", "without figures", "by itself")
    )


def test_five_times_is_not_500_percent_faster() -> None:
    assert JUDGED["034"].computed == (5,)
    assert set(flags_of("sr-iov")) == {"qe-over-ec2", "qe-over-ec2-title"}


def test_the_library_alone_makes_every_program_faster() -> None:
    ratios = JUDGED["036"].computed
    assert JUDGED["036"].verdict is ClaimVerdict.REPRODUCED
    assert len(ratios) == sum(
        len(times) == 3 for by in APPLICATIONS.values() for times in by.values()
    )
    assert min(ratios) > 1.09 - 0.005
    assert max(ratios) < 1.61 + 0.005


def test_twice_the_cores_are_more_than_twice_as_fast_on_both_machines() -> None:
    note = JUDGED["018"].claim.note
    for library in ("openmpi", "mvapich2"):
        fewer, more = (KNOWN[f"gordon/openfoam-{library}-{cores}"].value for cores in (192, 384))
        assert fewer / more > 2
        assert f"{fewer / more:.2f}" in note


def test_two_gpus_of_comet_reach_three_quarters_of_twice_one_elsewhere() -> None:
    share = KNOWN["comet/hoomd-2-1-node"].value / (2 * KNOWN["psg/hoomd-k80-2.1.1-double"].value)
    assert f"{100 * share:.0f} %" in JUDGED["027"].claim.note


def test_the_peak_of_gordon_is_that_of_its_cores() -> None:
    """Eight operations a cycle at 2.6 GHz (Sandy Bridge: AVX addition and multiplication)."""
    peak = KNOWN["gordon/peak"]
    assert peak.low < KNOWN["gordon/counts.cores"].value * 8 * 2.6e9 / 1e12 < peak.high


def test_programs_are_at_the_same_cores_on_both_machines() -> None:
    shared = 0
    for name, by_cores in APPLICATIONS.items():
        comet, gordon = (
            {
                (e.point.get("mpi"), e.point.get("cores")): e
                for e in published_results(machine).estimates
                if e.point.benchmark == f"workload.{name}" and e.metric == "wall_time"
            }
            for machine in ("comet", "gordon")
        )
        assert comet.keys() == {("MVAPICH2", cores) for cores in by_cores}
        for at, estimate in comet.items():
            shared += 1
            assert gordon[at].unit == estimate.unit == SECONDS
            assert gordon[at].point.parameters == estimate.point.parameters
            assert gordon[at].value > estimate.value
    assert shared == 17


def test_openshmem_figures_are_of_machmeters_own_benchmarks() -> None:
    own = {
        (e.point.benchmark, e.metric): e
        for e in published_results("comet").estimates
        if e.point.benchmark.startswith("shmem.")
    }
    assert own.keys() == {
        ("shmem.transfer", "time"),
        ("shmem.atomics", "time"),
        ("shmem.atomics", "rate"),
    }
    assert own["shmem.atomics", "rate"].unit == OPERATIONS_PER_SECOND
    assert 3e5 < own["shmem.atomics", "rate"].value < 5e5


def test_a_figure_that_is_not_of_the_slides_says_whose_it_is() -> None:
    sources = {e.printed.id: e.source for e in published_results("gordon").estimates if e.printed}
    assert sources["latency"].startswith("SDSC Gordon User Guide")
    assert sources["neuron-openmpi-48"].startswith("Tatineni et al., MUG 2015")
