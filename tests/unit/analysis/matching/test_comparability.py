"""Only like is compared with like, and what is not is refused in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.comparability import comparability
from machmeter.analysis.matching.layouts import Reach, shape_text
from machmeter.analysis.matching.operands import Operand, is_extensive
from machmeter.model.benchmark import Statistic, Value
from machmeter.model.layout import HUGE_PAGE, Binding, Layout
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import Parts
from machmeter.model.results.printed import HowKnown, NodeRelation, Printed
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import UNKNOWN_PARTS, code, machine, printed

PAIR = Layout(ranks_per_node=2)
PINGPONG: dict[str, Value] = {
    "size": 8, "pattern": "ping-pong", "way": "blocking", "data": "contiguous", "buffers": "hot",
}  # fmt: skip


def latency(layout: Layout = PAIR, **changed: Value) -> Estimate:
    return made_up("network.latency", {**PINGPONG, **changed}, layout, "latency", 1e-6)


def side(
    one: Estimate, name: str = "m", parts: Parts = UNKNOWN_PARTS, *, paper: bool = False
) -> Operand:
    origin = Origin.PUBLISHED if paper else Origin.MEASURED
    return Operand(machine(name, one, parts=parts, origin=origin), one)


def test_the_same_point_differs_in_nothing() -> None:
    found = comparability(side(latency()), side(latency()))
    assert (found.reach, found.reasons, found.notes) == (Reach.SAME, (), ())
    assert found.distance == 0


@pytest.mark.parametrize(
    ("benchmark", "metric", "here", "there", "reason"),
    [
        ("network.pairs", "latency", {"definition": "classic"}, {"definition": "barrier"},
         "definition classic against barrier"),
        ("network.bandwidth", "bandwidth_one_way", {"window": 64}, {"window": 256},
         "window 64 against 256"),
        ("network.collective", "time", {"datatype": "float"}, {"datatype": "char"},
         "datatype float against char"),
        ("network.latency", "latency", {"size": 8}, {"size": 1024}, "size 8 B against 1 KiB"),
    ],
)  # fmt: skip
def test_definitions_that_both_state_and_that_differ_are_refused_in_words(
    benchmark: str,
    metric: str,
    here: dict[str, Value],
    there: dict[str, Value],
    reason: str,
) -> None:
    a, b = (side(made_up(benchmark, p, PAIR, metric, 1e-6)) for p in (here, there))
    assert comparability(a, b).reasons == (reason,)


def test_another_mpi_library_is_named() -> None:
    a, b = (side(replace(latency(), mpi_library=one)) for one in ("MPICH 5.0.2", "Open MPI v4.1.4"))
    found = comparability(a, b)
    assert (found.reasons, found.notes) == (
        (),
        ("other library: MPICH 5.0.2 against Open MPI v4.1.4",),
    )
    assert comparability(a, a).notes == ()
    assert comparability(a, side(latency())).notes == (), "one that is not known is no other one"


def test_messages_between_devices_are_not_those_of_a_source_that_does_not_say_so() -> None:
    paper = side(
        printed(made_up("network.latency", {"size": 8}, PAIR, "latency", 1e-6)), "paper", paper=True
    )
    (reason,) = comparability(side(latency(buffers="device")), paper).reasons
    assert reason == "in memory of devices, against one for which that is not stated by paper"
    assert comparability(side(latency(buffers="cold")), paper).reasons == ()


def test_what_a_source_leaves_out_is_open_and_noted() -> None:
    paper = printed(made_up("network.latency", {"size": 8}, PAIR, "latency", 1e-6))
    found = comparability(side(latency()), side(paper, "paper", paper=True))
    assert found.reasons == ()
    assert "buffers hot: not stated by paper" in found.notes
    assert found.distance > 0


def test_a_number_that_is_swept_is_told_from_a_definition() -> None:
    assert comparability(side(latency()), side(latency(size=16))).on_axis
    assert not comparability(side(latency()), side(latency(way="persistent"))).on_axis
    other = Layout(nodes=2)
    assert not comparability(side(latency()), side(latency(other, size=16))).on_axis


def test_nodes_of_one_machine_are_no_nodes_of_a_network() -> None:
    one = side(latency(Layout(nodes=2)))
    caveats = (Caveat(CaveatKind.ONE_MACHINE, "a, b"),)
    alone = replace(one, machine=replace(one.machine, id="here", caveats=caveats))
    assert comparability(alone, one).reasons == ("all nodes of here were one machine",)
    assert comparability(one, alone).reasons == ("all nodes of here were one machine",)
    assert comparability(alone, alone).reasons == ()
    of_one_node = replace(alone, estimate=latency())
    assert comparability(of_one_node, side(latency())).reasons == ()


def test_two_ranks_of_one_node_are_not_two_of_two_nodes() -> None:
    found = comparability(side(latency()), side(latency(Layout(nodes=2))))
    assert found.reasons == ("2 ranks on 1 node against 2 ranks on 2 nodes",)


def stream(threads: int, size: int, lies: MemoryLevel | None = None, pages: int = 4096) -> Estimate:
    layout = Layout(threads_per_rank=threads, page_bytes=pages)
    parameters: dict[str, Value] = {"kernel": "triad", "stores": "temporal", "size": size}
    one = made_up("memory.stream", parameters, layout, "stream_bandwidth", 1e10)
    return replace(one, memory_level=lies)


def test_sizes_chosen_by_machines_are_one_point_where_both_lie_in_memory() -> None:
    found = comparability(
        side(stream(1, 2**26, MemoryLevel.MEMORY)), side(stream(1, 2**28, MemoryLevel.MEMORY))
    )
    assert found.reasons == ()
    assert found.notes == ("size 64 MiB against 256 MiB: both in memory",)
    refused = comparability(
        side(stream(1, 2**20, MemoryLevel.CACHES)), side(stream(1, 2**28, MemoryLevel.MEMORY))
    )
    assert refused.reasons == ("size 1 MiB against 256 MiB (in caches against in memory)",)


def test_a_stream_of_others_is_taken_to_obey_its_rules_and_a_latency_is_not() -> None:
    papers = printed(stream(1, 80_000_000), stated="threads_per_rank")
    found = comparability(side(stream(1, 2**26, MemoryLevel.MEMORY)), side(papers, paper=True))
    assert found.reasons == ()
    assert "as STREAM's rules ask" in found.notes[0]
    ours, theirs = (
        made_up("memory.latency", {"size": size}, Layout(), "latency", 1e-7)
        for size in (2**26, 2**27)
    )
    assert "the memory level is not known" in comparability(side(ours), side(theirs)).reasons[0]


def test_rates_of_whole_machines_are_alike_and_latencies_of_them_are_not() -> None:
    here = side(stream(2, 2**26, MemoryLevel.MEMORY), parts=Parts(cores=2))
    there = side(stream(16, 2**26, MemoryLevel.MEMORY), parts=Parts(cores=16))
    assert comparability(here, there).reach is Reach.WHOLE
    part = side(stream(8, 2**26, MemoryLevel.MEMORY), parts=Parts(cores=16))
    assert comparability(here, part).reasons == ("2 threads against 8 threads",)
    one, other = (
        made_up("threads.sync", {"construct": "for"}, Layout(threads_per_rank=n), "overhead", 1e-6)
        for n in (2, 16)
    )
    found = comparability(side(one, parts=Parts(cores=2)), side(other, parts=Parts(cores=16)))
    assert found.reasons == ("2 threads against 16 threads",)


def test_settings_differ_between_measured_figures_and_are_open_in_printed_ones() -> None:
    here, there = (
        stream(1, 2**26, MemoryLevel.MEMORY),
        stream(1, 2**26, MemoryLevel.MEMORY, HUGE_PAGE),
    )
    assert comparability(side(here), side(there)).reasons == ("4 KiB pages against 2 MiB pages",)
    paper = side(printed(here, stated="threads_per_rank"), "paper", paper=True)
    assert comparability(paper, side(there)).notes == ("2 MiB pages: not stated by paper",)
    stated = side(printed(here, stated="threads_per_rank, page_bytes"), paper=True)
    assert comparability(stated, side(there)).reasons == ("4 KiB pages against 2 MiB pages",)


def test_pairs_of_places_are_alike_by_what_they_share() -> None:
    def visit(pair: str, shared: str) -> Operand:
        parameters: dict[str, Value] = {"pair": pair, "visit": "read", "extent": "page"}
        layout = Layout(threads_per_rank=2)
        one = made_up("memory.pages", parameters, layout, "visit_time", 1e-6)
        return side(replace(one, pair_relation=shared))

    far = visit("0-8", "same machine")
    assert comparability(far, visit("0-4", "same machine")).reasons == ()
    assert comparability(far, visit("0-1", "same core")).reasons == (
        "pair on same machine against same core",
    )
    assert "not known of both" in comparability(far, visit("0-4", "")).reasons[0]


def test_applications_are_alike_on_as_many_cores_and_by_whatever_library() -> None:
    a = code("neuron", 100.0, Layout(nodes=3, ranks_per_node=16), parameters={"mpi": "A 1.9"})
    b = code("neuron", 80.0, Layout(nodes=2, ranks_per_node=24), parameters={"mpi": "A 2.1"})
    found = comparability(side(a, paper=True), side(b, paper=True))
    assert (found.reach, found.reasons) == (Reach.CORES, ())
    assert "mpi A 1.9 against A 2.1" in found.notes
    unlike = code("neuron", 80.0, Layout(nodes=2, ranks_per_node=24), parameters={"mpi": "B 1"})
    assert comparability(side(a, paper=True), side(unlike, paper=True)).distance > found.distance


def test_only_what_all_cores_do_together_can_be_divided() -> None:
    assert is_extensive(stream(2, 2**26))
    assert is_extensive(code("neuron", 1.0))
    assert not is_extensive(latency())
    injected = made_up("network.collective", {"operation": "alltoall"}, PAIR, "injection", 1e9)
    assert not is_extensive(injected)


def test_shapes_in_words() -> None:
    assert shape_text(Layout()) == "1 thread"
    assert shape_text(Layout(threads_per_rank=4, inner_threads=2)) == "8 threads"
    layout = Layout(nodes=2, ranks_per_node=4, threads_per_rank=2, binding=Binding.SPREAD)
    assert shape_text(layout) == "8 ranks x 2 threads on 2 nodes"


STREAM: dict[str, Value] = {"kernel": "triad", "stores": "temporal", "size": 2**30}


def of_source(
    one: Estimate,
    statistic: Statistic | None = None,
    how_known: HowKnown = HowKnown.PRINTED,
    relation: NodeRelation | None = None,
) -> Operand:
    figure = Printed(
        "f", "1", 1.0, "us", "Somebody", how_known=how_known, statistic=statistic, relation=relation
    )
    return side(replace(printed(one), printed=figure), "paper", paper=True)


def triad() -> Estimate:
    return made_up("memory.stream", STREAM, Layout(threads_per_rank=4), "stream_bandwidth", 1e11)


def collective() -> Estimate:
    parameters: dict[str, Value] = {"operation": "allreduce", "size": 8}
    return made_up("network.collective", parameters, PAIR, "time", 1e-6)


@pytest.mark.parametrize(
    ("one", "statistic", "refused", "noted"),
    [
        (triad(), Statistic.BEST, False, True),
        (triad(), Statistic.MEAN, False, False),
        (triad(), None, False, False),
        (collective(), Statistic.MEAN_OF_RANKS, True, False),
        (collective(), Statistic.SLOWEST_RANK, False, False),
    ],
)
def test_a_statistic_is_part_of_the_definition(
    one: Estimate, statistic: Statistic | None, refused: bool, noted: bool
) -> None:
    found = comparability(side(one), of_source(one, statistic))
    assert any("statistic" in text for text in found.reasons) == refused
    assert any("statistic" in text for text in found.notes) == noted


def test_a_threshold_is_compared_with_nothing() -> None:
    found = comparability(side(triad()), of_source(triad(), how_known=HowKnown.THRESHOLD))
    assert any("threshold" in text for text in found.reasons)


def test_nodes_of_one_switch_are_no_nodes_of_two() -> None:
    same, other = (
        of_source(latency(), relation=one)
        for one in (NodeRelation.SAME_SWITCH, NodeRelation.OTHER_SWITCH)
    )
    assert comparability(same, other).reasons
    assert comparability(same, same).reasons == ()
    assert comparability(side(latency()), other).reasons == ()
