"""Format check, compilation and native tests of what a change affects, and nothing else.

    python tools/test_changed_native.py [--since REVISION] [--build FOLDER] [--includers] [FILE ...]

FILE: changed files, relative to `native/` (by default those that differ from HEAD). The tests of
their own folders are built and run; sources of MPI there, which no test includes, are compiled.
--includers: also the tests and the sources of MPI in other folders that include the changes, which
may be all. The first step that fails ends it with exit code 1; a failing test is named by CTest.
Sources of OpenSHMEM are compiled by `pytest tests/native/test_shmem.py` alone.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from configure_native import BUILD, configure
from native_sources import NATIVE, affected_by, changed_since

_TOOLS = Path(sys.executable).parent
_MPI_OBJECTS = "CMakeFiles/machmeter-mpi.dir"
_TEST_SECONDS = 120


def main() -> None:
    """Check what the command line, or git, names as changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", help="the revision to compare with")
    parser.add_argument("--build", type=Path, default=BUILD, help="the build folder")
    parser.add_argument("--includers", action="store_true", help="also what includes the changes")
    parser.add_argument("files", nargs="*", help="changed files, relative to native/")
    options = parser.parse_args()
    changed = tuple(options.files) or changed_since(options.since)
    if not changed:
        print("nothing changed in native/")  # noqa: T201 - a command
        return
    if not (options.build / "build.ninja").is_file():
        configure(options.build)
    affected = affected_by(changed)
    _check_format([name for name in changed if name.endswith((".cpp", ".hpp"))])
    own, others = _tests(changed, affected)
    folders = {_folder(name) for name in changed}
    objects = sorted(filter(_is_of_mpi, affected))
    _run_tests(options.build, own, "tests of the changed folders")
    _compile(options.build, [name for name in objects if _folder(name) in folders])
    more = [name for name in objects if _folder(name) not in folders]
    if options.includers:
        _run_tests(options.build, others, "tests of what includes the changes")
        _compile(options.build, more)
    elif others or more:
        print(f"left to --includers: {len(others)} tests, {len(more)} sources of MPI")  # noqa: T201


def _tests(changed: Sequence[str], affected: frozenset[str]) -> tuple[list[str], list[str]]:
    """Names of tests (`core/clock/test_clock`): those of the changed files' folders, and others."""
    folders = {_folder(name) for name in changed}
    found = {path.relative_to(NATIVE).as_posix() for path in NATIVE.glob("tests/**/test_*.cpp")}
    names = {_folder(name): set[str]() for name in found}
    for name in found:
        names[_folder(name)].add(name)
    own = {name for folder in folders for name in names.get(folder, ())}
    return _named(own), _named((affected & found) - own)


def _folder(name: str) -> str:
    """The folder of a source or of a test of it, relative to `native/`."""
    return PurePosixPath(name.removeprefix("tests/")).parent.as_posix()


def _named(files: Iterable[str]) -> list[str]:
    return sorted(name.removeprefix("tests/").removesuffix(".cpp") for name in files)


def _is_of_mpi(name: str) -> bool:
    return name.startswith("network/") and name.endswith(".cpp")


def _check_format(files: Sequence[str]) -> None:
    if files:
        command = [str(_TOOLS / "clang-format"), "--dry-run", "--Werror"]
        _step(f"format of {len(files)} files", [*command, *(str(NATIVE / name) for name in files)])


def _run_tests(build: Path, tests: Sequence[str], what: str) -> None:
    if not tests:
        return
    programs = {f"tests/test-{_folder(test).replace('/', '-')}" for test in tests}
    _build(build, sorted(programs), what)
    only = "^(" + "|".join(re.escape(test) for test in tests) + ")$"
    _step(
        f"{len(tests)} {what}",
        [
            *(str(_TOOLS / "ctest"), "--test-dir", str(build), "-R", only, "--no-tests=error"),
            *("--output-on-failure", "--no-label-summary", "--timeout", str(_TEST_SECONDS)),
        ],
    )


def _compile(build: Path, sources: Sequence[str]) -> None:
    if sources:
        _build(build, [f"{_MPI_OBJECTS}/{name}.o" for name in sources], "sources of MPI")


def _build(build: Path, targets: Sequence[str], what: str) -> None:
    _step(
        f"compiling {what}",
        [str(_TOOLS / "cmake"), "--build", str(build), "--target", *targets, "--", "--quiet"],
    )


def _step(what: str, command: Sequence[str]) -> None:
    begin = time.monotonic()
    code = subprocess.run(command, check=False).returncode
    print(f"{what}: {'ok' if code == 0 else 'FAILED'}, {time.monotonic() - begin:.1f} s")  # noqa: T201
    if code != 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
