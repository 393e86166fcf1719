"""Topologies in hwloc's XML format, versions 2 and 3 (hwloc documentation, "Importing and
exporting topologies from/to XML files"): reading. The files are not trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from msgspec import Struct

from machmeter.machine.system_files import MOST_CPUS
from machmeter.machine.topology.hwloc_bitmap import parse_bitmap
from machmeter.machine.topology.hwloc_kinds import CpuKind, kinds_of_cpus
from machmeter.model.errors import UsageError
from machmeter.model.machine import Cache, Cpu, NumaDomain, Topology
from machmeter.store.files import read_regular

MOST_BYTES = 16 * 2**20
_MOST_DEPTH = 64
_REMEDY = "write it on that machine with `lstopo FILE.xml` of hwloc 2 or later"
_MOST_DISTANCES = 2**20
_CACHE_KINDS = {"0": "unified", "1": "data", "2": "instruction"}


class HwlocError(ValueError):
    """A file that is no hwloc topology that machmeter reads; the message says why."""


class _Element(Struct):
    """One open XML element: its name, attributes and text so far."""

    name: str
    attributes: dict[str, str]
    text: str = ""


def read_hwloc(path: Path) -> Topology:
    """The topology in an hwloc XML file of at most 16 MiB, as `lstopo file.xml` writes it.

    CPUs that are only in the complete set come out as offline; those outside the allowed set as
    not allowed. Memory is in bytes.

    Raises UsageError when the file cannot be read or `parse_hwloc` refuses it.
    """
    try:
        return parse_hwloc(read_regular(path, MOST_BYTES + 1))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", _REMEDY) from error
    except HwlocError as error:
        raise UsageError(f"{path} is no topology: {error}", _REMEDY) from error


def parse_hwloc(data: bytes) -> Topology:
    """The topology in the bytes of an hwloc XML file.

    Raises HwlocError when there are more than 16 MiB, they are no hwloc XML of version 2 or later,
    or they declare entities.
    """
    if len(data) > MOST_BYTES:
        raise HwlocError(f"larger than {MOST_BYTES // 2**20} MiB")
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 2**20
    parser.StartDoctypeDeclHandler = _refuse_internal_subset
    parser.EntityDeclHandler = _refuse_entities
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(data, True)
        return reader.topology()
    except HwlocError:
        raise
    except expat.ExpatError as error:
        raise HwlocError(f"not well-formed XML: {error}") from error
    except (ValueError, LookupError) as error:
        raise HwlocError(f"not a sound hwloc topology: {error}") from error


def _refuse_internal_subset(
    name: str, system: str | None, public: str | None, internal: bool
) -> None:
    del name, system, public
    if internal:
        raise HwlocError("declarations inside DOCTYPE are not accepted (hwloc writes none)")


def _refuse_entities(*declaration: object) -> None:
    del declaration
    raise HwlocError("entity declarations are not accepted (hwloc writes none)")


class _Reader:
    """Gathers CPUs, caches and domains while the parser walks the file once."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self._cpus: dict[int, dict[str, int]] = {}
        self._cores = 0
        self._cpus_of_core: dict[int, int] = {}
        self._caches: list[Cache] = []
        self._domains: dict[int, tuple[tuple[int, ...], int]] = {}
        self._complete: set[int] = set()
        self._allowed: set[int] | None = None
        self._kinds: list[CpuKind] = []
        self._matrix: list[int] = []
        self._indexes: list[int] = []
        self._numa_latency = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open:
            _check_version(name, attributes)
        if len(self._open) >= _MOST_DEPTH:
            raise HwlocError(f"objects are nested more than {_MOST_DEPTH} deep")
        self._open.append(_Element(name, attributes))
        if name == "object":
            self._object(attributes)
        elif name == "distances2":
            self._numa_latency = (
                attributes.get("type") == "NUMANode"
                and attributes.get("name", "NUMALatency") == "NUMALatency"
                and attributes.get("indexing") == "os"
                and not self._indexes
            )
        elif name == "cpukind":
            cpus = frozenset(parse_bitmap(attributes["cpuset"], MOST_CPUS))
            self._kinds.append(CpuKind(cpus, attributes.get("forced_efficiency", "")))
        elif name == "info" and len(self._open) > 1 and self._open[-2].name == "cpukind":
            self._kind_info(attributes)

    def end(self, name: str) -> None:
        element = self._open.pop()
        if self._numa_latency and name in ("indexes", "u64values"):
            kept = self._indexes if name == "indexes" else self._matrix
            kept += (int(word) for word in element.text.split())
            if len(kept) > _MOST_DISTANCES:
                raise HwlocError(f"more than {_MOST_DISTANCES} distances")
        elif name == "distances2":
            self._numa_latency = False

    def characters(self, text: str) -> None:
        if self._numa_latency:
            self._open[-1].text += text

    def _object(self, attributes: Mapping[str, str]) -> None:
        kind = attributes["type"]
        if kind == "PU":
            self._pu(int(attributes["os_index"]))
        elif kind == "Core":
            self._cores += 1
        elif kind == "Machine":
            self._complete = _cpus(attributes, "complete_cpuset")
            self._allowed = _cpus(attributes, "allowed_cpuset") or None
        elif kind == "NUMANode":
            cpus = tuple(sorted(_cpus(attributes, "cpuset")))
            self._domains[int(attributes["os_index"])] = (
                cpus,
                int(attributes.get("local_memory", "0")),
            )
        elif "cache_size" in attributes:
            self._caches.append(_cache(attributes))

    def _kind_info(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("name") == "CoreType":
            self._kinds[-1].core_type = attributes["value"]
        elif attributes.get("name") == "FrequencyMaxMHz":
            self._kinds[-1].max_megahertz = attributes["value"]

    def _pu(self, number: int) -> None:
        if not 0 <= number < MOST_CPUS or number in self._cpus:
            raise HwlocError(f"PU {number} is out of range or listed twice")
        outer = {
            element.attributes.get("type"): element.attributes
            for element in self._open
            if element.name == "object"
        }
        if "Core" not in outer:
            self._cores += 1
        core = self._cores - 1
        package = int(outer.get("Package", {}).get("os_index", "0"))
        smt = self._cpus_of_core.get(core, 0)
        self._cpus_of_core[core] = smt + 1
        self._cpus[number] = {"core": core, "package": max(package, 0), "smt": smt}

    def topology(self) -> Topology:
        if not self._cpus:
            raise HwlocError("it holds no PU, so no CPU at all")
        kinds = kinds_of_cpus(self._kinds)
        numa = _home_domains(self._domains)
        cpus = [
            Cpu(
                number=number,
                core=facts["core"],
                package=facts["package"],
                numa=numa.get(number, -1),
                allowed=self._allowed is None or number in self._allowed,
                smt=facts["smt"],
                kind=kinds.get(number, 0),
            )
            for number, facts in self._cpus.items()
        ]
        hidden = sorted(self._complete - set(self._cpus))
        cpus += [
            Cpu(number, self._cores + index, -1, -1, online=False, allowed=False)
            for index, number in enumerate(hidden)
        ]
        order = sorted(self._caches, key=lambda cache: (cache.level, cache.kind, cache.cpus))
        return Topology(
            tuple(sorted(cpus, key=lambda cpu: cpu.number)),
            tuple(order),
            self._numa_domains(numa),
            source="hwloc XML",
        )

    def _numa_domains(self, home: Mapping[int, int]) -> tuple[NumaDomain, ...]:
        count = len(self._indexes)
        whole = count > 0 and len(self._matrix) == count * count
        rows = {
            index: dict(zip(self._indexes, self._matrix[i * count : (i + 1) * count], strict=True))
            for i, index in enumerate(self._indexes if whole else [])
        }
        numbers = sorted(self._domains)
        return tuple(
            NumaDomain(
                number,
                tuple(cpu for cpu in self._domains[number][0] if home[cpu] == number),
                self._domains[number][1],
                tuple(rows[number][other] for other in numbers)
                if set(numbers) <= set(rows)
                else (),
            )
            for number in numbers
        )


def _check_version(name: str, attributes: Mapping[str, str]) -> None:
    version = attributes.get("version", "1")
    if name != "topology":
        raise HwlocError(f"its outermost element is {name[:40]!r}, not 'topology'")
    if not version.split(".")[0].isdecimal() or int(version.split(".")[0]) < 2:
        raise HwlocError(f"hwloc XML version {version[:20]!r} is not read")


def _cpus(attributes: Mapping[str, str], name: str) -> set[int]:
    return set(parse_bitmap(attributes.get(name, "0x0"), MOST_CPUS))


def _cache(attributes: Mapping[str, str]) -> Cache:
    return Cache(
        level=int(attributes["depth"]),
        kind=_CACHE_KINDS[attributes["cache_type"]],
        size_bytes=int(attributes["cache_size"]),
        line_bytes=int(attributes.get("cache_linesize", "0")),
        cpus=tuple(sorted(_cpus(attributes, "cpuset"))),
    )


def _home_domains(domains: Mapping[int, tuple[tuple[int, ...], int]]) -> dict[int, int]:
    """The domain of each CPU: of several around it the smallest, of equal ones the first.

    hwloc gives memory without CPUs the CPUs it is near to; Linux gives each CPU one domain.
    """
    largest_first = sorted(domains, key=lambda number: (-len(domains[number][0]), -number))
    return {cpu: number for number in largest_first for cpu in domains[number][0]}
