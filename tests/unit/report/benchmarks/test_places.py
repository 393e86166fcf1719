from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.model.machine import Cpu, NumaDomain, Topology
from machmeter.model.point import make_point
from machmeter.report.benchmarks.places import by_ancestor, pair_of, spread_of
from machmeter.report.benchmarks.selection import of_metric
from tests.support.synthetic.machine import make_machine, make_packages
from tests.support.synthetic.maker import Maker, unresolved
from tests.support.synthetic.places import matrix, pages, pairs

TOPOLOGY = make_packages().topology
PAIRS = pairs(Maker(1), TOPOLOGY)


def test_pairs_stand_by_what_they_share_the_closest_first() -> None:
    names = [kin.name for kin in by_ancestor(TOPOLOGY, PAIRS)]
    assert names == ["same L3", "same package, distance 12", "same machine, distance 32"]
    own = by_ancestor(TOPOLOGY, pages(Maker(1), TOPOLOGY))[0]
    assert own.name == "same CPU"
    assert all(len(set(pair_of(e) or ())) == 1 for e in own.estimates)


def test_every_resolved_pair_belongs_to_one_ancestor() -> None:
    some = [unresolved(PAIRS[0]), *PAIRS[1:]]
    kin = by_ancestor(TOPOLOGY, some)
    assert sum(len(one.estimates) for one in kin) == len(PAIRS) - 1
    assert sum(one.spread.pairs for one in kin) == len(PAIRS) - 1


def test_typical_pair_has_the_median_value() -> None:
    for kin in by_ancestor(TOPOLOGY, PAIRS):
        below = sum(e.value < kin.typical.value for e in kin.estimates)
        above = sum(e.value > kin.typical.value for e in kin.estimates)
        assert abs(below - above) <= 1


def test_domains_share_what_their_cpus_share() -> None:
    latencies = of_metric(matrix(Maker(1), TOPOLOGY), "latency")
    kin = by_ancestor(TOPOLOGY, latencies)
    assert [one.name for one in kin] == [
        "own domain",
        "same package, distance 12",
        "same machine, distance 32",
    ]


def test_packages_of_one_domain_come_after_a_package() -> None:
    cpus = tuple(Cpu(n, n, n // 4, 0) for n in range(16))
    domain = NumaDomain(0, tuple(range(16)), 2**36, (10,))
    topology = Topology(cpus, (), (domain,))
    layout = PAIRS[0].point.layout
    found = [
        replace(PAIRS[0], point=make_point("threads.pairs", {"pair": pair}, layout))
        for pair in ("0-4", "0-2", "0-0")
    ]
    names = [kin.name for kin in by_ancestor(topology, found)]
    assert names == ["same CPU", "same package", "same NUMA domain"]


def test_memory_without_cpus_comes_last() -> None:
    domains = (*TOPOLOGY.domains, NumaDomain(4, (), 2**30, (17, 17, 28, 28, 10)))
    told = tuple(
        replace(d, distances=(*d.distances, distance)) if len(d.distances) == 4 else d
        for d, distance in zip(domains, (17, 17, 28, 28, 10), strict=True)
    )
    one = of_metric(matrix(Maker(1), TOPOLOGY), "latency")[0]
    far = replace(one, point=make_point("memory.matrix", {"pair": "0-4"}, one.point.layout))
    kin = by_ancestor(replace(TOPOLOGY, domains=told), [far, one])
    assert [k.name for k in kin] == ["own domain", "memory without CPUs, distance 17"]


def test_what_is_no_pair_of_this_machine_is_left_out() -> None:
    two = make_machine().topology
    layout = PAIRS[0].point.layout
    for benchmark in ("threads.pairs", "memory.matrix"):
        strange = [
            replace(PAIRS[0], point=make_point(benchmark, {"pair": text}, layout))
            for text in ("0-99", "a-b", "0", "0-1-2", "-1-0", "0-" + "9" * 300)
        ]
        assert by_ancestor(two, strange) == ()


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=50))
def test_quantiles_are_ordered_and_within_the_values(values: list[float]) -> None:
    spread = spread_of(values)
    assert spread.pairs == len(values)
    assert spread.low == min(values)
    assert spread.high == max(values)
    inner = (spread.low, spread.first_quarter, spread.median, spread.third_quarter, spread.high)
    assert all(a <= b * (1 + 1e-12) for a, b in pairwise(inner))


def test_quantiles_are_interpolated() -> None:
    spread = spread_of([5.0, 1.0, 3.0, 2.0, 4.0])
    assert (spread.first_quarter, spread.median, spread.third_quarter) == (2.0, 3.0, 4.0)
    assert spread_of([1.0, 2.0]).first_quarter == 1.25
