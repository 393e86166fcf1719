"""How large messages must get: until bandwidth is flat."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.benchmarks.network.messages import BANDWIDTH
from machmeter.model.benchmark import AutoRule, Value
from machmeter.model.plan.launch import LaunchRole, LaunchSpec
from machmeter.model.plan.study import Study
from machmeter.model.point import make_point
from machmeter.model.results.run import Plan
from machmeter.model.units import format_bytes
from machmeter.run.planning.automatic_names import automatic_rules

KIB, MIB = 2**10, 2**20
SMALLEST_PROBED, LARGEST_PROBED = 64 * KIB, 64 * MIB
_LAUNCHES = 2
# A few at once are enough to fill a link with messages of this size.
_WINDOW = 4
# Doubling the message brings less than this: flat.
FLAT_SHARE = 0.03


class MessageSizes(Struct, frozen=True):
    """Message sizes of a bandwidth curve."""

    sizes: tuple[int, ...]
    """Bytes."""
    note: str
    """Where the curve ends and why, for people."""


def needs_message_sizes(study: Study) -> bool:
    """Whether the study leaves the sizes of a bandwidth curve to `auto`."""
    return AutoRule.MESSAGES in automatic_rules(study)


def message_sizing_spec(plan: Plan) -> LaunchSpec | None:
    """The launches that find where bandwidth is flat, under the layout of a bandwidth curve of
    `plan` that has the most nodes; None where it has none.
    """
    curves = [s for s in plan.specs if s.benchmark == BANDWIDTH.name and not s.variant.is_baseline]
    if not curves:
        return None
    likeliest = max(curves, key=lambda one: (one.layout.nodes, -one.layout.ranks))
    layout, variant = likeliest.layout, likeliest.variant
    sizes = [SMALLEST_PROBED]
    while sizes[-1] < LARGEST_PROBED:
        sizes.append(2 * sizes[-1])
    others: dict[str, Value] = {"direction": "one-way", "window": _WINDOW, "buffers": "hot"}
    return LaunchSpec(
        name="sizing of messages",
        program=likeliest.program,
        benchmark=BANDWIDTH.name,
        layout=layout,
        points=tuple(
            make_point(BANDWIDTH.name, {**others, "size": s}, layout, variant) for s in sizes
        ),
        seconds_per_point=0.02,
        samples=50,
        role=LaunchRole.SIZING,
        variant=variant,
        one_machine=likeliest.one_machine,
    )


def message_sizing_launches(spec: LaunchSpec) -> int:
    """How often it is launched: what is simulated is the same every time."""
    return 1 if spec.simulated else _LAUNCHES


def choose_message_sizes(measured: Sequence[tuple[int, float]]) -> MessageSizes:
    """Powers of four from 1 B to where bandwidth is flat, that size included.

    measured: message size, bytes, and bandwidth there, bytes per second, by size; none: 4 MiB.
    """
    end, note = _flat_from(measured)
    sizes = [1]
    while 4 * sizes[-1] < end:
        sizes.append(4 * sizes[-1])
    return MessageSizes((*sizes, end), note)


def _flat_from(measured: Sequence[tuple[int, float]]) -> tuple[int, str]:
    if len(measured) < 2:
        return 4 * MIB, "bandwidth up to messages of 4 MiB (no sizing launch came through)"
    # A dip where a protocol begins is no end: what counts is that no larger message brings more.
    for index, (size, bandwidth) in enumerate(measured[:-1]):
        if max(later for _, later in measured[index + 1 :]) < bandwidth * (1 + FLAT_SHARE):
            # One octave more shows that it stays so.
            return 2 * size, f"no more bandwidth beyond messages of {format_bytes(size)} (sizing)"
    last = measured[-1][0]
    return last, f"bandwidth still rises at messages of {format_bytes(last)}, the largest probed"
