"""Published machines as they are compared, with the flags that arithmetic puts on figures."""

from __future__ import annotations

import pytest

from machmeter.model.errors import UsageError
from machmeter.model.origin import Origin
from machmeter.model.results.machine import Parts
from machmeter.published.flags import flags_of, published_flags
from machmeter.published.format import (
    Counts,
    Link,
    LinkDirection,
    Part,
    PrintedFigure,
    PrintedTable,
    PublishedMachine,
)
from machmeter.published.load import claim_names, machine_names, published_claims
from machmeter.published.machine import machine_results, published_results

MACHINE = PublishedMachine(
    1,
    "m",
    "M",
    "",
    "Somebody 2010",
    2010,
    (PrintedTable("p", "GB", (PrintedFigure("memory", 2.0),), 0),),
    counts=Counts(nodes=2, cores=16, watts=1500, price=2e6, currency="EUR"),
    links=(
        Link("up", 15, "Gbit/s", "p", text="up", note="printed so"),
        Link("down", 7.5, "GB/s", "p", direction=LinkDirection.ONE_WAY, decimals=1),
    ),
    parts={
        "cpu": "two of them",
        "boards": 13,
        "local_disk": Part(2.5, "TB"),
        "cache": Part(24, "MB", "table 1", "of a processor"),
    },
)


@pytest.mark.parametrize("name", machine_names())
def test_every_published_machine_can_stand_in_a_comparison(name: str) -> None:
    known = published_results(name)
    assert (known.id, known.origin) == (name, Origin.PUBLISHED)
    assert known.title
    assert known.source
    assert known.properties
    assert not known.runs
    assert all(one.printed and one.printed.id for one in known.estimates)


@pytest.mark.parametrize("name", ["edison", "hopper", "louhi", "murska", "scalemp", "tigerton"])
def test_machines_that_are_divided_by_have_cores_and_nodes(name: str) -> None:
    parts = published_results(name).parts
    assert parts.nodes
    assert parts.cores >= parts.nodes


def test_facts_have_units_directions_and_notes() -> None:
    known = machine_results(MACHINE)
    assert known.parts == Parts(2, 16, 1500, 2e6, "EUR")
    assert known.properties == {
        "cpu": "two of them",
        "boards": "13",
        "local disk": "2.5 TB",
        "cache": "24 MB (of a processor)",
        "nodes": "2",
        "cores": "16",
        "watts": "1500 W",
        "price": "2000000 EUR",
        "link up": "15 Gbit/s, direction not stated (printed so)",
        "link down": "7.5 GB/s, one way",
    }


def test_a_flagged_fact_says_so() -> None:
    flags = {"up": "wrong", "counts.cores": "too many", "parts.cpu": "three"}
    facts = machine_results(MACHINE, flags).properties
    assert facts["link up"] == "15 Gbit/s, direction not stated (printed so) [wrong]"
    assert facts["cores"] == "16 [too many]"
    assert facts["cpu"] == "two of them [three]"
    assert facts["nodes"] == "2"


def test_flags_are_those_of_contradicted_claims_and_no_others() -> None:
    flagged = flags_of("edison")
    assert flagged["overlap-reserved-8k"].startswith(
        "its source claims “For one pair a reserved core"
    )
    assert "256" in flagged["overlap-reserved-8k"]
    assert "latency-first-socket" not in flagged
    overlap = {
        one.printed.id: one.flag for one in published_results("edison").estimates if one.printed
    }
    assert overlap["overlap-reserved-8k"] == flagged["overlap-reserved-8k"]
    assert not overlap["overlap-16-pairs"]


def test_a_flag_stands_on_figures_links_and_parts() -> None:
    assert "002-schmidl-022" in published_flags()["scalemp/sync-across-for"]
    assert "001-austin-001" in published_results("edison").properties["delivery"]
    uv = published_results("uv1000").properties
    assert any("Gbit/s" in said and "000-younge-021" in said for said in uv.values())


def test_every_reference_of_a_claim_is_of_a_machine_of_its_study() -> None:
    for study in claim_names():
        claims = published_claims(study)
        named = {ref.partition("/")[0] for one in claims.claims for ref in one.contradicts}
        assert named <= set(claims.machines)


def test_a_machine_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="no published machine"):
        published_results("earth-simulator")
