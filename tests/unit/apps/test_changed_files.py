"""Launches that were given other files are told apart by their records."""

from __future__ import annotations

from machmeter.apps.changed_files import changed_files
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description, InputFile
from machmeter.model.plan.launch import FileState

SOLVER = FileState("/home/a/solver", 10, 5, "a" * 64)
MESH = FileState("/home/a/in/mesh", 10, 5, "b" * 64)
OTHER = FileState("/home/a/in/mesh", 10, 5, "c" * 64)
COMMAND = Command(("/home/a/solver",), "/home/a", 60.0)


def test_the_same_files_are_no_reason() -> None:
    first = {one.path: one for one in (SOLVER, MESH)}
    touched = FileState(MESH.path, 10, 99, MESH.sha256)
    assert changed_files(COMMAND, (SOLVER, touched), first) == ()
    assert changed_files(COMMAND, (SOLVER, MESH), {}) == ()
    assert changed_files(None, (), first) == ()


def test_another_file_than_in_the_first_launch_is_named() -> None:
    (reason,) = changed_files(COMMAND, (SOLVER, OTHER), {MESH.path: MESH})
    assert "/home/a/in/mesh" in reason
    assert "b" * 12 in reason
    assert "c" * 12 in reason


def test_a_file_that_changed_during_the_launch_is_named() -> None:
    written = FileState(SOLVER.path, 10, 5, SOLVER.sha256, written=True)
    (reason,) = changed_files(COMMAND, (written, MESH), {SOLVER.path: SOLVER})
    assert reason == "solver was changed during the launch: /home/a/solver"


def test_the_first_launch_is_given_what_the_description_names() -> None:
    described = Description(
        name="a", title="A", command=("a",), inputs=(InputFile(path="in/mesh", sha256="B" * 64),)
    )
    command = Command(("/home/a/solver",), "/home/a", 60.0, described)
    assert changed_files(command, (SOLVER, MESH), {}) == ()
    (reason,) = changed_files(command, (SOLVER, OTHER), {})
    assert "/home/a/in/mesh" in reason
