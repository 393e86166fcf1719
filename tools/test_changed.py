"""Check what a change affects: `python tools/test_changed.py [--since REVISION] [FILE ...]`.

FILE: changed files (by default those that differ from HEAD). Changed Python modules bring their
mirrored tests and every test file that imports them; changed tests bring themselves; documents
bring the tests of documents; native sources bring the native tests of their folders. Ruff looks at
the changed files, mypy at everything, from its cache. The exit code is 1 where anything fails.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

BIN = Path(sys.executable).parent
SOURCE, TESTS, NATIVE = Path("src/machmeter"), Path("tests/unit"), Path("native")
PROJECT = TESTS / "project"


def changed_files(revision: str) -> tuple[Path, ...]:
    """Tracked files that differ from `revision`, and untracked ones that are not ignored."""
    queries = (
        ("git", "diff", "--name-only", "--diff-filter=d", revision),
        ("git", "ls-files", "--others", "--exclude-standard"),
    )
    found = (
        subprocess.run(query, check=True, capture_output=True, text=True).stdout
        for query in queries
    )
    return tuple(dict.fromkeys(Path(line) for text in found for line in text.splitlines()))


def tests_of(path: Path) -> Iterator[Path]:
    """The test files that a changed file concerns."""
    if path.suffix == ".py" and path.is_relative_to(TESTS):
        yield from (path,) if path.name.startswith("test_") else path.parent.rglob("test_*.py")
    elif path.suffix == ".py" and path.is_relative_to(SOURCE):
        within = path.relative_to(SOURCE)
        yield from (TESTS / within.parent).glob(f"test_{within.stem}*.py")
        names = [name for name in within.with_suffix("").parts if name != "__init__"]
        yield from _importers(".".join(("machmeter", *names)))
    elif path.suffix == ".py" and path.is_relative_to("tests/support"):
        yield from _importers(".".join(path.with_suffix("").parts))
    elif path.suffix == ".toml" and path.is_relative_to(SOURCE):
        yield from TESTS.glob("published/**/test_*.py")
    elif path.suffix == ".md":
        yield from PROJECT.glob("test_*.py")


def _importers(module: str) -> Iterator[Path]:
    """Test files that import `module`, whole or by name."""
    package, _, name = module.rpartition(".")
    imports = re.compile(
        rf"^\s*from {re.escape(module)} import |^\s*from {re.escape(package)} import .*\b{name}\b",
        re.MULTILINE,
    )
    for path in sorted(TESTS.rglob("test_*.py")):
        if imports.search(path.read_text(encoding="utf-8")):
            yield path


def checks(changed: Sequence[Path]) -> Iterator[list[str]]:
    """The commands that check the changed files, the quickest first."""
    python = [str(path) for path in changed if path.suffix == ".py"]
    native = [str(path.relative_to(NATIVE)) for path in changed if path.is_relative_to(NATIVE)]
    tests = [str(path) for path in dict.fromkeys(t for path in changed for t in tests_of(path))]
    if python:
        yield [str(BIN / "ruff"), "check", *python]
        yield [str(BIN / "ruff"), "format", "--check", *python]
    if tests:
        yield [sys.executable, "-m", "pytest", "-q", "-x", *tests]
    if python:
        yield [str(BIN / "mypy")]
    if native:
        yield [sys.executable, "tools/test_changed_native.py", *native]


def main() -> None:
    """Run every check, to the end; exit with 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", help="the revision to compare with")
    parser.add_argument("files", nargs="*", type=Path, help="changed files, from the root")
    options = parser.parse_args()
    changed = tuple(options.files) or changed_files(options.since)
    failed = [
        command for command in checks(changed) if subprocess.run(command, check=False).returncode
    ]
    for command in failed:
        sys.stderr.write(f"failed: {' '.join(command)[:200]}\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
