"""The parts of the simulated time of one message, each with what it is and comes from."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.twin import Twin, TwinTopology
from machmeter.model.units import (
    BYTES_PER_SECOND_ONE_WAY,
    SECONDS,
    SHARE,
    format_bytes,
    format_value,
    scale_for,
)
from machmeter.text.numbers import count_text

_CLOSE = 1e-9
_DECIMALS = 3
_LINKS = "network.link.bandwidth_"


class MessageTimes(Struct, frozen=True):
    """What the time of one message consists of, in seconds, and what was sent."""

    bytes_sent: int
    """Of the message."""
    hops: int
    """Links between routers that it passes."""
    software: float
    """At both ends."""
    nic: float
    """Of both NICs and the wire."""
    hops_seconds: float
    """Of all links between routers."""
    serialization: float
    """The bytes at the rate of the slowest part."""
    handshake: float
    """Of the rendezvous protocol."""
    queueing: float
    """Waiting for other messages."""

    @property
    def seconds(self) -> float:
        """The whole time."""
        return (
            self.software
            + self.nic
            + self.hops_seconds
            + self.serialization
            + self.handshake
            + self.queueing
        )


class TimePart(Struct, frozen=True):
    """A part of a simulated time."""

    name: str
    """software, NIC, hops, serialization, handshake or queueing."""
    seconds: float
    """How much of the time it is."""
    share: float
    """Of the whole time."""
    text: str
    """What it is, with the numbers that it is computed from."""
    parameters: tuple[str, ...]
    """Those that it is computed from."""


def parts_of(twin: Twin, times: MessageTimes) -> tuple[TimePart, ...]:
    """Every part of the time, those of zero included; their seconds add up to the whole."""
    nic = _Source("both NICs and the wire between them", ("network.nic_latency",))
    found = (
        ("software", times.software, _software(twin)),
        ("NIC", times.nic, nic),
        ("hops", times.hops_seconds, _hops(twin, times)),
        ("serialization", times.serialization, _serialization(twin, times)),
        ("handshake", times.handshake, _handshake(twin, times)),
        ("queueing", times.queueing, _queueing(twin, times)),
    )
    return tuple(
        TimePart(name, seconds, seconds / times.seconds, source.text, source.parameters)
        for name, seconds, source in found
    )


class _Source(Struct, frozen=True):
    """Where a part of a time comes from."""

    text: str
    """What it is, with the numbers that it is computed from."""
    parameters: tuple[str, ...] = ()
    """Those that it is computed from."""


def _software(twin: Twin) -> _Source:
    name = "network.software_overhead"
    each = _time(twin.value(name))
    return _Source(f"CPU time of sender and receiver: 2 x {each}", (name,))


def _hops(twin: Twin, times: MessageTimes) -> _Source:
    name, optical = "network.hop_latency", "network.optical_latency"
    if not times.hops:
        return _Source("none: no link between routers or switches on the way")
    each = twin.value(name)
    ends = "switches" if twin.topology is TwinTopology.FAT_TREE else "routers"
    text = f"{count_text(times.hops, 'link', 'links')} between {ends} x {_time(each)}"
    further = times.hops_seconds - times.hops * each
    if further <= _CLOSE * times.seconds:
        return _Source(text, (name,))
    count = round(further / twin.value(optical))
    more = _time(twin.value(optical))
    return _Source(f"{text}, {count} of them optical: {more} more each", (name, optical))


def _serialization(twin: Twin, times: MessageTimes) -> _Source:
    if not times.serialization:
        return _Source("none: no bytes")
    rate = times.bytes_sent / times.serialization
    name = _limiting(twin, rate)
    what = "a NIC" if name == "network.injection_bandwidth" else "the slowest link passed"
    written = format_value(rate, BYTES_PER_SECOND_ONE_WAY)
    sent = format_bytes(times.bytes_sent)
    return _Source(f"{sent} at {written}, the rate of {what}", (name,))


def _limiting(twin: Twin, rate: float) -> str:
    """The bandwidth that equals the rate, or else that of all links."""
    injection = "network.injection_bandwidth"
    links = [one.name for one in twin.parameters if one.name.startswith(_LINKS)]
    for name in (injection, *links):
        if abs(twin.value(name) / rate - 1) < _CLOSE:
            return name
    return "network.link.bandwidth"


def _handshake(twin: Twin, times: MessageTimes) -> _Source:
    name = "network.eager_limit"
    limit = format_bytes(int(twin.value(name)))
    if not times.handshake:
        return _Source(f"none: messages up to {limit} are sent at once", (name,))
    return _Source(
        f"above {limit} sender and receiver first exchange two small messages: 2 x (software + NIC "
        "+ hops)",
        (name,),
    )


def _queueing(twin: Twin, times: MessageTimes) -> _Source:
    name = "network.duplex_share"
    if not times.queueing:
        return _Source("none: no other message is under way")
    share = format_value(twin.value(name), SHARE)
    return _Source(f"both directions at once: each gets {share} of the rate it has alone", (name,))


def _time(seconds: float) -> str:
    return format_value(seconds, SECONDS)


def adding_up(parts: Sequence[float], total: float, decimals: int = _DECIMALS) -> tuple[str, ...]:
    """The parts, then their total, in the unit of the total, rounded so that the numbers printed
    add up."""
    factor, symbol = scale_for(total, SECONDS)
    unit = 10**-decimals
    whole = round(total / factor / unit)
    steps = _rounded([part / factor / unit for part in parts], whole)
    return tuple(f"{one * unit:.{decimals}f} {symbol}" for one in (*steps, whole))


def shares_adding_up(shares: Sequence[float]) -> tuple[str, ...]:
    """Shares of one in percent with one decimal, rounded so that they add up to 100."""
    return tuple(f"{one / 10:.1f} %" for one in _rounded([1000 * one for one in shares], 1000))


def _rounded(parts: Sequence[float], whole: int) -> list[int]:
    """Whole numbers that add up to `whole`: what is left goes to those that rounding cut most."""
    floors = [int(one + _CLOSE) for one in parts]
    order = sorted(range(len(parts)), key=lambda at: floors[at] - parts[at])
    for at in order[: max(whole - sum(floors), 0)]:
        floors[at] += 1
    return floors


def distance_text(twin: Twin, hops: int) -> str:
    """How far apart two nodes are."""
    if twin.topology is TwinTopology.DIRECT:
        return "directly connected"
    if not hops:
        return "at one router" if twin.topology is not TwinTopology.FAT_TREE else "at one switch"
    return f"{count_text(hops, 'link', 'links')} apart"
