"""A program of a user's, as launches start it."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.plan.description import Description


class Command(Struct, frozen=True):
    """What is started in the place of a program of ours."""

    words: tuple[str, ...]
    """The program, as an absolute path, and its arguments, with placeholders as in
    `Description`."""
    folder: str
    """Where it is started; where each launch has a folder of its own, where the input files are."""
    limit_seconds: float
    """A launch that takes longer is ended, seconds."""
    description: Description | None = None
    """What its output must hold (null: nothing of it is read)."""
    own_folder: bool = False
    """Whether each launch has a folder of its own, with links to the input files."""
    typed: tuple[str, ...] = ()
    """The program and its arguments as a person wrote them, or the file that describes them."""
    keeps_files: bool = False
    """Whether what a launch wrote into its folder is kept although nothing was wrong with it."""
    mpi: str = ""
    """What starts its ranks, as `--mpi` names it (empty: the MPI of the run)."""
    copies: bool = False
    """Whether its ranks are copies of a program that do not communicate."""

    @property
    def exit_codes(self) -> tuple[int, ...]:
        """Those of a launch that ended well."""
        return self.description.exit_codes if self.description else (0,)
