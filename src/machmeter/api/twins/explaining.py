"""What one simulated time consists of: a question as text, its point simulated, its parts."""

from __future__ import annotations

from msgspec import Struct

from machmeter.api.context import Context
from machmeter.api.twins.simulating import records_on
from machmeter.benchmarks.network.messages import LARGEST_MESSAGE, LATENCY
from machmeter.launch.simulated import FAR, NEAR
from machmeter.model.benchmark import Value
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.point import Point
from machmeter.model.twin import Twin
from machmeter.model.units import format_bytes, parse_bytes
from machmeter.model.written.choices import choice_remedy
from machmeter.report.twins.explained import ExplainedTime
from machmeter.report.twins.shown import shown_parameters
from machmeter.text.twins.parts import MessageTimes, distance_text, parts_of

PATTERNS = next(one.choices for one in LATENCY.parameters if one.name == "pattern")
NEAREST, FARTHEST = "nearest", "farthest"
PAIRS = {NEAREST: NEAR, FARTHEST: FAR}
_FORM = 'write PATTERN SIZE, PAIR: "ping-pong 8 B, farthest"'
_CHOICES = (
    f"{_FORM}; patterns: {', '.join(PATTERNS)}; size: 8 B, 64 KiB, 1 MiB; pairs: "
    f"{', '.join(PAIRS)} (default: {NEAREST})"
)
_LONGEST = 200


class TimeQuestion(Struct, frozen=True):
    """Which simulated time is to be explained."""

    pattern: str
    """ping-pong or ping-ping."""
    size: int
    """Bytes of the message."""
    pair: str = NEAREST
    """nearest or farthest."""


def question_of(text: str) -> TimeQuestion:
    """The question `PATTERN SIZE, PAIR`: `ping-pong 8 B, farthest`.

    Raises UsageError where it has an unknown word; the remedy states what can be written.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"a question of more than {_LONGEST} characters", _CHOICES)
    words = text.lower().replace(",", " ").split()
    if not words:
        raise UsageError("the question is empty", _CHOICES)
    pattern, *rest = words
    if pattern not in PATTERNS:
        raise UsageError(f"there is no pattern {pattern!r} to explain", _remedy(pattern, PATTERNS))
    pair = rest.pop() if rest and rest[-1] in PAIRS else NEAREST
    if not rest:
        raise UsageError("the question names no size", _CHOICES)
    return TimeQuestion(pattern, _size(rest), pair)


def _remedy(word: str, known: tuple[str, ...]) -> str:
    return f"{choice_remedy(word, known)}; {_FORM}"


def _size(words: list[str]) -> int:
    size = _bytes_in(words)
    if size is None and len(words) > 1 and _bytes_in(words[:-1]) is not None:
        raise UsageError(f"{words[-1]!r} is neither a pair nor part of a size", _CHOICES)
    if size is None:
        raise UsageError(f"{' '.join(words)!r} is not a size in bytes", _CHOICES)
    if size > LARGEST_MESSAGE:
        raise UsageError(
            f"a message of {format_bytes(size)}",
            f"the largest one that {LATENCY.name} has is {format_bytes(LARGEST_MESSAGE)}",
        )
    return size


def _bytes_in(words: list[str]) -> int | None:
    try:
        return parse_bytes("".join(words))
    except ValueError:
        return None


def explained(twin: Twin, question: TimeQuestion, context: Context | None = None) -> ExplainedTime:
    """The time of that message on the twin, simulated, with its parts.

    Raises:
        MachineLacksError: The program that simulates cannot be compiled.
        MachmeterError: The program failed.
    """
    point = _point(question)
    record = records_on(twin, (point,), context, pair=PAIRS[question.pair])[point]
    quantities = record.quantities
    times = MessageTimes(
        bytes_sent=question.size,
        hops=int(quantities["hops"]),
        software=quantities["software_seconds"],
        nic=quantities["nic_seconds"],
        hops_seconds=quantities["hops_seconds"],
        serialization=quantities["serialization_seconds"],
        handshake=quantities["handshake_seconds"],
        queueing=quantities["queueing_seconds"],
    )
    return ExplainedTime(
        twin=twin.name,
        pattern=question.pattern,
        size=question.size,
        pair=question.pair,
        distance=distance_text(twin, times.hops),
        hops=times.hops,
        protocol=record.attributes["protocol"].partition(":")[0],
        seconds=times.seconds,
        band=twin.band(LATENCY.name),
        parts=parts_of(twin, times),
        changes=tuple(
            f"{one.name} = {one.text} ({one.reason})"
            for one in shown_parameters(twin)
            if one.changed
        ),
    )


def _point(question: TimeQuestion) -> Point:
    values: dict[str, Value] = {
        parameter.name: parameter.values[0] for parameter in LATENCY.parameters
    }
    values |= {"size": question.size, "pattern": question.pattern}
    return Point(LATENCY.name, tuple(sorted(values.items())), Layout(nodes=2))
