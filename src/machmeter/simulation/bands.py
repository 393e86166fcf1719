"""The interval of a simulated result: how far the model may be off, never a spread of launches."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate, Scale
from machmeter.model.twin import Twin
from machmeter.model.units import UNBOUNDED


def with_band(estimate: Estimate, twin: Twin) -> Estimate:
    """`estimate` as simulated on `twin`, its interval the error band of the model.

    A band is a share of the value: the machine's own is taken to be from value / (1 + share) to
    value * (1 + share); of a share from value - share to value + share. Without a known band the
    interval has no bounds.
    """
    simulated = replace(estimate, origin=Origin.SIMULATED, resolved=True)
    share = twin.band(estimate.point.benchmark)
    if share is None:
        linear = estimate.scale is Scale.LINEAR
        return replace(
            simulated,
            low=-UNBOUNDED if linear else 0.0,
            high=UNBOUNDED,
            precision=UNBOUNDED,
            reached=False,
        )
    if estimate.scale is Scale.LOG:
        low, high = estimate.value / (1 + share), estimate.value * (1 + share)
    else:
        low, high = estimate.value - share, estimate.value + share
    return replace(
        simulated,
        low=low,
        high=high,
        precision=share,
        reached=share <= estimate.target_precision,
    )
