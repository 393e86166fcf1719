"""The folder of one run: its header, the plan, and a few files a launch.

run.json                 what the run is (RunHeader)
plan.json                what it will launch (Plan)
launches/00012.launch.json    what launch 12 shall do, on disk before it starts; what the plan
                              says of it is left there
launches/00012.jsonl          its record, written by the native program
launches/00012.outcome.json   what became of it
state.json               how far the run came, and the time it took
tried.json               lines to copy that were started once at the end (TriedLines)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType

from machmeter.model.device import NamedDevice
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.layout import Assignment, AssignmentElsewhere
from machmeter.model.plan.launch import Launch, LaunchOutcome, LaunchSpec, Record
from machmeter.model.results.run import Plan, RunHeader, RunState, TriedLines
from machmeter.store.files import make_folder, read_json, write_json
from machmeter.store.folders import remove_tree
from machmeter.store.records import read_record

PAGE = "report.html"
_ANY_OF_LAUNCH = r"(\d{5,9})\.(?:launch\.json|outcome\.json|jsonl)"
_FILE_OF_RUN = re.compile(rf"(run|plan|state|tried)\.json|launches/{_ANY_OF_LAUNCH}")
_LAUNCH_FILE = re.compile(r"^(\d{5,9})\.launch\.json$")
_OUTCOME_FILE = re.compile(r"^(\d{5,9})\.outcome\.json$")
_ANY_LAUNCH_FILE = re.compile(rf"^{_ANY_OF_LAUNCH}$")
# As `store.files.replacing` names what it writes.
_UNWRITTEN = re.compile(r"\.(?:run|plan|state|tried)\.json\.\d+\.partial")
_UNWRITTEN_OF_LAUNCH = re.compile(r"\.\d{5,9}\.(?:launch|outcome)\.json\.\d+\.partial")


class _LaunchFile(Struct, frozen=True):
    """What a launch shall do, without what the plan says of its spec."""

    number: int
    """Its number in the run."""
    spec: str | LaunchSpec
    """Its name in the plan; whole where no plan has it: while sizes are found, and in format 2."""
    seed: int
    """Draws the order of its points."""
    assignment: Assignment | None = None
    """The CPUs that its ranks and threads are bound to; null where they are those of the plan."""
    round: int = 0
    """Its round (0: none)."""
    device: NamedDevice | UnsetType = UNSET
    """The device that its layout names; left out where it names none."""
    elsewhere: tuple[AssignmentElsewhere, ...] | UnsetType = UNSET
    """As of `Launch`."""


class StateFile(Struct, frozen=True):
    """How far a run came."""

    state: RunState
    """Running, interrupted or finished."""
    wall_seconds: float = 0.0
    """Wall time over all its sessions, seconds."""


def is_file_of_run(path: str) -> bool:
    """Whether a path within a run's folder, with `/` between, is that of a file of the run."""
    return _FILE_OF_RUN.fullmatch(path) is not None


def replaces_file_of_run(path: Path) -> bool:
    """Whether what is written to `path` would take the place of what a run recorded."""
    whole = path.absolute()
    return any(
        holds_run(folder) and is_file_of_run(whole.relative_to(folder).as_posix())
        for folder in (whole.parent, whole.parent.parent)
    )


def holds_run(path: Path) -> bool:
    """Whether there is a run in `path`; no for what is no folder's name or may not be entered."""
    try:
        return (path / "run.json").is_file()
    except OSError:
        return False


