"""Which launches come next: rounds in random order, until every spec has enough. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence

from machmeter.model.plan.launch import LaunchSpec, Verdict

GIVE_UP_AFTER = 3
GIVE_UP_AFTER_DISTURBED = 10
# A launch that hangs costs its whole limit.
GIVE_UP_AFTER_TIMEOUTS = 2


def round_order(
    specs: Sequence[LaunchSpec], seed: int, number: int
) -> tuple[tuple[LaunchSpec, ...], ...]:
    """The specs of one round in an order drawn from the run's seed and the round's number.

    A round launches each spec once, so that points that are compared run next to each other
    whatever the machine does in the meantime. Variants of one group stand together, in an order
    that is drawn too; what has no group stands alone.
    """
    order = [list(partners) for partners in groups_of(specs)]
    drawn = random.Random(f"{seed}:round {number}")  # noqa: S311 - an order, not a secret
    drawn.shuffle(order)
    for partners in order:
        drawn.shuffle(partners)
    return tuple(map(tuple, order))


def groups_of(specs: Sequence[LaunchSpec]) -> tuple[tuple[LaunchSpec, ...], ...]:
    """Specs that are launched next to each other; what has no group by itself."""
    together: dict[str, list[LaunchSpec]] = {}
    for spec in specs:
        together.setdefault(spec.group or spec.name, []).append(spec)
    return tuple(map(tuple, together.values()))


def launch_seed(seed: int, number: int) -> int:
    """The seed of launch `number`: 63 bits drawn from the run's seed."""
    return random.Random(f"{seed}:launch {number}").getrandbits(63)  # noqa: S311


def given_up(verdicts: Sequence[Verdict]) -> bool:
    """Whether a spec is launched no more: its last three launches were refused or failed, or its
    last two did not end. Those that others disturbed say nothing of it, unless there were ten in a
    row.
    """
    if (
        len(verdicts) >= GIVE_UP_AFTER_DISTURBED
        and Verdict.ACCEPTED not in (verdicts[-GIVE_UP_AFTER_DISTURBED:])
    ):
        return True
    own = [one for one in verdicts if one is not Verdict.CONTENDED]
    last = own[-GIVE_UP_AFTER:]
    if len(last) == GIVE_UP_AFTER and Verdict.ACCEPTED not in last:
        return True
    return tuple(own[-GIVE_UP_AFTER_TIMEOUTS:]) == ((Verdict.TIMED_OUT,) * GIVE_UP_AFTER_TIMEOUTS)
