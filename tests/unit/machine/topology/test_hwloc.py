from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.machine.detect import detect_machine
from machmeter.machine.topology.hwloc_read import MOST_BYTES, HwlocError, parse_hwloc, read_hwloc
from machmeter.machine.topology.hwloc_write import hwloc_xml
from machmeter.model.errors import UsageError
from machmeter.model.machine import Cache, NumaDomain, Topology
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

HWLOC = DATA / "hwloc"
FIXTURES = sorted(HWLOC.glob("*.xml"))


def odd_machine() -> Topology:
    """Offline and forbidden CPUs, two kinds of core, memory without CPUs, distances."""
    topology = Shape().topology()
    off = {63, 127}
    cpus = [
        replace(cpu, kind=int(cpu.core >= 32), allowed=cpu.number != 7)
        for cpu in topology.cpus
        if cpu.number not in off
    ]
    cpus += [
        replace(cpu, core=63 + i, package=-1, numa=-1, online=False, allowed=False, smt=0)
        for i, cpu in enumerate(c for c in topology.cpus if c.number in off)
    ]

    def running(numbers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(number for number in numbers if number not in off)

    caches = [
        Cache(c.level, c.kind, c.size_bytes, c.line_bytes, running(c.cpus))
        for c in topology.caches
        if running(c.cpus)
    ]
    domains = [*topology.domains, NumaDomain(8, (), 2**38)]
    return Topology(
        tuple(sorted(cpus, key=lambda cpu: cpu.number)),
        tuple(caches),
        tuple(
            NumaDomain(d.number, running(d.cpus), d.memory_bytes, tuple(range(10, 19)))
            for d in domains
        ),
        source="hwloc XML",
    )


def test_two_packages_of_four_domains() -> None:
    found = read_hwloc(HWLOC / "two_packages_eight_domains.xml")
    assert len(found.usable) == 128
    assert len(found.usable_cores) == 64
    assert {cpu.package for cpu in found.cpus} == {0, 1}
    assert [len(domain.cpus) for domain in found.domains] == [16] * 8
    assert [cpu.smt for cpu in found.cpus[:4]] == [0, 1, 0, 1]
    assert {domain.memory_bytes for domain in found.domains} == {64 * 10**9}
    assert [c.level for c in found.caches].count(3) == 8


def test_thirteen_boards() -> None:
    found = read_hwloc(HWLOC / "thirteen_boards.xml")
    assert len(found.usable_cores) == 104
    assert len({cpu.package for cpu in found.cpus}) == len(found.domains) == 13


def test_siblings_numbered_last() -> None:
    found = read_hwloc(HWLOC / "siblings_numbered_last.xml")
    assert [(c.core, c.smt) for c in found.cpus if c.number in (5, 37)] == [(5, 0), (5, 1)]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_what_is_written_comes_back(path: Path) -> None:
    topology = read_hwloc(path)
    assert parse_hwloc(hwloc_xml(topology).encode()) == topology


def test_an_odd_machine_comes_back() -> None:
    assert parse_hwloc(hwloc_xml(odd_machine()).encode()) == odd_machine()


@settings(deadline=None)
@given(st.builds(Shape, *(st.integers(1, 4) for _ in range(4))))
def test_regular_machines_come_back(shape: Shape) -> None:
    topology = replace(shape.topology(), source="hwloc XML")
    assert parse_hwloc(hwloc_xml(topology).encode()) == topology


def this_machine() -> Topology:
    """Without the distance of a sole domain to itself, for which hwloc has no place."""
    topology = detect_machine().topology
    if len(topology.domains) > 1:
        return topology
    return replace(topology, domains=(replace(topology.domains[0], distances=()),))


def test_memory_near_cpus_that_have_a_smaller_domain_has_none_of_its_own() -> None:
    topology = Shape(1, 2, 2, 1).topology()
    text = hwloc_xml(replace(topology, domains=(*topology.domains, NumaDomain(2, (), 2**30))))
    near = text.replace('"NUMANode" cpuset="0x00000000"', '"NUMANode" cpuset="0x0000000f"')
    assert near != text
    assert [domain.cpus for domain in parse_hwloc(near.encode()).domains] == [(0, 1), (2, 3), ()]


@pytest.mark.skipif(not shutil.which("lstopo"), reason="lstopo is not installed")
@pytest.mark.parametrize("name", ["odd", "this", "thirteen_boards"])
def test_lstopo_reads_what_is_written(name: str, tmp_path: Path) -> None:
    topology = {
        "odd": odd_machine,
        "this": this_machine,
        "thirteen_boards": lambda: read_hwloc(HWLOC / "thirteen_boards.xml"),
    }[name]()
    written, back = tmp_path / "written.xml", tmp_path / "back.xml"
    written.write_text(hwloc_xml(topology))
    done = subprocess.run(
        ["lstopo", "--input", str(written), "--disallowed", "--of", "xml", str(back)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = read_hwloc(back)
    assert found.cpus == topology.cpus
    assert found.domains == topology.domains
    assert found.caches == topology.caches


def test_a_system_doctype_is_accepted_and_not_fetched() -> None:
    text = hwloc_xml(Shape(1, 1, 1, 1).topology())
    text = text.replace("hwloc2.dtd", "file:///nonexistent/hwloc2.dtd")
    assert len(parse_hwloc(text.encode()).cpus) == 1


BOMB = '<!DOCTYPE topology [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topology version="2.0"/>'
PU = '<object type="PU" os_index="0" cpuset="0x1"/>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "inside DOCTYPE"),
        ("<!DOCTYPE t SYSTEM 'x' [<!ENTITY a SYSTEM '/etc/passwd'>]><t/>", "inside DOCTYPE"),
        ("<html/>", "outermost element is 'html'"),
        (f"<topology>{PU}</topology>", "version '1' is not read"),
        (f'<topology version="two">{PU}</topology>', "version 'two' is not read"),
        ('<topology version="2.0"/>', "no PU"),
        (f'<topology version="2.0">{PU}{PU}</topology>', "twice"),
        ('<topology version="2.0"><object type="PU" os_index="-1"/></topology>', "out of range"),
        ('<topology version="2.0"><object type="PU"/></topology>', "not a sound"),
        ('<topology version="2.0"><object/></topology>', "not a sound"),
        ('<topology version="2.0">' + "<object type='Group'>" * 100, "nested"),
        ('<topology version="2.0">', "not well-formed"),
        ("", "not well-formed"),
        (
            f'<topology version="2.0"><object type="Machine" complete_cpuset="0xf...f">{PU}'
            "</object></topology>",
            "not a finite CPU set",
        ),
    ],
)
def test_files_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(HwlocError) as caught:
        parse_hwloc(text.encode())
    assert words in str(caught.value)


def test_files_that_are_too_large_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match="larger than 16 MiB"):
        read_hwloc(path)


