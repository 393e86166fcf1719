"""What launches start."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Starter(StrEnum):
    """What starts the processes of a program."""

    NONE = "one process, started directly"
    MPIEXEC = "ranks, started by an MPI's mpiexec"
    OSHRUN = "processing elements, started by OpenSHMEM's oshrun"


class Program(Struct, frozen=True):
    """A program that launches start: by its protocol (arguments, record) one of ours."""

    name: str
    """The name of its file, which is its target in the build too."""
    starter: Starter
    """What starts its processes."""
    toolchain: str
    """What compiles it, by its name among `build.toolchains.TOOLCHAINS`."""

    @property
    def has_ranks(self) -> bool:
        """Whether it is started as several processes that communicate."""
        return self.starter is not Starter.NONE

    @property
    def chooses_mpi(self) -> bool:
        """Whether it can be compiled and started with any of several MPI libraries."""
        return self.starter is Starter.MPIEXEC
