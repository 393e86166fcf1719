"""Hosts that differ from the others are named, with both values."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.plan.observed_host import NetworkDevice, ObservedHost
from machmeter.run.results.unlike_hosts import unlike_hosts_caveats

GIB = 2**30
USUAL = ObservedHost(
    "",
    "4ae1",
    5.0,
    kernel="6.1.0",
    cpu_model="Fast CPU",
    microcode="0xd000390",
    memory_bytes=256 * GIB,
    governor="performance",
    transparent_huge_pages="madvise",
    free_huge_pages=0,
    network=(NetworkDevice("ib0:1", 2e11), NetworkDevice("eth0", 2.5e10), NetworkDevice("veth1")),
)
OTHERS = tuple(
    replace(USUAL, name=f"n{number}", boot=f"boot-{number}", kernel_started=float(number))
    for number in (1, 2, 4)
)


def said(*unlike: ObservedHost) -> list[str]:
    return [caveat.text for caveat in unlike_hosts_caveats((*OTHERS, *unlike))]


def test_hosts_with_other_cpus_for_programs_are_named() -> None:
    assert not unlike_hosts_caveats(OTHERS)
    (found,) = unlike_hosts_caveats(OTHERS, ("n1", "n2", "n4", "n5", "n6"))
    assert "n1, n2, n4, n5 and 1 more have other CPUs" in found.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"microcode": "0xd0003a5"}, "microcode 0xd0003a5 (others 0xd000390)"),
        ({"kernel": "6.2.0"}, "kernel 6.2.0 (others 6.1.0)"),
        ({"cpu_model": "Slow CPU"}, "CPU model Slow CPU (others Fast CPU)"),
        ({"governor": "powersave"}, "governor powersave (others performance)"),
        ({"transparent_huge_pages": "never"}, "transparent huge pages never (others madvise)"),
        ({"free_huge_pages": 512}, "free huge pages 512 (others 0)"),
        ({"memory_bytes": 128 * GIB}, "memory 128 GiB (others 256 GiB)"),
        (
            {"network": (NetworkDevice("ib0:1", 1e11), NetworkDevice("eth0", 2.5e10))},
            "network 25 Gbit/s + 100 Gbit/s (others 25 Gbit/s + 200 Gbit/s)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else next(iter(value)),
)
def test_a_host_that_differs_is_named_with_both_values(
    changes: dict[str, object], words: str
) -> None:
    other = replace(USUAL, name="n3", **changes)
    assert said(other) == [f"n3 differs from the other 3 hosts: {words}"]


@pytest.mark.parametrize(
    "changes",
    [
        {"memory_bytes": 252 * GIB},
        {"memory_bytes": None, "microcode": None, "free_huge_pages": None, "network": ()},
        {"network": (NetworkDevice("eth7", 2.5e10), NetworkDevice("ib3:2", 2e11))},
    ],
    ids=["a little memory", "unknown", "names"],
)
def test_what_is_unknown_or_of_no_effect_is_no_difference(changes: dict[str, object]) -> None:
    assert said(replace(USUAL, name="n3", **changes)) == []


def test_hosts_that_differ_in_the_same_are_told_together() -> None:
    unlike = [replace(USUAL, name=f"m{number}", kernel="6.2.0") for number in range(2)]
    assert said(*unlike) == ["m0, m1 differ from the other 3 hosts: kernel 6.2.0 (others 6.1.0)"]
    (one, other) = replace(USUAL, name="a"), replace(USUAL, name="b", governor="powersave")
    (caveat,) = unlike_hosts_caveats((one, other))
    assert caveat.text.startswith("b differs from the other host: ")


def test_many_different_hosts_are_counted() -> None:
    unlike = [replace(USUAL, name=f"m{number}", kernel=f"7.{number}") for number in range(9)]
    *named, rest = said(*unlike)
    assert len(named) == 3
    assert rest == "6 more hosts differ from most others, each in its own way"


def test_a_host_with_some_cpus_offline_differs() -> None:
    usual = [replace(USUAL, name=f"n{number}", online_cpus="0-127") for number in range(3)]
    (caveat,) = unlike_hosts_caveats([*usual, replace(USUAL, name="n3", online_cpus="0-63")])
    assert caveat.text.endswith("online CPUs 0-63 (others 0-127)")


def test_without_hosts_nothing_differs() -> None:
    assert unlike_hosts_caveats(()) == []
