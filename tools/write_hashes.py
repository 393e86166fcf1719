"""Write the SHA-256 of every wheel that machmeter may fetch, as PyPI's index states them.

`python tools/write_hashes.py`, after a version in `machmeter.build` has changed; needs the network.
"""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterable, Iterator

from machmeter.build.blas import OPENBLAS
from machmeter.build.devices.nvrtc import NVRTC
from machmeter.build.mpi import EMBEDDED
from machmeter.build.openmp import INTEL_OPENMP
from machmeter.build.pypi.requirements import HASHES, release_of
from machmeter.build.python_tools.extra_p import EXTRA_P
from machmeter.build.python_tools.otava import OTAVA

REQUIREMENTS = (
    *EMBEDDED.values(),
    OPENBLAS,
    INTEL_OPENMP,
    *(one.requirement for one in NVRTC),
    *EXTRA_P.requirements,
    *OTAVA.requirements,
)
_INDEX = "https://pypi.org/simple"
_TYPE = "application/vnd.pypi.simple.v1+json"
_OLDEST, _NEWEST = 11, 14
_PYTHON = re.compile(r"cp3(\d+)")


def main() -> None:
    """Write the file."""
    known = dict(pair for one in REQUIREMENTS for pair in _wheels(one))
    lines = [f"{digest}  {file}\n" for file, digest in sorted(known.items())]
    HASHES.write_text("".join(lines), encoding="utf-8")


def _wheels(requirement: str) -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of every wheel of a release for Linux."""
    name = requirement.partition("==")[0]
    request = urllib.request.Request(f"{_INDEX}/{name}/", headers={"Accept": _TYPE})  # noqa: S310 - https
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - https
        files = json.load(answer)["files"]
    prefix = f"{release_of(requirement)}-"
    found = [
        (str(one["filename"]), str(one["hashes"]["sha256"]))
        for one in files
        if str(one["filename"]).lower().startswith(prefix)
    ]
    kept = [(file, digest) for file, digest in found if is_served(file)]
    if not kept:
        raise SystemExit(f"PyPI has no wheel of {requirement} for Linux")
    yield from kept


def is_served(file: str) -> bool:
    """Whether a file is a wheel for Linux, and for a Python that machmeter runs with."""
    if not file.endswith(".whl"):
        return False
    python, _, platforms = file.removesuffix(".whl").split("-")[-3:]
    return _is_for_linux(platforms.split(".")) and _is_for_python(python)


def _is_for_linux(platforms: Iterable[str]) -> bool:
    return any(one == "any" or "linux" in one for one in platforms)


def _is_for_python(tag: str) -> bool:
    minor = _PYTHON.fullmatch(tag)
    if minor is None:
        return "py3" in tag.split(".")
    return _OLDEST <= int(minor.group(1)) <= _NEWEST


if __name__ == "__main__":
    main()
