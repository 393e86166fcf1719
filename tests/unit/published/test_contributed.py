"""Machine files that come with machmeter: what they must state, and what cannot be true."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.published.contributed import ContributedPart, beyond_limits, missing_parts
from machmeter.published.format import PublishedMachine
from machmeter.published.load import read_machine

KNOWN = {"Zen 3", "A64FX"}
MEMORY = 'channels = 16\ntransfers = 3200\ngeneration = "Zen 3"'
LINKS = 'nics = 2\nnic_gigabits = 200\ngeneration = "Zen 3"\nnetwork = "HDR InfiniBand"'
ON_CHIP = 'generation = "A64FX"\nnetwork = "Tofu D"'
STREAM = 'benchmark = "memory.stream"\nmetric = "stream_bandwidth"\nunit = "GB/s"'
LATENCY = 'benchmark = "network.latency"\nmetric = "latency"\nunit = "us"'
MESSAGES = 'benchmark = "network.bandwidth"\nmetric = "{}"\nunit = "{}"'
BOTH = MESSAGES.format("bandwidth_both_ways", "GB/s both ways")
ONE = MESSAGES.format("bandwidth_one_way", "GB/s one way")
RATE = MESSAGES.format("message_rate", "Mmsg/s")
BOTH_WAYS = ', direction = "both-ways"'
TWO = "layout = { nodes = 2 }"
WHOLE = 'statistic = "mean"\naddress = "https://github.com/a/b/blob/6b4d5fbbba/x.txt#L7"'


def machine(
    folder: Path, hardware: str, table: str, value: float, figure: str = ""
) -> PublishedMachine:
    path = folder / "mine.toml"
    path.write_text(
        f'format = 1\nid = "mine"\nname = "Mine"\nsummary = "s"\nsource = "s"\nyear = 2026\n'
        f'[hardware]\n{hardware}\n[[tables]]\npage = "p"\ndecimals = 2\n{table}\n'
        f'[[tables.figures]]\nid = "one"\nvalue = {value}\n{figure}\n'
    )
    return read_machine(path)


def size(count: int, more: str = "") -> str:
    return f"parameters = {{ size = {count}{more} }}\n{TWO}"


@pytest.mark.parametrize(
    ("hardware", "table", "most", "above"),
    [
        (MEMORY, STREAM, 409.6, 409.61),
        ("memory_bandwidth = 500", STREAM, 500, 500.01),
        (MEMORY, f"{STREAM}\nlayout = {{ nodes = 4 }}", 1638.4, 1638.41),
        (LINKS, f"{ONE}\n{TWO}", 50, 50.01),
        (LINKS, f"{BOTH}\n{TWO}", 100, 100.01),
        (LINKS, f"{RATE}\n{size(1000)}", 50, 50.01),
        (LINKS, f"{RATE}\n{size(1000, BOTH_WAYS)}", 100, 100.01),
        (LINKS, f"{LATENCY}\n{TWO}", 0.9, 0.89),
    ],
)
def test_what_is_better_than_its_own_hardware_is_told(
    tmp_path: Path, hardware: str, table: str, most: float, above: float
) -> None:
    assert not beyond_limits(machine(tmp_path, hardware, table, most))
    (told,) = beyond_limits(machine(tmp_path, hardware, table, above))
    assert told.startswith("one: ")


@pytest.mark.parametrize(
    ("hardware", "table", "value"),
    [
        (MEMORY, f"{STREAM}\nparameters = {{ size = 1_000_000 }}", 900),
        (LINKS, f"{ONE}\nlayout = {{ nodes = 1 }}", 900),
        (LINKS, f"{LATENCY}\nlayout = {{ nodes = 1 }}", 0.3),
        (ON_CHIP, f"{LATENCY}\n{TWO}", 0.6),
        ("", STREAM, 90_000),
    ],
)
def test_what_no_known_limit_is_of_is_taken(
    tmp_path: Path, hardware: str, table: str, value: float
) -> None:
    assert not beyond_limits(machine(tmp_path, hardware, table, value))


@pytest.mark.parametrize(
    ("hardware", "table", "figure", "missing"),
    [
        (MEMORY, f"{STREAM}\n{WHOLE}", 'text = "Triad: 30"', set()),
        (MEMORY, f"{STREAM}\n{WHOLE}", "", {ContributedPart.TEXT}),
        (MEMORY, STREAM, 'text = "t"', {ContributedPart.ADDRESS, ContributedPart.STATISTIC}),
        (MEMORY, f'{STREAM}\nprecision = "threshold"', 'text = "t"', {ContributedPart.ADDRESS}),
        (
            MEMORY,
            f"{STREAM}\n{WHOLE}",
            'text = "t"\nqualifier = "up to"',
            {ContributedPart.PRECISION},
        ),
        (
            MEMORY,
            f'{STREAM}\n{WHOLE}\nqualifier = "peak"',
            'text = "t"\nprecision = "threshold"',
            set(),
        ),
        ('generation = "Zen 9"', f"{STREAM}\n{WHOLE}", 'text = "t"', {ContributedPart.GENERATION}),
        (MEMORY, f"{LATENCY}\n{WHOLE}", 'text = "t"', {ContributedPart.NETWORK}),
    ],
)
def test_what_a_file_lacks_to_be_added_is_named(
    tmp_path: Path, hardware: str, table: str, figure: str, missing: set[ContributedPart]
) -> None:
    found = missing_parts(machine(tmp_path, hardware, table, 30, figure), KNOWN)
    assert {one.part for one in found} == missing
    assert all(one.figures == ("one",) for one in found if "hardware" not in one.part)
