"""What launches start."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

SIMULATOR = "machmeter-simulate"
"""The name of the program that simulates launches."""


class Starter(StrEnum):
    """What starts the processes of a program."""

    NONE = "one process, started directly"
    MPIEXEC = "ranks, started by an MPI's mpiexec"
    OSHRUN = "processing elements, started by OpenSHMEM's oshrun"
    MODEL = "ranks of a simulated machine, in one process that is started directly"


class Program(Struct, frozen=True):
    """A program that launches start: one of ours, which writes its record, or any other, which is
    observed from outside."""

    name: str
    """The name of its file, which is its target in the build too."""
    starter: Starter
    """What starts its processes."""
    toolchain: str
    """What compiles it, by its name among `build.toolchains.TOOLCHAINS`; empty for a program that
    is not ours."""

    @property
    def observed(self) -> bool:
        """Whether it is not ours: the launch names its command, and its record is made of what is
        seen from outside."""
        return not self.toolchain

    @property
    def has_ranks(self) -> bool:
        """Whether it is started as several processes that communicate."""
        return self.starter is not Starter.NONE

    @property
    def chooses_mpi(self) -> bool:
        """Whether it can be compiled and started with any of several MPI libraries."""
        return self.starter is Starter.MPIEXEC