class RunFolder:
    """Reads and writes the files of one run; everything it writes is durable when it returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._planned: dict[str, tuple[LaunchSpec, Assignment | None]] = {}

    @classmethod
    def create(cls, path: Path, header: RunHeader) -> RunFolder:
        """A new run's folder with its header. Raises UsageError when a run is there already."""
        if holds_run(path):
            raise UsageError(f"{path} holds a run already", "name another folder, or use --resume")
        make_folder(path / "launches")
        folder = cls(path)
        write_json(path / "run.json", header)
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """An existing run's folder. Raises UsageError when there is no run in it."""
        if not holds_run(path):
            raise UsageError(f"there is no run in {path}", "`machmeter runs` lists the runs")
        return cls(path)

    def header(self) -> RunHeader:
        """What the run is."""
        return read_json(self.path / "run.json", RunHeader)

    def plan(self) -> Plan | None:
        """What the run launches; None while it is still being sized."""
        file = self.path / "plan.json"
        return read_json(file, Plan) if file.exists() else None

    def write_plan(self, plan: Plan) -> None:
        """Keep the plan, before the first launch that it requests."""
        write_json(self.path / "plan.json", plan)
        self._planned = {}

    def state(self) -> StateFile:
        """How far the run came; interrupted when it never said."""
        file = self.path / "state.json"
        return read_json(file, StateFile) if file.exists() else StateFile(RunState.INTERRUPTED)

    def write_state(self, state: StateFile) -> None:
        """Keep how far the run came."""
        write_json(self.path / "state.json", state)

    def tried(self) -> TriedLines | None:
        """The lines that were tried at the end; None where none were."""
        file = self.path / "tried.json"
        return read_json(file, TriedLines) if file.exists() else None

    def write_tried(self, tried: TriedLines) -> None:
        """Keep what became of them."""
        write_json(self.path / "tried.json", tried)

    def record_path(self, number: int) -> Path:
        """Where launch `number` writes its record."""
        return self.path / "launches" / f"{number:05d}.jsonl"

    def clear_launch(self, number: int) -> None:
        """Remove what a launch left that was cut short with its run: its folder, what its wrappers
        saw, and files that were not written to their end."""
        left = re.compile(rf"\.?{number:05d}\.(?:files|jsonl\.rank\..+|.+\.partial)")
        for one in (self.path / "launches").glob(f"*{number:05d}.*"):
            if left.fullmatch(one.name):
                remove_tree(one)

    def clear_unwritten(self) -> None:
        """Remove files that a run was killed in writing. The caller holds the measuring lock."""
        for folder, left in (
            (self.path, _UNWRITTEN),
            (self.path / "launches", _UNWRITTEN_OF_LAUNCH),
        ):
            for one in folder.glob(".*.partial"):
                if left.fullmatch(one.name):
                    remove_tree(one)

    def write_launch(self, launch: Launch) -> None:
        """Keep what a launch shall do, before it starts."""
        spec, assignment = self._of_plan(launch.spec.name) or (None, None)
        kept = _LaunchFile(
            launch.number,
            launch.spec.name if launch.spec == spec else launch.spec,
            launch.seed,
            None if launch.assignment == assignment else launch.assignment,
            launch.round,
            launch.device,
            launch.elsewhere,
        )
        write_json(self._launch_path(launch.number), kept)

    def write_outcome(self, outcome: LaunchOutcome) -> None:
        """Keep what became of a launch, before the next one starts."""
        write_json(self._outcome_path(outcome.launch), outcome)

    def launch_numbers(self) -> tuple[int, ...]:
        """Numbers of all launches that were started, rising."""
        return self._numbers_in(_LAUNCH_FILE)

    def missing_launches(self) -> tuple[range, ...]:
        """Numbers of launches of which it was removed what they were to do or what became of them.

        Of a run that has not finished, the last one may still be under way.
        """
        last = max(self._numbers_in(_ANY_LAUNCH_FILE), default=0)
        started = self.launch_numbers()
        known = set(started) & set(self._numbers_in(_OUTCOME_FILE))
        if self.state().state is not RunState.FINISHED:
            known.update(started[-1:])
        bounds = pairwise((0, *sorted(known), last + 1))
        return tuple(range(low + 1, high) for low, high in bounds if high > low + 1)

    def _numbers_in(self, pattern: re.Pattern[str]) -> tuple[int, ...]:
        try:
            names = [entry.name for entry in (self.path / "launches").iterdir()]
        except OSError as error:
            raise MachmeterError(
                f"cannot read {self.path / 'launches'}: {error.strerror}"
            ) from error
        found = (pattern.match(name) for name in names)
        return tuple(sorted({int(match.group(1)) for match in found if match}))

    def launch(self, number: int) -> Launch:
        """What launch `number` shall do. Raises MachmeterError where the plan does not say it."""
        kept = read_json(self._launch_path(number), _LaunchFile)
        name = kept.spec if isinstance(kept.spec, str) else kept.spec.name
        planned, cpus = self._of_plan(name) or (None, None)
        spec = planned if isinstance(kept.spec, str) else kept.spec
        assignment = cpus if kept.assignment is None else kept.assignment
        if spec is None or assignment is None:
            raise MachmeterError(
                f"{self.path / 'plan.json'} does not say what launch {number} was: {name}",
                "restore the files of the run, or measure again",
            )
        return Launch(
            *(kept.number, spec, kept.seed, assignment, kept.round, kept.device, kept.elsewhere)
        )

    def _of_plan(self, name: str) -> tuple[LaunchSpec, Assignment | None] | None:
        """A spec of the plan and its CPUs; the plan is read again only where it lacks the name, as
        one that was read before the fastest layout without binding was added to it."""
        if name not in self._planned and (plan := self.plan()):
            self._planned = {one.name: (one, plan.assignments.get(one.name)) for one in plan.specs}
        return self._planned.get(name)

    def outcome(self, number: int) -> LaunchOutcome | None:
        """What became of launch `number`; None when the run ended before it could say."""
        file = self._outcome_path(number)
        return read_json(file, LaunchOutcome) if file.exists() else None

    def record(self, number: int) -> Record:
        """The record of launch `number`, incomplete where it is cut off or missing."""
        return read_record(self.record_path(number))

    def outcomes(self) -> Iterator[LaunchOutcome]:
        """What became of every launch that ended, in order."""
        for number in self.launch_numbers():
            outcome = self.outcome(number)
            if outcome is not None:
                yield outcome

    def _launch_path(self, number: int) -> Path:
        return self.path / "launches" / f"{number:05d}.launch.json"

    def _outcome_path(self, number: int) -> Path:
        return self.path / "launches" / f"{number:05d}.outcome.json"


@contextmanager
def as_written(what: str) -> Iterator[None]:
    """Say of files whose content contradicts itself whose they are. Raises MachmeterError."""
    try:
        yield
    except (ValueError, LookupError, ArithmeticError) as error:
        raise MachmeterError(
            f"{what} is not what this version of machmeter writes: {error}",
            "read it with the version that wrote it, restore its files, or measure again",
        ) from error


def check_target(path: Path) -> None:
    """Refuse now a file that could not be written after minutes of work. Raises UsageError."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "name a file in it")
    if path.exists() and not path.is_file():
        # Files are renamed into place: as root that would put one where a device or pipe was.
        raise UsageError(f"{path} is a device or pipe, not a file", "name a file")
    if replaces_file_of_run(path):
        raise UsageError(f"{path} would replace what a run recorded", "name another file or folder")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}", "create it")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {path}: {folder} is not writable", "name another folder")
