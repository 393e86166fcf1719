"""Topologies in hwloc's XML format, versions 2 and 3 (hwloc documentation, "Importing and
exporting topologies from/to XML files"): reading. The files are not trusted."""

from __future__ import annotations

import re
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
# Others are HBM, CXL-DRAM, GPUMemory, NVM and SPM.
_MAIN_MEMORY = "DRAM"
_MOST_DISTANCES = 2**20
_CPU_CACHE = re.compile("L([1-5])i?Cache")
# What hwloc calls one in front of memory that its user wanted shown as an L3.
_OF_MEMORY = "MemorySideCache"
_CACHE_KINDS = {"0": "unified", "1": "data", "2": "instruction"}


class HwlocError(ValueError):
    """A file that is no hwloc topology that machmeter reads; the message says why."""


class _Element(Struct):
    """One open XML element: its name, attributes and text so far."""

    name: str
    attributes: dict[str, str]
    text: str = ""


class _Domain(Struct, frozen=True):
    """A NUMA domain with all CPUs that it is near to."""

    cpus: tuple[int, ...]
    """Their numbers."""
    bytes: int
    """Its memory."""
    is_main: bool
    """Whether it is main memory, as far as the file says."""


def read_hwloc(path: Path) -> Topology:
    """The topology in an hwloc XML file of at most 16 MiB, as `lstopo file.xml` writes it.

    CPUs that are only in the complete set come out as offline; those outside the allowed set as
    not allowed. Memory is in bytes.

    Raises UsageError when the file cannot be read or `parse_hwloc` refuses it.
    """
    return read_hwloc_and_model(path)[0]


def read_hwloc_and_model(path: Path) -> tuple[Topology, str]:
    """As `read_hwloc`, with the model of the processor; empty where the file does not state it."""
    try:
        reader = _parsed(read_regular(path, MOST_BYTES + 1))
        return reader.topology(), reader.cpu_model
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", _REMEDY) from error
    except HwlocError as error:
        raise UsageError(f"{path} is no topology: {error}", _REMEDY) from error


def parse_hwloc(data: bytes) -> Topology:
    """The topology in the bytes of an hwloc XML file.

    Raises HwlocError when there are more than 16 MiB, they are no hwloc XML of version 2 or later,
    or they declare entities.
    """
    return _parsed(data).topology()


def _parsed(data: bytes) -> _Reader:
    """What the whole file holds; its topology is known to be sound."""
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
        reader.topology()
        return reader
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
        self._domains: dict[int, _Domain] = {}
        self._complete: set[int] = set()
        self._allowed: set[int] | None = None
        self._allowed_domains: set[int] | None = None
        self._kinds: list[CpuKind] = []
        self._matrix: list[int] = []
        self._indexes: list[int] = []
        self._numa_latency = False
        self.cpu_model = ""

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
        elif name == "info" and attributes.get("name") == "CPUModel" and not self.cpu_model:
            self.cpu_model = attributes.get("value", "")

    def end(self, name: str) -> None:
        element = self._open.pop()
        if self._numa_latency and name in ("indexes", "u64values"):
            kept = self._indexes if name == "indexes" else self._matrix
            kept += (_whole(word) for word in element.text.split())
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
            self._pu(_whole(attributes["os_index"]))
        elif kind == "Core":
            self._cores += 1
        elif kind == "Machine":
            self._complete = _cpus(attributes, "complete_cpuset")
            self._allowed = _cpus(attributes, "allowed_cpuset") or None
            self._allowed_domains = _cpus(attributes, "allowed_nodeset") or None
        elif kind == "NUMANode":
            self._domain(attributes)
        elif (found := _CPU_CACHE.fullmatch(kind)) and attributes.get("subtype") != _OF_MEMORY:
            self._caches += _caches(int(found.group(1)), attributes)

    def _domain(self, attributes: Mapping[str, str]) -> None:
        number, size = _whole(attributes["os_index"]), _whole(attributes.get("local_memory", "0"))
        if not 0 <= number < MOST_CPUS or number in self._domains or size < 0:
            raise HwlocError(f"NUMA domain {number} is out of range or listed twice")
        cpus = tuple(sorted(_cpus(attributes, "cpuset")))
        is_main = attributes.get("subtype", _MAIN_MEMORY) == _MAIN_MEMORY
        self._domains[number] = _Domain(cpus, size, is_main)

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
        package = _whole(outer.get("Package", {}).get("os_index", "0"))
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
                tuple(cpu for cpu in self._domains[number].cpus if home[cpu] == number),
                self._domains[number].bytes,
                tuple(rows[number][other] for other in numbers)
                if set(numbers) <= set(rows)
                else (),
                self._allowed_domains is None or number in self._allowed_domains,
            )
            for number in numbers
        )


def _check_version(name: str, attributes: Mapping[str, str]) -> None:
    version = attributes.get("version", "1")
    if name != "topology":
        raise HwlocError(f"its outermost element is {name[:40]!r}, not 'topology'")
    if not version.split(".")[0].isdecimal() or int(version.split(".")[0]) < 2:
        raise HwlocError(f"hwloc XML version {version[:20]!r} is not read")


def _whole(word: str) -> int:
    value = int(word)
    if not -1 <= value < 2**63:
        raise HwlocError(f"{word[:40]} is out of range")
    return value


def _cpus(attributes: Mapping[str, str], name: str) -> set[int]:
    return set(parse_bitmap(attributes.get(name, "0x0"), MOST_CPUS))


def _caches(level: int, attributes: Mapping[str, str]) -> list[Cache]:
    """The cache; none where its size or its CPUs are not known."""
    size, cpus = _whole(attributes["cache_size"]), tuple(sorted(_cpus(attributes, "cpuset")))
    line = _whole(attributes.get("cache_linesize", "0"))
    kind = _CACHE_KINDS[attributes["cache_type"]]
    return [Cache(level, kind, size, line, cpus)] if size > 0 and cpus else []


def _home_domains(domains: Mapping[int, _Domain]) -> dict[int, int]:
    """The domain of each CPU: main memory before other kinds, of several around it the smallest,
    of equal ones the first.

    hwloc gives memory without CPUs the CPUs it is near to; Linux gives each CPU one domain.
    """

    def last_is_home(number: int) -> tuple[bool, int, int]:
        one = domains[number]
        return one.is_main, -len(one.cpus), -number

    return {cpu: n for n in sorted(domains, key=last_is_home) for cpu in domains[n].cpus}
