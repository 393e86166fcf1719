"""Run clang-tidy over native sources, as many at a time as there are CPUs.

    python tools/run_clang_tidy.py [--all] [--since REVISION] [--build FOLDER] [FILE ...]

Checks the sources (never the tests) that include one of these files of `native/`, or are one; by
default the files that differ from HEAD. The exit code is 1 when any has a finding.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from configure_native import BUILD, configure
from native_sources import NATIVE, affected_by, changed_since, sources


def main() -> None:
    """Check the requested sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every source")
    parser.add_argument("--since", default="HEAD", help="the revision to compare with")
    parser.add_argument("--build", type=Path, default=BUILD, help="the configured folder")
    parser.add_argument("files", nargs="*", help="changed files, relative to native/")
    options = parser.parse_args()
    build = options.build.absolute()
    changed = options.files or changed_since(options.since)
    wanted = sources() if options.all else affected_by(changed)
    # Those of OpenSHMEM, which few machines have, are not configured.
    checked = [
        str(NATIVE / name)
        for name in sorted(wanted)
        if name.endswith(".cpp") and not name.startswith(("tests/", "shmem/", "main/shmem"))
    ]
    if not _knows(build, checked):
        configure(build)
    tidy = Path(sys.executable).parent / "clang-tidy"

    def check(source: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(str(tidy), "--quiet", "-p", str(build)),
                f"--extra-arg=-isystem{build / 'openmp-include'}",
                *("--extra-arg=-Wno-unknown-warning-option", source),
            ],
            check=False,
            capture_output=True,
            text=True,
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(check, checked))
    for result in results:
        if result.returncode:
            sys.stdout.write(result.stdout + result.stderr)
    sys.stdout.write(f"clang-tidy: {len(checked)} sources checked\n")
    sys.exit(any(result.returncode for result in results))


def _knows(build: Path, checked: Sequence[str]) -> bool:
    """Whether it was configured with all these sources, and as they are compiled now."""
    commands = build / "compile_commands.json"
    if not commands.is_file():
        return False
    written = commands.stat().st_mtime
    if any(lists.stat().st_mtime > written for lists in NATIVE.rglob("CMakeLists.txt")):
        return False
    return {entry["file"] for entry in json.loads(commands.read_text())}.issuperset(checked)


main()
