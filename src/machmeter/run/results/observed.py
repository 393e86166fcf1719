"""What accepted launches say of the system they ran on: hosts of ranks, transports, CPU time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from machmeter.benchmarks.network.system import CONSISTENCY
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.layout.verification.verify import not_observed
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.launch import Closing, Header, LaunchSpec, Record
from machmeter.model.plan.observation import ObservedRank
from machmeter.model.plan.observed_host import ObservedHost, names_of_one_machine
from machmeter.model.point import Point
from machmeter.run.results.resource_use import LaunchUse, launch_use


class SystemTime(Struct, frozen=True):
    """How much one launch of an MPI library used the system."""

    mpi_library: str
    """The library, as it names itself."""
    spec: LaunchSpec
    """What was launched."""
    share: float | None
    """Of the CPU time of all ranks while points were sampled; None where it was too short."""
    yields: float | None = None
    """Calls of `sched_yield` for each small message; None where not counted."""


class Observed(Struct, frozen=True):
    """What records say of hosts, transports and CPU time."""

    rank_hosts: tuple[str, ...] = ()
    """Host of each rank."""
    transports: dict[str, dict[str, str]] = field(default_factory=dict)
    """What libraries report of their transports, by library."""
    of_consistency: bool = False
    """Whether the hosts are those of a launch that judged the system."""
    one_machine: tuple[str, ...] = ()
    """The most names of one kernel in any launch; empty where each was a machine of its own."""
    hosts: tuple[ObservedHost, ...] = ()
    """Hosts of launches over several nodes, by name, each as of its last launch."""
    with_other_cpus: tuple[str, ...] = ()
    """Hosts on which launches had other CPUs than on the first, by name."""
    system_times: tuple[SystemTime, ...] = ()
    """Of launches of MPI with a CPU for each thread."""
    uses: tuple[tuple[str, LaunchUse], ...] = ()
    """What programs that are not ours used, by the name of the spec."""
    without: tuple[str, ...] = ()
    """Of each launch of a program that is not ours of which no rank was observed, its spec."""
    threads_unseen: int = 0
    """Launches of such programs with ranks whose threads were not observed."""
    worked: tuple[tuple[str, int], ...] = ()
    """Of each launch of such a program of which threads were observed, the spec and how many worked
    at once in a rank: the most of all ranks."""


def observed_with(
    known: Observed,
    spec: LaunchSpec,
    header: Header,
    closing: Closing | None = None,
    ranks: Sequence[ObservedRank] = (),
    elsewhere: Collection[int] = (),
) -> Observed:
    """What is known when one more accepted launch is counted; ranks: of a program that is not ours;
    elsewhere: numbers of the nodes on which it had other CPUs than on the first.

    Hosts are those of the launches of `network.consistency`, before there are any those of the
    launch with the most ranks. What a library said differently of two launches stands side by side.
    """
    transports = dict(known.transports)
    if header.transport:
        library = spec.variant.mpi or header.mpi_library or spec.program
        transports[library] = _joined(transports.get(library, {}), header.transport)
    times = (*known.system_times, *_system_times(spec, header, closing))
    use = launch_use(spec.layout, ranks)
    uses = (*known.uses, *([(spec.name, use)] if use else []))
    judged = spec.benchmark == CONSISTENCY.name
    hosts = _hosts(header)
    # A damaged file may name nodes that there are not.
    firsts = hosts[:: spec.layout.ranks_per_node]
    others = (firsts[node] for node in elsewhere if 0 <= node < len(firsts))
    found = replace(
        known,
        with_other_cpus=tuple(dict.fromkeys((*known.with_other_cpus, *others))),
        transports=transports,
        system_times=times,
        uses=uses,
        hosts=_with_hosts(known.hosts, header) if spec.layout.nodes > 1 else known.hosts,
        one_machine=max((known.one_machine, *names_of_one_machine(header.hosts).values()), key=len),
    )
    more = (judged, len(hosts)) > (known.of_consistency, len(known.rank_hosts))
    if len(hosts) < 2 or not more:
        return found
    return replace(found, rank_hosts=hosts, of_consistency=judged)


def with_what_was_seen(known: Observed, spec: LaunchSpec, record: Record) -> Observed:
    """What is known when one more accepted launch of a program that is not ours is counted."""
    if not_observed(record):
        return replace(known, without=(*known.without, spec.name))
    if not (record.observed and all(rank.saw_threads for rank in record.observed)):
        return replace(known, threads_unseen=known.threads_unseen + 1)
    most = max(min(one.tree.at_once, len(one.working)) for one in record.observed)
    return replace(known, worked=(*known.worked, (spec.name, most))) if most else known


def threads_that_worked(known: Observed, specs: Sequence[LaunchSpec]) -> dict[Point, int]:
    """How many threads of a rank worked at once, by point, where all launches of it agree."""
    seen: dict[str, set[int]] = {}
    for name, count in known.worked:
        seen.setdefault(name, set()).add(count)
    agreed = {name: min(counts) for name, counts in seen.items() if len(counts) == 1}
    return {p: agreed[spec.name] for spec in specs if spec.name in agreed for p in spec.points}


def _system_times(
    spec: LaunchSpec, header: Header, closing: Closing | None
) -> tuple[SystemTime, ...]:
    """Of one launch; none of ranks that share CPUs, with one another or with a progress thread,
    which have to yield them."""
    shared = spec.layout.oversubscribe or spec.layout.progress is not ProgressMode.LIBRARY
    if closing is None or spec.program != MPI_PROGRAM.name or shared:
        return ()
    share = closing.system_share
    # Between nodes they say how long the network took.
    yields = closing.yields_per_message if spec.layout.nodes == 1 else None
    if share is None and yields is None:
        return ()
    return (SystemTime(header.mpi_library, spec, share, yields),)


def _with_hosts(known: Sequence[ObservedHost], header: Header) -> tuple[ObservedHost, ...]:
    return tuple({one.name: one for one in (*known, *header.hosts)}.values())


def _hosts(header: Header) -> tuple[str, ...]:
    by_rank = {place.rank: place.host for place in header.places}
    if not by_rank:
        return ()
    return tuple(by_rank.get(rank, "") for rank in range(header.world_size))


def _joined(known: dict[str, str], said: dict[str, str]) -> dict[str, str]:
    joined = dict(known)
    for name, value in said.items():
        values = joined[name].split("; ") if name in joined else []
        joined[name] = "; ".join(dict.fromkeys((*values, value)))
    return joined
