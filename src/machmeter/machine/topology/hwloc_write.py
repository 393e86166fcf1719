"""Topologies in hwloc's XML format, version 2: writing what `lstopo --input` and other tools of
hwloc 2 and later read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from machmeter.machine.topology.hwloc_bitmap import format_bitmap
from machmeter.model.machine import Cache, NumaDomain, Topology

_CACHE_LETTERS = {"unified": "", "data": "", "instruction": "i"}
_CACHE_TYPES = {"unified": "0", "data": "1", "instruction": "2"}
_VALUES_PER_LINE = 10


class _Node(Struct):
    """One hwloc object to write: its type, its CPUs, its children."""

    type: str
    cpus: frozenset[int]
    attributes: dict[str, str]
    children: list[_Node]
    domains: list[NumaDomain]


def hwloc_xml(topology: Topology) -> str:
    """The topology as hwloc XML, version 2.0.

    Offline CPUs stand in the complete set only. A cache or group whose CPUs cross those of another
    object is left out, for hwloc's objects form a tree.
    """
    machine = _tree(topology)
    online = frozenset(cpu.number for cpu in topology.cpus if cpu.online)
    identifiers = count(1)
    nodes = format_bitmap(domain.number for domain in topology.domains if domain.allowed)
    machine.attributes |= {
        "complete_cpuset": format_bitmap(cpu.number for cpu in topology.cpus),
        "allowed_cpuset": format_bitmap(cpu.number for cpu in topology.usable),
        "allowed_nodeset": nodes,
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
        '<topology version="2.0">',
        *_object_lines(machine, topology.domains, online, identifiers, 1),
        *_distance_lines(topology.domains),
        *_kind_lines(topology),
        "</topology>",
    ]
    return "\n".join(lines) + "\n"


def _tree(topology: Topology) -> _Node:
    """All objects nested by inclusion of their CPUs, the larger outside."""
    online = frozenset(cpu.number for cpu in topology.cpus if cpu.online)
    machine = _Node("Machine", online, {"os_index": "0"}, [], [])
    for node in sorted(_nodes(topology), key=lambda node: -len(node.cpus)):
        _insert(machine, node)
    for domain in topology.domains:
        _attach(machine, domain)
    return machine


def _nodes(topology: Topology) -> Iterator[_Node]:
    """Objects with CPUs; of those with equal CPUs the outermost type comes first."""
    packages: dict[int, set[int]] = defaultdict(set)
    cores: dict[int, set[int]] = defaultdict(set)
    for cpu in topology.cpus:
        if cpu.online:
            packages[cpu.package].add(cpu.number)
            cores[cpu.core].add(cpu.number)
    known = {frozenset(cpus) for cpus in packages.values()}
    for number, cpus in packages.items():
        yield _Node("Package", frozenset(cpus), {"os_index": str(number)}, [], [])
    for group in sorted({domain.cpus for domain in topology.domains if domain.cpus}):
        if frozenset(group) not in known:
            yield _Node("Group", frozenset(group), {"kind": "0", "subkind": "0"}, [], [])
    for cache in sorted(topology.caches, key=lambda cache: (-cache.level, cache.kind)):
        yield _cache_node(cache)
    for number, cpus in cores.items():
        yield _Node("Core", frozenset(cpus), {"os_index": str(number)}, [], [])
    for cpu in topology.cpus:
        if cpu.online:
            yield _Node("PU", frozenset({cpu.number}), {"os_index": str(cpu.number)}, [], [])


def _cache_node(cache: Cache) -> _Node:
    attributes = {
        "cache_size": str(cache.size_bytes),
        "depth": str(cache.level),
        "cache_linesize": str(cache.line_bytes),
        "cache_associativity": "0",
        "cache_type": _CACHE_TYPES[cache.kind],
    }
    name = f"L{cache.level}{_CACHE_LETTERS[cache.kind]}Cache"
    return _Node(name, frozenset(cache.cpus), attributes, [], [])


def _insert(parent: _Node, node: _Node) -> None:
    """Put `node` below the deepest object that holds its CPUs, unless it crosses another one."""
    while True:
        inside = [child for child in parent.children if child.cpus & node.cpus]
        if not inside:
            parent.children.append(node)
            return
        if len(inside) > 1 or not node.cpus <= inside[0].cpus:
            return
        parent = inside[0]


def _attach(machine: _Node, domain: NumaDomain) -> None:
    """Hang memory below the outermost object with its CPUs; without CPUs, below the machine."""
    cpus, parent = frozenset(domain.cpus), machine
    while cpus and parent.cpus != cpus:
        containing = [child for child in parent.children if cpus <= child.cpus]
        if not containing:
            break
        parent = containing[0]
    parent.domains.append(domain)


def _object_lines(
    node: _Node,
    domains: tuple[NumaDomain, ...],
    online: frozenset[int],
    identifiers: Iterator[int],
    depth: int,
) -> Iterator[str]:
    sets = _sets(node.cpus, _nearby(node.cpus, domains, online)) | node.attributes
    opening = _opening(node.type, sets, identifiers, depth)
    if not node.children and not node.domains:
        yield opening + "/>"
        return
    yield opening + ">"
    for domain in node.domains:
        facts = _sets(domain.cpus, [domain.number]) | {
            "os_index": str(domain.number),
            "local_memory": str(domain.memory_bytes),
        }
        yield _opening("NUMANode", facts, identifiers, depth + 1) + "/>"
    for child in sorted(node.children, key=lambda child: min(child.cpus)):
        yield from _object_lines(child, domains, online, identifiers, depth + 1)
    yield "  " * depth + "</object>"


def _nearby(
    cpus: frozenset[int], domains: tuple[NumaDomain, ...], online: frozenset[int]
) -> Iterable[int]:
    """The domains of these CPUs; the whole machine also has those without CPUs."""
    return [
        domain.number
        for domain in domains
        if cpus & set(domain.cpus) or (cpus == online and not domain.cpus)
    ]


def _sets(cpus: Iterable[int], nodes: Iterable[int]) -> dict[str, str]:
    cpuset, nodeset = format_bitmap(cpus), format_bitmap(nodes)
    return {
        "cpuset": cpuset,
        "complete_cpuset": cpuset,
        "nodeset": nodeset,
        "complete_nodeset": nodeset,
    }


def _opening(kind: str, attributes: dict[str, str], identifiers: Iterator[int], depth: int) -> str:
    facts = {"type": kind} | attributes | {"gp_index": str(next(identifiers))}
    words = " ".join(f"{name}={quoteattr(value)}" for name, value in facts.items())
    return "  " * depth + f"<object {words}"


def _distance_lines(domains: tuple[NumaDomain, ...]) -> Iterator[str]:
    """The distances between NUMA domains, as `numactl --hardware` shows them."""
    if len(domains) < 2 or any(len(domain.distances) != len(domains) for domain in domains):
        return
    yield (
        f'  <distances2 type="NUMANode" nbobjs="{len(domains)}" kind="5" name="NUMALatency" '
        'indexing="os">'
    )
    yield from _number_lines("indexes", [domain.number for domain in domains])
    yield from _number_lines("u64values", [d for domain in domains for d in domain.distances])
    yield "  </distances2>"


def _number_lines(name: str, numbers: list[int]) -> Iterator[str]:
    for start in range(0, len(numbers), _VALUES_PER_LINE):
        text = "".join(f"{number} " for number in numbers[start : start + _VALUES_PER_LINE])
        yield f'    <{name} length="{len(text)}">{text}</{name}>'


def _kind_lines(topology: Topology) -> Iterator[str]:
    """Unequal cores; hwloc counts efficiency upwards, machmeter's kinds downwards from the best."""
    kinds = sorted({cpu.kind for cpu in topology.cpus if cpu.online}, reverse=True)
    if len(kinds) < 2:
        return
    for efficiency, kind in enumerate(kinds):
        cpus = (cpu.number for cpu in topology.cpus if cpu.online and cpu.kind == kind)
        yield (f'  <cpukind cpuset="{format_bitmap(cpus)}" forced_efficiency="{efficiency}"/>')
