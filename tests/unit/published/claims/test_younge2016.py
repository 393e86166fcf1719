"""Echo and the UV 1000 as Younge et al. print them, and what arithmetic says of their claims."""

from __future__ import annotations

from collections import Counter

import pytest

from machmeter.model.units import LINK_BITS_UNSTATED, LINK_BYTES_ONE_WAY
from machmeter.published.flags import flags_of
from machmeter.published.formulas import published_numbers
from machmeter.published.load import published_claims, published_machine
from machmeter.published.machine import published_results
from machmeter.published.units import link_rate
from machmeter.published.verdicts import ClaimVerdict, judge_claims

STUDY = published_claims("younge2016")
JUDGED = {one.claim.id.removeprefix("000-younge-"): one for one in judge_claims(STUDY)}
MACHINES = {name: published_machine(name) for name in STUDY.machines}
KNOWN = published_numbers(MACHINES.values())

PRINTED = [
    ("echo/spec-omp", 10.4, "score"),
    ("uv1000/spec-omp", 7.01, "score"),
    ("echo/spec-omp-adjusted", 7.65, "score"),
    ("uv1000/spec-omp-adjusted", 7.44, "score"),
    ("echo/codes-ahead", 4, "count"),
    ("echo/codes-behind", 1, "count"),
    ("echo/code-behind-ratio", 2.7, "x"),
    ("echo/codes-comparable", 9, "count"),
    ("uv1000/spec-cpu", 39.3, "score"),
    ("echo/spec-cpu", 46.0, "score"),
    ("echo/cpu-ahead", 17, "%"),
    ("echo/spec-omp-ratio", 1.5, "x"),
    ("echo/large-memory-ratio", 5.8, "x"),
    ("echo/hpl-efficiency", 82.4, "%"),
    ("echo/trinity-reads", 370e6, "reads"),
    ("uv1000/trinity-reads", 370e6, "reads"),
    ("echo/trinity-read-length", 100, "bp"),
    ("uv1000/trinity-read-length", 100, "bp"),
    ("echo/trinity-coverage", 50, "x"),
    ("uv1000/trinity-coverage", 50, "x"),
]
REPRODUCED = ("011", "014", "015", "016", "017", "018", "019")
UNDECIDABLE = ("008", "020", "030")


@pytest.mark.parametrize(("reference", "value", "unit"), PRINTED)
def test_what_is_printed_is_a_figure(reference: str, value: float, unit: str) -> None:
    machine, _, name = reference.partition("/")
    ((table, figure),) = (
        (table, one)
        for table in MACHINES[machine].tables
        for one in table.figures
        if one.id == name
    )
    assert figure.value == value
    assert table.unit == unit
    assert table.page.startswith("slide ")


def test_every_claim_is_judged() -> None:
    assert list(JUDGED) == [f"{number:03d}" for number in range(1, 38)]
    assert Counter(one.verdict for one in JUDGED.values()) == {
        ClaimVerdict.UNDECIDABLE: 27,
        ClaimVerdict.REPRODUCED: 8,
        ClaimVerdict.CONTRADICTED: 2,
    }


def test_every_quantitative_claim_is_reproduced_or_known_not_to_be_decidable() -> None:
    quantitative = {n: one.verdict for n, one in JUDGED.items() if one.claim.kind == "quantitative"}
    assert quantitative == {
        **dict.fromkeys(REPRODUCED, ClaimVerdict.REPRODUCED),
        **dict.fromkeys(UNDECIDABLE, ClaimVerdict.UNDECIDABLE),
    }


@pytest.mark.parametrize("number", UNDECIDABLE)
def test_a_quantity_that_is_not_decided_says_what_is_missing(number: str) -> None:
    assert "missing" in JUDGED[number].claim.note or "not printed" in JUDGED[number].claim.note


def test_the_link_that_is_blamed_is_the_faster_one() -> None:
    blamed = JUDGED["021"]
    assert blamed.verdict is ClaimVerdict.CONTRADICTED
    assert blamed.computed == pytest.approx([4 / 7.5])
    flags = flags_of("uv1000")
    assert "000-younge-021" in flags["numalink-5"]
    assert "000-younge-021" in flags["numalink-5-slide"]


def test_bits_of_a_link_are_not_its_bytes() -> None:
    links = {link.id: link_rate(link) for link in MACHINES["uv1000"].links}
    assert links["numalink-5"] == (15e9, LINK_BITS_UNSTATED)
    assert links["numalink-5-one-way"] == (7.5e9, LINK_BYTES_ONE_WAY)
    facts = published_results("uv1000").properties["link NUMAlink 5, as printed"]
    assert facts.startswith("15 Gbit/s")
    assert "000-younge-021" in facts


def test_the_cores_of_the_uv_1000_would_be_111_nodes() -> None:
    assert JUDGED["022"].verdict is ClaimVerdict.CONTRADICTED
    assert JUDGED["022"].computed == (111,)
    flags = flags_of("uv1000")
    assert all("000-younge-022" in flags[name] for name in ("cores", "nodes"))
    assert "000-younge-022" in published_results("uv1000").properties["measured part"]
    # What its peak leaves room for: four operations a cycle at 2.66 GHz (Westmere, SSE).
    peak, per_node = KNOWN["uv1000/peak"], KNOWN["uv1000/cores-per-node"].value
    nodes = [tera * 1e12 / (4 * 2.66e9) / per_node for tera in (peak.low, peak.high)]
    assert nodes[0] < 58 < nodes[1]
    assert nodes[1] < 111


def test_a_possibility_is_not_decided_by_its_one_bad_example() -> None:
    assert JUDGED["027"].verdict is ClaimVerdict.UNDECIDABLE
    assert "000-younge-021" in JUDGED["027"].claim.note


def test_the_codes_that_are_ahead_follow_from_the_scores() -> None:
    """14 codes: 9 as adjusted, one at 1/2.7, and four that make up the rest of the score."""
    ratio, adjusted = (
        KNOWN[f"echo/{score}"].value / KNOWN[f"uv1000/{score}"].value
        for score in ("spec-omp", "spec-omp-adjusted")
    )
    ahead = (ratio**14 / adjusted**9 * KNOWN["echo/code-behind-ratio"].value) ** (1 / 4)
    assert ahead > 2
    assert f"{ahead:.1f} times" in JUDGED["017"].claim.note


def test_both_machines_have_the_same_scores_at_the_same_points() -> None:
    echo, uv = (
        {(e.point.key, e.metric): e.value for e in published_results(name).estimates}
        for name in ("echo", "uv1000")
    )
    scores = {point: echo[point] / uv[point] for point in echo.keys() & uv.keys()}
    by_codes = {point[0].partition(" (")[0]: ratio for point, ratio in scores.items()}
    assert by_codes == {
        "workload.spec-omp2012 [codes=all 14]": pytest.approx(1.48, abs=0.005),
        "workload.spec-omp2012 [codes=9 comparable]": pytest.approx(1.03, abs=0.005),
        "workload.spec-cpu2006 []": pytest.approx(1.17, abs=0.005),
    }
