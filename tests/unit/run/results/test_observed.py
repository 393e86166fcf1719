"""What launches say of the system they ran on."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.layout import Layout, ThreadPlace
from machmeter.model.plan.launch import (
    ClockProperties,
    Closing,
    Header,
    LaunchSpec,
    Record,
    Toolchain,
)
from machmeter.model.plan.observation import ObservedRank, ObservedThread
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.point import make_point
from machmeter.model.variant import Variant
from machmeter.run.results.observed import (
    Observed,
    observed_with,
    threads_that_worked,
    with_what_was_seen,
)
from tests.support.observed_ranks import observed_rank


def spec(benchmark: str, mpi: str = "") -> LaunchSpec:
    return LaunchSpec(
        benchmark, MPI_PROGRAM.name, benchmark, Layout(), (), 0.01, variant=Variant(mpi)
    )


def header(*hosts: str, transport: dict[str, str] | None = None) -> Header:
    places = tuple(ThreadPlace(rank, 0, host, (0,), 0) for rank, host in enumerate(hosts))
    return Header(
        1,
        "network.latency",
        1,
        1,
        len(hosts),
        "",
        places,
        Toolchain("gcc", "", "", mpi_library="MPICH 5"),
        ClockProperties("tsc", 0.0, 0.0),
        (),
        transport=transport or {},
    )


def test_hosts_of_the_most_ranks_stand_until_consistency_was_judged() -> None:
    known = observed_with(Observed(), spec("network.latency"), header("a", "b"))
    assert known.rank_hosts == ("a", "b")
    known = observed_with(known, spec("network.barrier"), header("a", "b", "a", "b"))
    known = observed_with(known, spec("network.latency"), header("b", "a"))
    assert known.rank_hosts == ("a", "b", "a", "b")
    known = observed_with(known, spec("network.consistency"), header("a", "b", "c"))
    known = observed_with(known, spec("network.barrier"), header("a", "b", "a", "b", "a"))
    assert known.rank_hosts == ("a", "b", "c")


def test_the_most_names_of_one_machine_are_kept() -> None:
    def over(*names: str) -> Header:
        return replace(header(*names), hosts=tuple(ObservedHost(n, "4ae1", 5.0) for n in names))

    known = observed_with(Observed(), spec("network.latency"), over("a"))
    assert known.one_machine == ()
    for names in (("a", "b"), ("a", "b", "c"), ("a", "b")):
        known = observed_with(known, spec("network.latency"), over(*names))
    assert known.one_machine == ("a", "b", "c")


def test_hosts_on_which_a_launch_had_other_cpus_are_named_once() -> None:
    over_three = replace(spec("network.latency"), layout=Layout(nodes=3, ranks_per_node=2))
    of_ranks = header("a", "a", "b", "b", "c", "c")
    known = observed_with(Observed(), over_three, of_ranks, elsewhere=(2,))
    assert known.with_other_cpus == ("c",)
    known = observed_with(known, over_three, of_ranks, elsewhere=(2, 1))
    assert known.with_other_cpus == ("c", "b")
    # As a damaged file may have them, or one of a record without places.
    assert observed_with(known, over_three, of_ranks, elsewhere=(3, -1, 2**70)) == known
    assert observed_with(Observed(), over_three, header(), elsewhere=(1,)).with_other_cpus == ()


def test_hosts_are_those_of_launches_over_several_nodes() -> None:
    def over(nodes: int, *hosts: ObservedHost) -> tuple[LaunchSpec, Header]:
        one = replace(spec("network.latency"), layout=Layout(nodes=nodes))
        return one, replace(header("a"), hosts=hosts)

    a, b = ObservedHost("a", governor="powersave"), ObservedHost("b")
    known = observed_with(Observed(), *over(1, ObservedHost("login")))
    assert known.hosts == ()
    known = observed_with(known, *over(2, a, b))
    changed = replace(a, governor="performance")
    assert observed_with(known, *over(2, changed, ObservedHost("c"))).hosts == (
        *(changed, b),
        ObservedHost("c"),
    )


def test_one_process_says_nothing_of_hosts() -> None:
    assert observed_with(Observed(), spec("memory.stream"), header("a")).rank_hosts == ()


def test_transports_are_told_by_library_and_all_that_were_seen() -> None:
    first = header("a", "a", transport={"btl": "sm", "pml": "ob1"})
    other = header("a", "b", transport={"btl": "tcp", "pml": "ob1"})
    known = observed_with(Observed(), spec("network.latency"), first)
    known = observed_with(known, spec("network.latency"), other)
    known = observed_with(known, spec("network.latency"), first)
    known = observed_with(known, spec("network.latency", "openmpi"), other)
    assert known.transports == {
        "MPICH 5": {"btl": "sm; tcp", "pml": "ob1"},
        "openmpi": {"btl": "tcp", "pml": "ob1"},
    }


def test_time_in_the_system_is_kept_of_launches_of_mpi_with_a_cpu_for_each_rank() -> None:
    half = Closing("", 0, (), 1.0, user_seconds=0.5, system_seconds=0.5)
    latency = spec("network.latency")
    known = observed_with(Observed(), latency, header("a", "a"), half)
    assert [(one.mpi_library, one.share) for one in known.system_times] == [("MPICH 5", 0.5)]
    short = Closing("", 0, (), 1.0, yields_per_message=3.0)
    (counted,) = observed_with(Observed(), latency, header("a", "a"), short).system_times
    assert (counted.share, counted.yields) == (None, 3.0)
    for other, closing in (
        (latency, Closing("", 0, (), 1.0)),
        (latency, Closing("", 0, (), 1.0, user_seconds=0.001, system_seconds=0.003)),
        (replace(latency, program="machmeter-node"), half),
        (replace(latency, layout=Layout(oversubscribe=True)), half),
    ):
        assert observed_with(known, other, header("a", "a"), closing) == known


def of_threads(seconds: tuple[float, ...], at_once: int) -> ObservedRank:
    """A rank of which these threads took CPU time."""
    rank = observed_rank()
    threads = tuple(ObservedThread(1, n, one, "0", ((0, one),)) for n, one in enumerate(seconds))
    tree = replace(rank.tree, samples=6, at_once=at_once, threads=threads)
    return replace(rank, user_seconds=sum(seconds), tree=tree)


def test_threads_that_worked_are_those_on_which_all_launches_agree() -> None:
    specs = [
        replace(spec(name), points=(make_point(name, {}, Layout()),)) for name in ("a", "b", "c")
    ]
    first, second, third = specs
    one, two, short = of_threads((1.0, 0.01), 1), of_threads((1.0, 0.9), 2), of_threads((0.01,), 1)
    seen = Observed()
    for of, ranks in (
        (first, (one,)),
        (first, (one, one)),
        (first, (short,)),
        (second, (one, two)),
        (third, (one,)),
        (third, (two,)),
    ):
        record = Record(None, (), None, observed=ranks)
        seen = with_what_was_seen(seen, of, record)
    assert threads_that_worked(seen, specs) == {first.points[0]: 1, second.points[0]: 2}
    assert seen.threads_unseen == 1
