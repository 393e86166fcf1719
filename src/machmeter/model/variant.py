"""What a launch varies in beyond its layout: its MPI library and its build, by name."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.model.benchmark import Value


class Role(StrEnum):
    """What a variant is in a comparison: the usual case is a candidate, of which there may be many.

    The candidates' results are those of the run; the baseline's are what they are compared with.
    """

    CANDIDATE = "candidate"
    BASELINE = "baseline"


class Variant(Struct, frozen=True):
    """One of the variants of a run, of which there may be any number, distinguished by name.

    A field is empty where the run has only one of its kind, or the program needs none.
    """

    mpi: str = ""
    """The MPI library, as `--mpi` names it."""
    build: str = ""
    """The build (compiler, flags and sources): `baseline` for that of an A/B run's baseline."""
    role: Role = Role.CANDIDATE
    """Whether results are the run's own or the baseline's."""

    @property
    def name(self) -> str:
        """`mpich`, `baseline`, `baseline@mpich`; empty where a run has one variant only."""
        return "@".join(filter(None, (self.build, self.mpi)))

    @property
    def is_baseline(self) -> bool:
        """Whether its results are what others are compared with."""
        return self.role is Role.BASELINE

    def as_baseline(self) -> Variant:
        """The same MPI library on the baseline of an A/B run."""
        return Variant(self.mpi, Role.BASELINE.value, Role.BASELINE)

    def fields(self) -> dict[str, Value]:
        """What results of one role may differ in, by name, as layouts differ in their fields."""
        return {"mpi": self.mpi, "build": self.build}


ONLY = Variant()
"""The variant of a run that has one."""
