"""What only launches of several ranks must bear out: their MPI, their nodes, their progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from machmeter.layout.words import LISTED, cpu_words, first_names
from machmeter.model.layout import Layout, ThreadPlace
from machmeter.model.plan.launch import Header, Launch
from machmeter.model.plan.observed_host import names_of_one_machine
from machmeter.model.variant import Variant

# How the libraries of the names that `--mpi` takes call themselves; prefixes may hold any.
_OWN_NAMES: Mapping[str, str] = MappingProxyType({"mpich": "MPICH", "openmpi": "Open MPI"})


def rank_reasons(launch: Launch, header: Header) -> list[str]:
    """Where MPI library or progress threads are not those requested. Each reason prints both."""
    return [*_library(launch.spec.variant, header), *_progress(launch, header.progress)]


def block_reasons(layout: Layout, hosts: Mapping[str, Sequence[int]], when: str) -> list[str]:
    """Ranks are placed in blocks, rank r on node r // ranks_per_node; hosts: the ranks of each."""
    reasons = []
    for host, ranks in sorted(hosts.items()):
        nodes = sorted({rank // layout.ranks_per_node for rank in ranks})
        if len(nodes) > 1:
            first = nodes[0] * layout.ranks_per_node
            expected = f"requested {layout.ranks_per_node} ranks from rank {first} on"
            listed = ", ".join(map(str, sorted(ranks)[:LISTED]))
            more = len(ranks) - LISTED
            seen = listed + (f" and {more} more" if more > 0 else "")
            reasons.append(f"ranks on host {host}{when}: {expected}, observed ranks {seen}")
    return reasons


def one_machine_reasons(launch: Launch, header: Header) -> list[str]:
    """Where nodes are names of one kernel, unless that was requested."""
    if launch.spec.layout.nodes < 2 or launch.spec.one_machine:
        return []
    reasons = []
    for (boot, started), names in names_of_one_machine(header.hosts).items():
        reasons.append(
            f"hosts {first_names(names)} are one machine, by one kernel: boot {boot}, "
            f"started {started:.0f} s after 1970; add --one-machine to measure all the same"
        )
    return reasons


def _library(variant: Variant, header: Header) -> list[str]:
    observed = header.mpi_library
    own_name = _OWN_NAMES.get(variant.mpi, "")
    # Programs of OpenSHMEM and of the node alone report no MPI.
    if not own_name or not observed or own_name.lower() in observed.lower():
        return []
    return [f"MPI library: requested {variant.mpi}, observed {observed.splitlines()[0]}"]


def _progress(launch: Launch, places: Sequence[ThreadPlace]) -> list[str]:
    """Every rank has its progress thread on the CPUs requested, and none where none was."""
    layout, elsewhere = launch.spec.layout, launch.assignments_elsewhere
    expected = launch.assignment.progress
    seen = Counter(place.rank for place in places)
    wanted = range(layout.ranks) if expected else range(0)
    if seen != Counter(wanted):
        wrong = next(rank for rank in sorted({*seen, *wanted}) if seen[rank] != (rank in wanted))
        return [
            f"progress threads: requested {len(wanted)} of {layout.ranks} ranks, observed "
            f"{len(places)}; rank {wrong} has {seen[wrong]}"
        ]
    reasons = []
    for place in sorted(places, key=lambda place: place.rank):
        node, number = divmod(place.rank, layout.ranks_per_node)
        cpus = elsewhere.get(node, launch.assignment).progress[number]
        who = f"progress thread of rank {place.rank} on {place.host}"
        if sorted(place.cpus) != sorted(cpus):
            reasons.append(
                f"{who}: requested CPUs {cpu_words(cpus)}, allowed CPUs {cpu_words(place.cpus)}"
            )
        elif place.cpu not in cpus:
            reasons.append(f"{who}: requested CPUs {cpu_words(cpus)}, observed on CPU {place.cpu}")
    return reasons
