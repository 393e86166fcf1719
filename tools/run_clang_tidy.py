"""Run clang-tidy over the native sources, as many at a time as there are CPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main() -> None:
    """Check every source but the tests; the exit code is 1 when any has a finding."""
    build = Path(sys.argv[1]).absolute()
    tidy = Path(sys.executable).parent / "clang-tidy"
    # Those of OpenSHMEM, which few machines have, are not configured.
    known = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
    sources = sorted(
        file
        for file in Path("native").rglob("*.cpp")
        if file.parts[1] != "tests" and str(file.absolute()) in known
    )

    def check(source: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(str(tidy), "--quiet", "-p", str(build)),
                f"--extra-arg=-isystem{build / 'openmp-include'}",
                *("--extra-arg=-Wno-unknown-warning-option", str(source)),
            ],
            check=False,
            capture_output=True,
            text=True,
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(check, sources))
    for result in results:
        if result.returncode:
            sys.stdout.write(result.stdout + result.stderr)
    sys.exit(any(result.returncode for result in results))


main()