def test_a_file_that_is_no_topology_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.xml").write_text("no topology")
    os.mkfifo(tmp_path / "pipe.xml")
    for name, words in (
        ("text.xml", "is no topology: not well-formed"),
        ("none.xml", "No such file"),
        ("pipe.xml", "no regular file"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            read_hwloc(tmp_path / name)
        assert name in str(caught.value)
        assert "lstopo" in caught.value.remedy


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_rubbish_is_an_error_in_words(data: bytes) -> None:
    with pytest.raises(HwlocError):
        parse_hwloc(b'<topology version="2.0">' + data)


def test_a_version_three_file_is_read() -> None:
    text = hwloc_xml(Shape().topology()).replace('version="2.0"', 'version="3.0"', 1)
    text = text.replace('<topology version="2.0"', '<topology version="3.0"')
    assert len(parse_hwloc(text.encode()).cpus) == 128


def with_kinds(*kinds: str) -> dict[int, int]:
    """The kind of each of four CPUs in a file that ends in these elements."""
    cores = "".join(
        f'<object type="Core"><object type="PU" os_index="{cpu}"/></object>' for cpu in range(4)
    )
    text = f'<topology version="2.0"><object type="Machine">{cores}</object>{"".join(kinds)}'
    found = parse_hwloc(f"{text}</topology>".encode())
    return {cpu.number: cpu.kind for cpu in found.cpus}


def kind(cpus: str, attributes: str = "", **infos: object) -> str:
    inside = "".join(f'<info name="{name}" value="{value}"/>' for name, value in infos.items())
    return f'<cpukind cpuset="{cpus}" {attributes}>{inside}</cpukind>'


EFFICIENT, STRONG = {0: 1, 1: 1, 2: 0, 3: 0}, {0: 0, 1: 0, 2: 1, 3: 1}
ALIKE = dict.fromkeys(range(4), 0)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((kind("0x3", FrequencyMaxMHz=3000), kind("0xc", FrequencyMaxMHz=5000)), EFFICIENT),
        ((kind("0x3", FrequencyMaxMHz=5000), kind("0xc", FrequencyMaxMHz=4900)), ALIKE),
        ((kind("0x3", CoreType="IntelAtom"), kind("0xc", CoreType="IntelCore")), EFFICIENT),
        (
            (
                kind("0x3", CoreType="IntelCore", FrequencyMaxMHz=3000),
                kind("0xc", CoreType="IntelAtom", FrequencyMaxMHz=4000),
            ),
            STRONG,
        ),
        (
            (
                kind("0x3", 'forced_efficiency="1"', FrequencyMaxMHz=3000),
                kind("0xc", 'forced_efficiency="0"', FrequencyMaxMHz=4000),
            ),
            STRONG,
        ),
        ((kind("0x3", FrequencyMaxMHz=3000), kind("0xc")), ALIKE),
        ((kind("0x3", FrequencyMaxMHz="9" * 5000), kind("0xc", FrequencyMaxMHz="x")), ALIKE),
        ((kind("0x3", 'forced_efficiency="-1"'), kind("0xc", 'forced_efficiency="0"')), ALIKE),
        ((), ALIKE),
    ],
)
def test_kinds_of_core_come_from_what_the_file_tells(
    kinds: tuple[str, ...], expected: dict[int, int]
) -> None:
    assert with_kinds(*kinds) == expected


