"""Whether a launch ran as it was requested to, by what its record observed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from machmeter.layout.libraries import library_reasons
from machmeter.layout.verification.observed import observed_problems
from machmeter.layout.verification.ranks import block_reasons, one_machine_reasons, rank_reasons
from machmeter.layout.words import LISTED, cpu_words
from machmeter.model.device import Device
from machmeter.model.layout import Assignment, Layout, ThreadPlace
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import OBSERVED_FORMAT, Header, Launch, PointRecord, Record
from machmeter.model.units import format_bytes

_MOST_REASONS = 256
# What no two devices have in common, or all that is known of some.
_OF_A_DEVICE = ("api", "platform", "name", "vendor", "uuid", "bus")


def verify(launch: Launch, record: Record, usable: Sequence[int] = ()) -> tuple[str, ...]:
    """Why this record may not be used for that launch; empty when it ran as requested.

    Compares what was observed with what was requested: the launch itself, world size, hosts, every
    thread of every rank once, and for bound threads the CPUs they were allowed and the CPU they
    were on, at the start and (where the record has it) at the end; ranks of several nodes in
    blocks, on machines of their own; progress threads; OpenMP runtime, allocator, MPI and device
    where the layout names them. Each reason prints both.

    Threads that are not bound must be allowed all of the `usable` CPUs of the node; where those are
    not known, the same ones as all others of their host, and as many as threads run there. On nodes
    where others may be used, CPUs are those that the launch has there. Where
    nothing is set, whatever CPUs the launcher gives are as requested.
    """
    header = record.header
    if header is None:
        return ("the record has no header line, so nothing of it can be verified",)
    layout = launch.spec.layout
    assignments = (launch.assignment, *(one.assignment for one in launch.elsewhere or ()))
    comparable = len({len(one.progress) for one in assignments}) == 1
    if not comparable or not all(_fits(one, layout) for one in assignments):
        return ("the CPUs of the launch are assigned to other ranks or threads than it has",)
    reasons = _identity(launch, header)
    if (header.origin is Origin.SIMULATED) is not launch.spec.simulated:
        requested = Origin.SIMULATED if launch.spec.simulated else Origin.MEASURED
        reasons.append(f"origin: requested {requested.value}, recorded {header.origin.value}")
    if header.world_size != layout.ranks:
        reasons.append(
            f"world size: requested {layout.ranks}, observed {header.world_size} "
            "(was the program started by another MPI library than the one it is linked with?)"
        )
    if launch.spec.simulated:
        # A model puts its ranks where they are requested.
        return tuple(reasons)
    reasons += one_machine_reasons(launch, header)
    if not launch.spec.is_ours:
        # Of a program that is not ours nothing else is known.
        problems = () if not_observed(record) else observed_problems(launch, record.observed)
        whole = len(record.observed) == layout.ranks
        hosts = _hosts(layout, _ranks_by_host(header.places), "") if whole else []
        return (*reasons, *hosts, *(one.reason for one in problems))
    reasons += library_reasons(layout, header.libraries)
    reasons += rank_reasons(launch, header)
    reasons += _device(launch, header.device)
    misplaced = _places(launch, header.places, "", usable)
    reasons += misplaced
    # Of very many ranks both take as long; what is the same at the end is as right as at the start.
    same = record.closing is not None and record.closing.places is header.places
    if record.closing is not None and record.closing.places and (misplaced or not same):
        reasons += _places(launch, record.closing.places, " at the end", usable)
        reasons += _moved(header.places, record.closing.places)
    return tuple(reasons)


def not_observed(record: Record) -> bool:
    """Whether the record of a program that is not ours says nothing of its ranks, and is of a time
    when it did not have to."""
    header = record.header
    return header is not None and header.format < OBSERVED_FORMAT and not record.observed


def page_problems(launch: Launch, record: Record) -> dict[str, str]:
    """Points of this record that may not be used, by point key, each with the reason.

    A point is dropped when its data had pages of another size than requested (0 = no data: fine),
    when it is missing or recorded more than once, or when it was not requested.
    """
    recorded: dict[str, list[PointRecord]] = {}
    for point_record in record.points:
        key = launch.spec.point(point_record.parameters).key
        recorded.setdefault(key, []).append(point_record)
    expected = {p.key for p in launch.spec.points}
    problems = {}
    for key in sorted(expected | set(recorded)):
        reason = _point_problem(launch.spec.layout, key in expected, recorded.get(key, []))
        if reason:
            problems[key] = reason
    return problems


def _point_problem(layout: Layout, expected: bool, found: list[PointRecord]) -> str:
    if not expected:
        return "point: not requested of this launch, yet recorded"
    if len(found) != 1:
        return f"point: requested once, recorded {len(found)} times"
    obtained = found[0].page_bytes
    if obtained not in (0, layout.page_bytes):
        return (
            f"page size: requested {format_bytes(layout.page_bytes)}, "
            f"obtained {format_bytes(obtained)} (`machmeter doctor` says how to get it)"
        )
    return ""


def _fits(assignment: Assignment, layout: Layout) -> bool:
    """Whether every thread and every progress thread is assigned its CPUs, or none is bound."""
    bound = not layout.binding.is_bound or (
        len(assignment.cpus) == layout.ranks_per_node
        and all(len(rank) == layout.cpus_per_rank for rank in assignment.cpus)
    )
    return bound and len(assignment.progress) in (0, layout.ranks_per_node)


def _identity(launch: Launch, header: Header) -> list[str]:
    observed = (header.benchmark, header.launch, header.seed)
    expected = (launch.spec.benchmark, launch.number, launch.seed)
    if observed == expected:
        return []
    return [
        f"record of another launch: requested {_launch_words(*expected)}, "
        f"observed {_launch_words(*observed)}"
    ]


def _launch_words(benchmark: str, number: int, seed: int) -> str:
    return f"{benchmark}, launch {number}, seed {seed}"


def _device(launch: Launch, observed: Device | None) -> list[str]:
    """In what the device observed is not the one that the layout names, or not as it says.

    The compute units of a device that is the CPUs are the threads of the layout; of another one
    they are those of a part of it, where it is divided.
    """
    name = launch.spec.layout.device
    if observed is not None and observed.observed_units not in (None, observed.units):
        return [
            f"units of device {name or observed.name}: it says {_known(observed.units)}, kernels "
            f"ran on {observed.observed_units} (is it divided, or limited by MPS?)"
        ]
    if not name:
        return []
    if not launch.device or launch.device.name != name:
        return [f"device: requested {name}, of which the launch does not say what it is"]
    requested = launch.device.device
    if observed is None:
        return [f"device: requested {name} ({requested.name}), observed none"]
    compared = _OF_A_DEVICE if requested.kind == "cpu" else (*_OF_A_DEVICE, "units")
    pairs = ((one, getattr(requested, one), getattr(observed, one)) for one in compared)
    return [
        f"{one} of device {name}: requested {_known(wanted)}, observed {_known(seen)}"
        for one, wanted, seen in pairs
        if wanted != seen
    ]


def _known(value: str | int | None) -> str:
    return "unknown" if value is None else str(value)


def _places(
    launch: Launch, places: Sequence[ThreadPlace], when: str, usable: Sequence[int]
) -> list[str]:
    layout = launch.spec.layout
    hosts = _ranks_by_host(places)
    reasons = _threads(layout, places, when) + _hosts(layout, hosts, when)
    if reasons:
        return reasons
    if not layout.is_placed:
        return []
    if not layout.binding.is_bound:
        return _unbound(launch, places, when, usable)
    return _cpus(launch, places, hosts, when)


def _unbound(
    launch: Launch, places: Sequence[ThreadPlace], when: str, usable: Sequence[int]
) -> list[str]:
    """No thread was bound after all: by its runtime, by a launcher, by a wrapper around it."""
    layout, elsewhere = launch.spec.layout, launch.by_node
    every: dict[str, set[int]] = {}
    for place in places:
        other = elsewhere.get(place.rank // layout.ranks_per_node)
        of_host = every.setdefault(place.host, set(other.usable if other else usable))
        of_host.update(() if usable else place.cpus)
    least = 1 if layout.oversubscribe else layout.ranks_per_node * layout.cpus_per_rank
    reasons = [
        f"not bound, on {host}{when}: requested at least {least} CPUs, one for each thread, "
        f"allowed CPUs {cpu_words(sorted(cpus))}"
        for host, cpus in sorted(every.items())
        if len(cpus) < least
    ]
    return reasons + _first_of(
        [
            f"rank {place.rank} thread {place.thread} on {place.host}{when}: requested not to be "
            f"bound, that is CPUs {cpu_words(sorted(every[place.host]))}, "
            f"allowed CPUs {cpu_words(place.cpus)}"
            for place in sorted(places, key=lambda place: (place.rank, place.thread))
            if set(place.cpus) != every[place.host]
        ]
    )


def _threads(layout: Layout, places: Sequence[ThreadPlace], when: str) -> list[str]:
    """Every thread of every rank was observed, once."""
    every = layout.ranks * layout.cpus_per_rank
    of_rank = layout.cpus_per_rank
    if len(places) == every and all(
        (place.rank, place.thread) == divmod(number, of_rank) for number, place in enumerate(places)
    ):
        return []
    seen = Counter((place.rank, place.thread) for place in places)
    unexpected = sorted(
        (rank, thread)
        for rank, thread in seen
        if not (0 <= rank < layout.ranks and 0 <= thread < layout.cpus_per_rank)
    )
    # Of a layout in a damaged file there may be any number: one after another.
    missing = islice(
        (
            (rank, thread)
            for rank in range(layout.ranks)
            for thread in range(layout.cpus_per_rank)
            if (rank, thread) not in seen
        ),
        LISTED,
    )
    double = sorted(key for key, count in seen.items() if count > 1)
    words = _team_words(layout)
    reasons = []
    if len(places) != every:
        reasons.append(f"threads{when}: requested {words} = {every}, observed {len(places)}")
    for what, who, count in (
        ("never observed", list(missing), every - len(seen) + len(unexpected)),
        ("observed though not requested", unexpected, len(unexpected)),
        ("observed more than once", double, len(double)),
    ):
        if who:
            reasons.append(f"threads{when}: requested {words}, {what}: {_listed(who, count)}")
    return reasons


def _team_words(layout: Layout) -> str:
    sizes = f"{layout.ranks} x {layout.threads_per_rank}"
    if layout.inner_threads == 1:
        return f"{sizes} (ranks x threads)"
    return f"{sizes} x {layout.inner_threads} (ranks x outer x inner threads)"


def _listed(threads: list[tuple[int, int]], count: int) -> str:
    words = [f"rank {rank} thread {thread}" for rank, thread in threads[:LISTED]]
    more = count - LISTED
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def _hosts(layout: Layout, hosts: Mapping[str, Sequence[int]], when: str) -> list[str]:
    """The requested number of hosts, each with its share of the ranks; hosts: the ranks of each."""
    if len(hosts) != layout.nodes:
        names = ", ".join(sorted(hosts)[:LISTED]) or "none"
        return [f"hosts{when}: requested {layout.nodes}, observed {len(hosts)} ({names})"]
    uneven = [
        f"ranks on host {host}{when}: requested {layout.ranks_per_node}, observed {len(ranks)}"
        for host, ranks in sorted(hosts.items())
        if len(ranks) != layout.ranks_per_node
    ]
    return uneven or block_reasons(layout, hosts, when)


def _ranks_by_host(places: Sequence[ThreadPlace]) -> dict[str, list[int]]:
    hosts: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        hosts[place.host].add(place.rank)
    return {host: sorted(ranks) for host, ranks in hosts.items()}


def _cpus(
    launch: Launch,
    places: Sequence[ThreadPlace],
    hosts: Mapping[str, Sequence[int]],
    when: str,
) -> list[str]:
    """Bound threads were allowed exactly the requested CPUs and ran on one of them.

    The requested CPUs are those of the rank's position among the ranks of its host. Threads of
    inner teams count as `Assignment` numbers them.
    """
    elsewhere, of_node = launch.assignments_elsewhere, launch.spec.layout.ranks_per_node
    requested: dict[tuple[str, int], tuple[tuple[int, ...], ...]] = {}
    for host, ranks in hosts.items():
        assignment = elsewhere.get(ranks[0] // of_node, launch.assignment)
        requested |= {(host, rank): assignment.cpus[n] for n, rank in enumerate(ranks)}
    wrong = []
    for place in places:
        expected = requested[place.host, place.rank][place.thread]
        if place.cpus != expected or place.cpu not in expected:
            wrong.append((place, expected))
    reasons = []
    for place, expected in sorted(wrong, key=lambda one: (one[0].rank, one[0].thread)):
        who = f"rank {place.rank} thread {place.thread} on {place.host}{when}"
        if sorted(place.cpus) != sorted(expected):
            reasons.append(
                f"{who}: requested CPUs {cpu_words(expected)}, allowed CPUs {cpu_words(place.cpus)}"
            )
        elif place.cpu not in expected:
            reasons.append(
                f"{who}: requested CPUs {cpu_words(expected)}, observed on CPU {place.cpu}"
            )
    return _first_of(reasons)


def _first_of(reasons: list[str]) -> list[str]:
    """Of very many threads the first ones: every outcome is kept, and read again."""
    more = len(reasons) - _MOST_REASONS
    return [*reasons[:_MOST_REASONS], f"and {more:,} more threads"] if more > 0 else reasons


def _moved(start: Sequence[ThreadPlace], end: Sequence[ThreadPlace]) -> list[str]:
    hosts = {(place.rank, place.thread): place.host for place in start}
    reasons = [
        f"rank {place.rank} thread {place.thread}: on host {hosts[place.rank, place.thread]} at "
        f"the start, on {place.host} at the end"
        for place in end
        if hosts.get((place.rank, place.thread), place.host) != place.host
    ]
    return _first_of(reasons)
