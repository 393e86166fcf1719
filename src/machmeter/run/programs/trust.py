"""What an earlier run requested or named, and may not be taken as it stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.build.compiler import parse_flags
from machmeter.build.mpi import EMBEDDED
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine, Software
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.run import Request, RunHeader, Skipped

# `g++`, `clang++-14`, `x86_64-linux-gnu-g++`, `hipcc-6.1.2`, `CC`: found on the PATH.
_COMPILER_NAME = re.compile(
    r"([A-Za-z0-9_.][A-Za-z0-9_.-]*)?(\+\+|CC|cc|icpx|icpc)(-?[0-9.]{1,10}|-[A-Za-z0-9.-]{1,20})?"
)
# Flags that neither load code nor name a file: optimization, symbols, processor, and switches.
_HARMLESS_FLAG = re.compile(
    r"-O([0-3sgz]|fast)?|-g([0-3]|gdb[0-3]?|dwarf(-[2-5])?)?"
    r"|-m(arch|tune|cpu|abi|fpu|float-abi|prefer-vector-width)=[A-Za-z0-9_.+-]+"
    r"|-m(?!llvm)[a-z0-9.-]+|-f(no-)?[a-z0-9-]+"
)


def still_known(study: Study, run: str) -> tuple[Study, tuple[Skipped, ...]]:
    """The study without benchmarks and parameters that this machmeter does not know any more.

    run: whose study it is. Raises UsageError where nothing is left.
    """
    lacking = [(one, what) for one in study.experiments if (what := _lacks(one))]
    if not lacking:
        return study, ()
    skipped = tuple(
        Skipped(one.benchmark, f"run {run} requested it, and this machmeter has no {what}")
        for one, what in lacking
    )
    experiments = tuple(one for one in study.experiments if not _lacks(one))
    if not experiments:
        raise UsageError(
            f"this machmeter knows nothing any more of what run {run} asked: "
            f"{skipped[0].what}: {skipped[0].reason}",
            "name benchmarks of today (`machmeter list`) and measure them again",
        )
    names = {one.name for one in BENCHMARKS}
    questions = tuple(one for one in study.questions if one.benchmark in names)
    return replace(study, experiments=experiments, questions=questions), skipped


def refuse_unsound_flags(run: str, request: Request) -> None:
    """Flags in the file of `run` are read like those of a command line. Raises UsageError."""
    flags = request.flags
    try:
        sound = parse_flags(" ".join(flags)) == flags
    except UsageError as error:
        raise UsageError(f"run {run}: {error.message}", "name another run") from error
    if not sound:
        raise UsageError(f"run {run} names flags that are none", "name another run")


def refuse_unnamed_paths(run: str, request: Request, named: Collection[str]) -> None:
    """Refuse to start or load what a run of unknown origin asks for.

    named: compiler, MPIs and flags that the command line names (`named_by`). What is found by its
    name alone, on the PATH or at PyPI, is no other's choice, nor are flags that only choose how
    code is made. Raises UsageError.
    """
    for option, value in _to_be_named(request):
        if value not in named:
            raise UsageError(
                f"run {run} is not known to be yours, and it asks for {option}={value}: "
                f"{_DANGERS[option]}",
                f"if you trust that, name it too ({option}={value}); or measure here again what it "
                "measured, and name that run",
            )


def refuse_to_resume(header: RunHeader, today: Machine, home: str) -> None:
    """Refuse to go on with a run of unknown origin that would start or load what only it names.

    today: this machine as it is found now, with the OpenSHMEM and Intel's OpenMP runtime that the
    run would have on it. home: this user's own runs. Raises UsageError.
    """
    every = [header.request, *([header.baseline.request] if header.baseline else [])]
    found = [one for request in every for one in (*_to_be_named(request), *_on_hosts(request))]
    found += _other_libraries(header.machine.software, today.software)
    for option, value in found:
        raise UsageError(
            f"run {header.id} is not known to be yours, and it asks for {option}={value}: "
            f"{_DANGERS[option]}",
            f"if you trust it, move its folder into {home} and resume it there; or start a new run",
        )


_DANGERS = {
    "--mpi": "what lies there would be started",
    "--compiler": "that would be started, and is neither empty nor the bare name of a compiler",
    "--flags": "a flag that may load code, or is not known to do otherwise",
    "--remote-shell": "that would be started",
    "--hosts": "it would reach out to other hosts",
    "--openmp": "that library is not found on this machine today, and would be loaded",
    "--allocator": "that library is not found on this machine today, and would be loaded",
    "OpenSHMEM": "that is not the one found on this machine today, and would be started",
}


def _to_be_named(request: Request) -> Iterator[tuple[str, str]]:
    for mpi in request.mpi.split(","):
        if mpi not in EMBEDDED:
            yield "--mpi", mpi
    if request.compiler and not _COMPILER_NAME.fullmatch(request.compiler):
        yield "--compiler", request.compiler
    for flag in request.flags:
        if not _HARMLESS_FLAG.fullmatch(flag):
            yield "--flags", flag


def _on_hosts(request: Request) -> Iterator[tuple[str, str]]:
    if request.layout_options.remote_shell:
        yield "--remote-shell", request.layout_options.remote_shell
    if request.layout_options.hosts:
        yield "--hosts", ",".join(request.layout_options.hosts)


def _other_libraries(recorded: Software, today: Software) -> Iterator[tuple[str, str]]:
    for option, there, here in (
        ("--openmp", recorded.openmp_runtimes, today.openmp_runtimes),
        ("--allocator", recorded.allocators, today.allocators),
    ):
        for name, path in there.items():
            if here.get(name) != path:
                yield option, path
    if recorded.shmem not in ("", today.shmem):
        yield "OpenSHMEM", recorded.shmem


def named_by(request: Request, given: Collection[str]) -> tuple[str, ...]:
    """Compiler, MPIs and flags that stand on the command line. given: its options by name."""
    words = {"compiler": (request.compiler,), "mpi": request.mpi.split(","), "flags": request.flags}
    return tuple(word for name, several in words.items() if name in given for word in several)


def _lacks(experiment: Experiment) -> str:
    """The benchmark or parameter that there is no more, as text; empty where all are there."""
    benchmark = next((one for one in BENCHMARKS if one.name == experiment.benchmark), None)
    if benchmark is None:
        return "such benchmark"
    known = {parameter.name for parameter in benchmark.parameters}
    gone = [name for name in experiment.parameters if name not in known]
    return f"parameter {', '.join(gone)} of it" if gone else ""