def test_caches_in_front_of_memory_are_no_caches_of_cpus() -> None:
    apart = read_hwloc(HWLOC / "memory_side_cache.xml")
    assert [(one.level, one.size_bytes) for one in apart.caches] == [(3, 16 * 2**20)]
    assert apart.last_cache_bytes() == 16 * 2**20
    as_l3 = read_hwloc(HWLOC / "hbm_and_cxl.xml")
    assert [(one.level, one.size_bytes) for one in as_l3.caches] == [(2, 2 * 2**20)]


def test_caches_of_no_known_size_or_level_are_left_out() -> None:
    topology = Shape(1, 1, 2, 1).topology()
    text = hwloc_xml(topology)
    level = text.replace('"L3Cache"', '"L6Cache"').replace('depth="3"', 'depth="6"')
    empty = text.replace(f'cache_size="{32 * 2**20}"', 'cache_size="0"')
    for changed in (level, empty):
        assert changed != text
        assert {one.level for one in parse_hwloc(changed.encode()).caches} == {2}


@pytest.mark.parametrize("number", ["9" * 25, "-64"])
def test_numbers_that_no_run_can_hold_are_refused(number: str) -> None:
    text = hwloc_xml(Shape(1, 1, 2, 1).topology())
    changed = text.replace(f'cache_size="{32 * 2**20}"', f'cache_size="{number}"')
    assert changed != text
    with pytest.raises(HwlocError, match="out of range"):
        parse_hwloc(changed.encode())


def test_cpus_without_memory_of_their_own_are_in_no_domain() -> None:
    found = read_hwloc(HWLOC / "two_packages_one_node.xml")
    assert [(cpu.number, cpu.numa) for cpu in found.cpus] == [(0, 0), (1, -1)]
    assert [domain.cpus for domain in found.domains] == [(0,)]
    assert found.usable_domains == (0,)


def test_cpus_are_in_the_domain_of_main_memory_and_others_have_none() -> None:
    found = read_hwloc(HWLOC / "hbm_and_cxl.xml")
    assert [domain.cpus for domain in found.domains] == [(), (0, 1), (2, 3), (), ()]
    assert found.usable_domains == (1, 2)
    assert found.memory_domains == (0, 1, 3), "2 has no memory, 4 is not allowed"


@pytest.mark.parametrize("change", ['os_index="-1"', 'os_index="70000"', 'os_index="0"'])
def test_domains_out_of_range_or_listed_twice_are_refused(change: str) -> None:
    lines = hwloc_xml(Shape(1, 2, 1, 1).topology()).splitlines()
    lines = [line.replace('os_index="1"', change) if "NUMANode" in line else line for line in lines]
    with pytest.raises(HwlocError, match=r"NUMA domain .* is out of range or listed twice"):
        parse_hwloc("\n".join(lines).encode())
