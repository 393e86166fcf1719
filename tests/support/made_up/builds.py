"""Folders of a cache that look like builds."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from machmeter.build.programs import WRAPPER
from machmeter.build.sources import read_sources
from machmeter.model.program import Program


def made_build(folder: Path, program: Program, benchmarks: Collection[str] | None = None) -> Path:
    """A build of a program that holds those benchmarks (None: all) of today's sources."""
    folder.mkdir()
    for name in (program.name, WRAPPER):
        (folder / name).write_text("")
    kernels = read_sources().of_program(program.name, benchmarks)
    held = {name: one.hash for name, one in kernels.items()}
    (folder / "kernels.json").write_bytes(msgspec.json.encode(held))
    return folder
