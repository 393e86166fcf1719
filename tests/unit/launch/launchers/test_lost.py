"""Which hosts start nothing, by starts of some of them together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from machmeter.launch.launchers.lost import lost_hosts
from machmeter.launch.process import ProcessResult

HOSTS = tuple(f"n{number}" for number in range(1, 65))


class Cluster:
    """Starts programs where all hosts are well, and counts how often."""

    def __init__(self, lost: Sequence[str], *, hangs: bool = False) -> None:
        self.lost, self.hangs = frozenset(lost), hangs
        self.starts: list[tuple[str, ...]] = []

    def start(self, names: Sequence[str], seconds: float) -> ProcessResult:
        self.starts.append(tuple(names))
        bad = [name for name in names if name in self.lost]
        said = "".join(f"srun: error: launch failed on node {name}\n" for name in bad)
        if bad and self.hangs:
            return ProcessResult(-9, seconds, True, "")
        return ProcessResult(1 if bad else 0, 0.1, False, f"{said}it ended\n")


@pytest.mark.parametrize("lost", [(), ("n1",), ("n3",), ("n64",), ("n1", "n2", "n40", "n41")])
def test_the_lost_hosts_are_found_with_few_starts(lost: tuple[str, ...]) -> None:
    cluster = Cluster(lost)
    found = lost_hosts(HOSTS, cluster.start)
    assert tuple(one.name for one in found) == lost
    assert all(one.said == f"srun: error: launch failed on node {one.name}" for one in found)
    assert len(cluster.starts) <= 2 + 12 * max(1, len(lost))


def test_a_host_that_hangs_is_lost() -> None:
    (found,) = lost_hosts(HOSTS[:4], Cluster(("n3",), hangs=True).start)
    assert found.name == "n3"
    assert found.said


def test_hosts_may_take_as_long_as_others_of_them_lead_to_expect() -> None:
    limits = []

    def start(names: Sequence[str], seconds: float) -> ProcessResult:
        limits.append(seconds)
        return ProcessResult(0 if "n3" not in names else -9, 4.0, "n3" in names, "")

    lost_hosts(HOSTS, start)
    assert limits[0] == 60.0
    assert all(40.0 < limit < 50.0 for limit in limits[1:])


def test_no_host_is_lost_where_no_two_start_together() -> None:
    cluster = Cluster(HOSTS)
    assert not lost_hosts(HOSTS, cluster.start)
    assert len(cluster.starts) <= 16
    assert not lost_hosts(("n1", "n2"), Cluster(("n2",)).start)


def test_what_our_wrapper_says_is_kept_of_a_host() -> None:
    words = "machmeter-bind: cannot bind to the requested CPUs"

    def start(names: Sequence[str], seconds: float) -> ProcessResult:
        bad = "n3" in names
        said = f"{words}\nsrun: error: n3: task 2\n"
        return ProcessResult(-9 * bad, seconds * bad, bad, said * bad)

    (found,) = lost_hosts(HOSTS[:4], start)
    assert found.said == words


def test_a_lost_host_is_found_where_the_first_rank_has_to_be_on_this_machine() -> None:
    cluster = Cluster(("n2", "n40"))

    def start(names: Sequence[str], seconds: float) -> ProcessResult:
        result = cluster.start(names, seconds)
        return result if names[0] == "n1" else ProcessResult(1, 0.1, False, "no such folder\n")

    assert [one.name for one in lost_hosts(HOSTS, start)] == ["n2", "n40"]


def test_of_two_hosts_the_lost_one_is_found_by_a_third() -> None:
    (found,) = lost_hosts(("n1", "n2"), Cluster(("n2",)).start, ("n3", "n4"))
    assert found.name == "n2"
    cluster = Cluster(("n1", "n3"))
    (found,) = lost_hosts(("n1", "n2"), cluster.start, ("n3", "n4"))
    assert found.name == "n1"


def test_many_hosts_that_hang_are_found_in_several_launches() -> None:
    """Not in the hours that all of them would take."""
    cluster = Cluster(HOSTS[2:], hangs=True)
    found = {one.name for one in lost_hosts(HOSTS, cluster.start)}
    assert found
    assert found < {*HOSTS[2:]}
    assert len(cluster.starts) < 40
    left = [name for name in HOSTS if name not in found]
    more = {one.name for one in lost_hosts(left, Cluster(HOSTS[2:], hangs=True).start)}
    assert more
    assert not more & found
