from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.importing.contradictions import (
    FASTEST_BEHIND_PCIE_SECONDS,
    FASTEST_NETWORK_SECONDS,
    ImportedMachine,
    proved,
    rate_kind,
)
from machmeter.importing.readings import Place, Reading
from machmeter.published.format import Link, LinkDirection
from tests.support.importing_data import read_file, read_lines

LATENCY = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8     {:.2f}\n65536  9.00\n"
ALLREDUCE = (
    "# OSU MPI Allreduce Latency Test v7.4\n"
    "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n8  0.3  0.3  0.3  9\n"
)


def link(value: float, direction: LinkDirection = LinkDirection.ONE_WAY) -> Link:
    return Link(id="link", value=value, unit="Gbit/s", page="given", direction=direction)


def test_a_label_of_two_nodes_that_no_network_reaches() -> None:
    reading = read_lines(LATENCY.format(0.31), name="osu_latency_2nodes.txt")
    assert {one.layout["nodes"] for one in reading.results} == {2}
    checked = proved(reading, ImportedMachine())
    assert [one.layout for one in checked.results] == [{"nodes": 1, "ranks_per_node": 2}] * 2
    assert all("labeled 2 nodes" in one.flag for one in checked.results)
    assert "0.31 us for 8 B" in checked.remarks[-1]


def test_ranks_that_are_not_known_are_not_made_up_by_a_proof() -> None:
    (false, _) = read_lines(LATENCY.format(0.31), place=Place(2, 2)).results
    uneven = msgspec.structs.replace(
        false, benchmark="", metric="", workload="hpcc", quantity="HPL", layout={"nodes": 2}
    )
    checked = proved(Reading(results=(false, uneven)), ImportedMachine()).results[1]
    assert checked.layout == {"nodes": 1}
    assert "labeled 2 nodes" in checked.flag


@given(st.floats(FASTEST_NETWORK_SECONDS * 1e6 + 0.01, FASTEST_BEHIND_PCIE_SECONDS * 1e6 - 0.01))
def test_a_latency_that_few_networks_reach_is_doubtful(latency: float) -> None:
    reading = read_lines(LATENCY.format(latency), place=Place(2, 2))
    checked = proved(reading, ImportedMachine())
    assert checked.results == reading.results
    assert len(checked.remarks) == len(reading.remarks) + 1
    assert "--used-nodes 1" in checked.remarks[-1]


@given(st.floats(FASTEST_BEHIND_PCIE_SECONDS * 1e6 + 0.01, 1000))
def test_a_latency_that_a_network_reaches_stays(latency: float) -> None:
    reading = read_lines(LATENCY.format(latency), place=Place(2, 2))
    assert proved(reading, ImportedMachine()) == reading


def test_a_latency_inside_one_node_is_no_lie() -> None:
    reading = read_lines(LATENCY.format(0.31), place=Place(1, 2))
    assert proved(reading, ImportedMachine()) == reading


def test_an_allreduce_needs_a_message_between_nodes() -> None:
    checked = proved(read_lines(ALLREDUCE, place=Place(2, 8)), ImportedMachine())
    assert checked.results[0].layout == {"nodes": 1, "ranks_per_node": 8}
    assert checked.results[0].flag


@pytest.mark.parametrize(
    ("given_link", "flagged"),
    [
        (link(10), True),
        (link(10_000), False),
        (link(150, LinkDirection.BOTH_WAYS), True),
        (None, False),
    ],
)
def test_bandwidth_above_the_link(given_link: Link | None, flagged: bool) -> None:
    text = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1048576     10000.00\n"
    reading = read_lines(text, place=Place(2, 2))
    checked = proved(reading, ImportedMachine(link=given_link))
    assert any("above the link" in one.flag for one in checked.results) == flagged


def test_more_threads_than_cores() -> None:
    checked = proved(read_file("tools/stream.txt"), ImportedMachine(nodes=1, cores=1))
    assert all("2 ranks or threads on 1 core" in one.flag for one in checked.results)
    assert proved(read_file("tools/stream.txt"), ImportedMachine(nodes=1, cores=2)) == read_file(
        "tools/stream.txt"
    )


@given(st.floats(1, 1e6))
def test_megabytes_and_binary_megabytes_are_never_confused(megabytes: float) -> None:
    assert rate_kind(round(megabytes, 2), 2, megabytes) == "MB/s"
    # What is rounded to 0.01 tells 4.9 % apart from 1 on.
    assert rate_kind(round(megabytes / 1.048576, 2), 2, megabytes) == "MiB/s"
    assert rate_kind(round(megabytes * 1.2, 2), 2, megabytes) == ""


def test_the_nearest_label_above_a_table_counts() -> None:
    text = f"== 2 nodes ==\n{LATENCY.format(2)}== 1 node ==\n{LATENCY.format(1)}"
    assert [one.layout["nodes"] for one in read_lines(text).results] == [2, 2, 1, 1]
