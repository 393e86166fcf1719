"""The record of a program that writes none: what machmeter sees of its launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from machmeter.apps.extract import read_output
from machmeter.apps.judge import output_faults
from machmeter.benchmarks.explore import COPIES_FACT
from machmeter.launch.files.given_files import COPIES, GivenFiles
from machmeter.launch.files.launch_folder import (
    LARGEST_READ,
    leave_launch_folder,
    make_launch_folder,
    written_texts,
)
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult
from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.layout import ThreadPlace
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import OutputReadings
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    Check,
    Closing,
    FileState,
    Header,
    Launch,
    PointRecord,
)
from machmeter.model.plan.observation import ObservedRank
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.store.files import read_bounded
from machmeter.store.json_text import decode_json


class Running(NamedTuple):
    """How a launch of a program that is not ours runs."""

    words: tuple[str, ...]
    """The program and its arguments, with the numbers of the launch."""
    run: Callable[[str, int, Sequence[Path]], ProcessResult]
    """Runs it in a folder to its end, keeps some bytes of its output, from the end, and has some
    files read-only for it."""
    prepare: Callable[[Path, Sequence[Path]], ProcessResult | None] = lambda *_: None
    """What runs in that folder before, with these files read-only; the result of what failed."""
    is_local: bool = False
    """Whether all of it are processes below this one."""


def run_observed(
    launch: Launch, command: Command, record: Path, running: Running, files: GivenFiles
) -> ProcessResult:
    """Run the command of a launch, and write its record where it ended well.

    files: looks at what it is given. Raises OSError where the disk takes no folder or record,
    MachineLacksError where the program fills a folder that is not the launch's own.
    """
    folder = record.with_suffix(".files") if command.own_folder else Path(command.folder)
    try:
        given = files.before(
            command, running.words, record.parent / COPIES, is_local=running.is_local
        )
        if command.own_folder:
            make_launch_folder(folder, launch, command, given.links)
    except UsageError as error:
        return ProcessResult(1, 0.0, False, f"machmeter-launch: {error.message}; {error.remedy}")
    started, description = datetime.now(UTC), command.description
    ranks_started = launch.spec.layout.ranks
    try:
        most_kept = LARGEST_READ if description else OUTPUT_TAIL
        failed = running.prepare(folder, given.read_only)
        result = failed or running.run(str(folder), most_kept, given.read_only)
    except BaseException:
        take_observed(observed_file(record), ranks_started)
        if command.own_folder:
            leave_launch_folder(folder, keep=False)
        raise
    ranks = take_observed(observed_file(record), ranks_started)
    if result.filled_folder and not command.own_folder:
        raise _folder_filled(command, result)
    read = None
    if description:
        texts = written_texts(folder, description, result.output)
        read = read_output(description, texts, launch.spec.layout.threads)
    # An exit code that the program may have is none of a preparation.
    seen = Seen(started, ranks, read, files.after(given))
    lines = b"" if failed else observed_record(launch, result, seen)
    if lines:
        record.write_bytes(lines)
    said = result.output
    if command.own_folder:
        wrong = not lines or output_faults(launch, read, {})
        if problem := leave_launch_folder(folder, keep=command.keeps_files or bool(wrong)):
            files.notify(problem)
            said += f"\nmachmeter-launch: {problem}\n"
    return replace(result, output=said[-OUTPUT_TAIL:])


def _folder_filled(command: Command, result: ProcessResult) -> MachineLacksError:
    """Its files stay where they are, and the next launch would add to them."""
    return MachineLacksError(
        f"the program was ended, for it fills the disk with files in {command.folder}",
        "remove them, then continue with `machmeter run --resume RUN`; what was measured before is "
        "intact (launches of a described program have folders of their own, which are removed)",
        details=result.output,
    )


def observed_file(record: Path) -> str:
    """What the files of observed ranks begin with; the number of the rank follows."""
    return f"{record}.rank"


class Seen(NamedTuple):
    """What machmeter saw of a launch."""

    started: datetime
    """When it began."""
    ranks: Sequence[ObservedRank] = ()
    """As the wrapper saw them."""
    read: OutputReadings | None = None
    """What was read in its output."""
    given: tuple[FileState, ...] = ()
    """The program and its input files."""


def observed_record(launch: Launch, result: ProcessResult, seen: Seen) -> bytes:
    """The record of a launch that ended well; empty for one that did not.

    Its one sample is the wall time of the command, its quantities are the figures of merit. What
    nobody observed is missing: toolchain, clock, noise, and places of threads by their number.
    """
    started, ranks, read = seen.started, seen.ranks, seen.read
    command = launch.spec.command
    if command is None or result.exit_code not in command.exit_codes:
        return b""
    if result.timed_out or result.wrote_too_much:
        return b""
    header = Header(
        format=RECORD_FORMAT,
        benchmark=launch.spec.benchmark,
        launch=launch.number,
        seed=launch.seed,
        world_size=launch.spec.layout.ranks,
        started=started.isoformat(),
        places=tuple(
            ThreadPlace(number, 0, one.host, one.cpus, -1) for number, one in enumerate(ranks)
        ),
        toolchain=None,
        clock=None,
        noise=(),
        inputs=seen.given,
        hosts=tuple(
            dict.fromkeys(ObservedHost(one.host, one.boot, one.kernel_started) for one in ranks)
        ),
    )
    (point,) = launch.spec.points
    wall = PointRecord(
        parameters=dict(point.parameters),
        series={"seconds": (result.wall_seconds,)},
        batch=1,
        check=Check(passed=True, what=f"the program ended with exit code {result.exit_code}"),
        quantities=_figures(command, read)
        | ({COPIES_FACT: float(launch.spec.layout.ranks)} if command.copies else {}),
    )
    closing = Closing(
        ended=(started + timedelta(seconds=result.wall_seconds)).isoformat(),
        points=1,
        noise=(),
        timed_seconds=result.wall_seconds,
    )
    lines = (header, wall, *ranks, *((read,) if read else ()), closing)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _figures(command: Command, read: OutputReadings | None) -> dict[str, float]:
    if command.description is None or read is None:
        return {}
    names = (one.name for one in command.description.figures)
    return {name: read.values[name] for name in names if name in read.values}


def take_observed(begin: str, ranks: int) -> tuple[ObservedRank, ...]:
    """What the wrapper wrote of each rank, on whatever host, whose files are removed: they are a
    part of the record now. begin: of their names.

    A file that is missing or damaged counts as no rank. Raises OSError where one cannot be removed.
    """
    found = []
    for number in range(ranks):
        path = Path(f"{begin}.{number}")
        with suppress(MachmeterError, ValueError, RecursionError):
            found.append(decode_json(read_bounded(path, _LARGEST), _decoder))
        path.unlink(missing_ok=True)
    return tuple(found)


_LARGEST = 16 * 2**20
_decoder = msgspec.json.Decoder(ObservedRank)
