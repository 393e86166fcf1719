"""One caveat for other programs on the CPUs of launches, in the place of what they cause. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from machmeter.model.plan.launch import LaunchOutcome
from machmeter.model.results.caveat import Caveat, CaveatKind

_OFTEN = 0.1
_REMEDY = "measure when they have ended, or on a node of your own"


def with_contention(
    caveats: Sequence[Caveat], outcomes: Sequence[LaunchOutcome]
) -> tuple[Caveat, ...]:
    """The caveats with one for contended launches, if there are any, one for those whose device
    was disturbed, and one for those that stood still.

    Where the former are a tenth of all launches, they explain noise, and that too few launches are
    left.
    """
    disturbed = [one for one in outcomes if one.disturbed and not one.interrupted]
    on_device = [one for one in disturbed if one.device_disturbed is True]
    stopped = [one for one in disturbed if one.stopped_seconds and one not in on_device]
    of_device = [
        *([_of_device(on_device, len(outcomes))] if on_device else []),
        *([_of_stopped(stopped, len(outcomes))] if stopped else []),
    ]
    contended = [one for one in disturbed if one not in (*on_device, *stopped)]
    if not contended:
        return (*caveats, *of_device)
    shares = [one.share_of_others for one in contended if one.share_of_others is not None]
    used = f"used {100 * median(shares):.0f} % of the CPUs" if shares else "used the CPUs"
    text = f"other programs {used} in {len(contended)} of {len(outcomes)} launches"
    explained: list[Caveat] = []
    if len(contended) >= _OFTEN * len(outcomes):
        kinds = (CaveatKind.FEW_LAUNCHES, CaveatKind.NOISE)
        explained = [one for one in caveats if one.kind in kinds]
    few = next((one for one in explained if one.kind is CaveatKind.FEW_LAUNCHES), None)
    one_for_all = (
        Caveat(few.kind, f"{text}: {few.text}", _REMEDY)
        if few
        else Caveat(CaveatKind.NOISE, f"{text}, which do not count", _REMEDY)
    )
    return (*(one for one in caveats if one not in explained), *of_device, one_for_all)


def _of_device(disturbed: Sequence[LaunchOutcome], launches: int) -> Caveat:
    return Caveat(
        CaveatKind.NOISE,
        f"the device was disturbed in {len(disturbed)} of {launches} launches, which do not count: "
        f"{disturbed[0].reasons[-1]}",
        "measure when no other process uses the device, and it is cool and has its full power",
    )


def _of_stopped(stopped: Sequence[LaunchOutcome], launches: int) -> Caveat:
    seconds = sum(one.stopped_seconds or 0.0 for one in stopped)
    return Caveat(
        CaveatKind.NOISE,
        f"machmeter stood still for {seconds:.0f} s in {len(stopped)} of {launches} launches, "
        "which do not count: a suspended job, a paused machine, or Ctrl-Z",
    )


def among_others_caveats(among_others: bool) -> list[Caveat]:
    """That nobody waited for quiet CPUs or judged what others did."""
    text = "MACHMETER_BESIDE_OTHERS: launches count whatever other programs took of their CPUs"
    return [Caveat(CaveatKind.AMONG_OTHERS, text)] * among_others
