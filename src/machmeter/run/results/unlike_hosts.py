"""In what hosts of a run differ that results depend on. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median_low

from machmeter.analysis.rules.system.node_classes import SAME_MEMORY
from machmeter.layout.words import first_names
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.units import format_bytes

_MOST_GROUPS = 3
_WHOLE_NODES = "ask for whole nodes (Slurm: --exclusive)"


def unlike_hosts_caveats(
    hosts: Sequence[ObservedHost], with_other_cpus: Sequence[str] = ()
) -> list[Caveat]:
    """Which hosts differ from most others, those together that differ in the same; what a host does
    not say is no difference.

    with_other_cpus: hosts on which ranks had other CPUs than on the first.
    """
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, found in _differences(hosts).items():
        groups[tuple(found)].append(name)
    remedy = "make the hosts identical, or leave these out of --hosts"
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))
    caveats = [
        Caveat(CaveatKind.UNLIKE_HOSTS, _text(names, len(hosts) - len(names), found), remedy)
        for found, names in largest[:_MOST_GROUPS]
    ]
    rest = sum(len(names) for _, names in largest[_MOST_GROUPS:])
    more = f"{rest} more hosts differ from most others, each in its own way"
    if rest == 1:
        more = "1 more host differs from most others"
    if with_other_cpus:
        verb = "has" if len(with_other_cpus) == 1 else "have"
        text = (
            f"{first_names(with_other_cpus)} {verb} other CPUs for programs than the first host: "
            "ranks there are on these, and may share caches and memory in another way"
        )
        caveats.append(Caveat(CaveatKind.UNLIKE_HOSTS, text, _WHOLE_NODES))
    return [*caveats, *([Caveat(CaveatKind.UNLIKE_HOSTS, more, remedy)] if rest else [])]


def _differences(hosts: Sequence[ObservedHost]) -> dict[str, list[str]]:
    """What is said of each host that differs."""
    found: dict[str, list[str]] = defaultdict(list)
    kinds = {host.name: host.kind for host in hosts}
    for fact in dict.fromkeys(fact for kind in kinds.values() for fact in kind):
        values = {name: kind[fact] for name, kind in kinds.items() if fact in kind}
        usual = Counter(values.values()).most_common(1)
        for name, value in values.items():
            if value != usual[0][0]:
                found[name].append(f"{fact} {value} (others {usual[0][0]})")
    sizes = {host.name: host.memory_bytes for host in hosts if host.memory_bytes}
    middle = median_low(sizes.values()) if sizes else 0
    for name, size in sizes.items():
        if abs(size - middle) > SAME_MEMORY * middle:
            found[name].append(f"memory {format_bytes(size)} (others {format_bytes(middle)})")
    return found


def _text(names: Sequence[str], others: int, found: Sequence[str]) -> str:
    verb = "differs" if len(names) == 1 else "differ"
    of = "host" if others == 1 else f"{others} hosts"
    return f"{first_names(names)} {verb} from the other {of}: {', '.join(found)}"
