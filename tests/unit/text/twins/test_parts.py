"""Parts of a simulated time, and numbers that add up as printed."""

from __future__ import annotations

import pytest

from machmeter.simulation.builtin import find_twin
from machmeter.text.twins.parts import (
    MessageTimes,
    adding_up,
    distance_text,
    parts_of,
    shares_adding_up,
)


def times(**changed: float) -> MessageTimes:
    """Of an 8 B message over 24 links of Hopper, with some parts changed."""
    usual = {
        "software": 570e-9,
        "nic": 700e-9,
        "hops_seconds": 24 * 105e-9,
        "serialization": 8 / 3.47e9,
        "handshake": 0.0,
        "queueing": 0.0,
    }
    return MessageTimes(bytes_sent=8, hops=24, **(usual | changed))


def test_parts_add_up_and_name_their_parameters() -> None:
    whole = times()
    parts = parts_of(find_twin("hopper"), whole)
    assert sum(part.seconds for part in parts) == pytest.approx(whole.seconds, rel=1e-12)
    assert sum(part.share for part in parts) == pytest.approx(1)
    found = {part.name: part for part in parts}
    assert found["software"].text == "CPU time of sender and receiver: 2 x 285 ns"
    assert found["hops"].text == "24 links between routers x 105 ns"
    assert found["serialization"].parameters == ("network.link.bandwidth_y",)
    assert found["handshake"].text == "none: messages up to 16 KiB are sent at once"
    assert found["queueing"].text == "none: no other message is under way"


def test_a_large_message_of_two_at_once_has_every_part() -> None:
    whole = MessageTimes(2**20, 2, 0.4e-6, 0.7e-6, 0.6e-6, 2**20 / 6.8e9, 3.4e-6, 17e-6)
    found = {part.name: part for part in parts_of(find_twin("comet"), whole)}
    assert found["hops"].text == (
        "2 links between switches x 200 ns, 2 of them optical: 100 ns more each"
    )
    assert found["serialization"].text == "1 MiB at 6.80 GB/s, the rate of a NIC"
    assert found["handshake"].text.startswith("above 16 KiB")
    assert found["queueing"].parameters == ("network.duplex_share",)


def test_a_message_without_bytes_or_links() -> None:
    whole = MessageTimes(0, 0, 0.5e-6, 0.5e-6, 0.0, 0.0, 0.0, 0.0)
    found = {part.name: part.text for part in parts_of(find_twin("two-nodes"), whole)}
    assert found["serialization"] == "none: no bytes"
    assert found["hops"] == "none: no link between routers or switches on the way"


def test_a_rate_of_no_single_link_is_that_of_links() -> None:
    whole = times(serialization=8 / 1e9)
    found = {part.name: part.parameters for part in parts_of(find_twin("hopper"), whole)}
    assert found["serialization"] == ("network.link.bandwidth",)


def test_printed_numbers_add_up() -> None:
    parts = (1.0004e-6, 1.0004e-6, 1.0004e-6)
    printed = adding_up(parts, sum(parts))
    assert printed == ("1.001 µs", "1.000 µs", "1.000 µs", "3.001 µs")
    assert shares_adding_up([1 / 3] * 3) == ("33.4 %", "33.3 %", "33.3 %")


@pytest.mark.parametrize(
    ("name", "hops", "text"),
    [
        ("two-nodes", 0, "directly connected"),
        ("hopper", 0, "at one router"),
        ("comet", 0, "at one switch"),
        ("comet", 2, "2 links apart"),
        ("hopper", 1, "1 link apart"),
    ],
)
def test_a_distance(name: str, hops: int, text: str) -> None:
    assert distance_text(find_twin(name), hops) == text
