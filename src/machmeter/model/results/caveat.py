"""What a reader must know before trusting the results of a run."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class CaveatKind(StrEnum):
    """What a caveat is about; members stand from the gravest to the least."""

    SIMULATED = "a model of a machine states the results"
    ONE_MACHINE = "nodes were one machine"
    LOST_HOSTS = "hosts that were lost and left out"
    FASTER_LIBRARY = "another MPI library is much faster"
    FAILED_LAUNCHES = "launches that were rejected, failed or were cut short"
    GIVEN_UP = "layouts that were given up"
    SEVERAL_BUILDS = "launches of several builds of one program"
    BASELINE_CHANGED = "the baseline does not run as it did"
    NOTHING_DIFFERS = "candidate and baseline do not differ"
    FEW_LAUNCHES = "fewer launches than an interval needs"
    DRIFT = "performance changed during the run"
    OTHER_LIBRARY = "another MPI library is much slower"
    REFERENCE_BLAS = "a program computes with the reference BLAS"
    SYSTEM_TIME = "an MPI library spends much of its CPU time in the system"
    UNLIKE_HOSTS = "hosts differ in hardware or settings"
    ADAPTER = "a network adapter is slower than it can be"
    ONE_HOST = "all ranks ran on one host"
    DROPPED_POINTS = "points that were dropped from launches"
    NOT_OBSERVED = "nobody saw ranks of a program"
    NOT_VERIFIED = "the placement of a program was requested and not verified"
    REFERENCES = "results of a program that were not compared with known ones of its version"
    VIRTUAL_MACHINE = "the machine is a virtual one"
    NOISE = "other work or the system interrupted measurements"
    AMONG_OTHERS = "launches count whatever other programs did"
    CACHE = "the last cache is not as the system describes it"
    LIMITED = "the system limits memory, CPU time or frequency"
    UNSOUND_NOISE = "noise readings that cannot be"
    NOT_MEASURED = "what the machine or the request does not allow to measure"

    @property
    def severity(self) -> int:
        """Its place from 0, the gravest, on."""
        return tuple(CaveatKind).index(self)


class Caveat(Struct, frozen=True):
    """One thing that limits what the results of a run mean."""

    kind: CaveatKind
    """What it is about."""
    text: str
    """What was seen."""
    remedy: str = ""
    """What to do about it; empty where nothing can be done."""


def gravest_first(caveats: tuple[Caveat, ...]) -> tuple[Caveat, ...]:
    """Caveats by their severity, those of one kind in the order they have."""
    return tuple(sorted(caveats, key=lambda caveat: caveat.kind.severity))
