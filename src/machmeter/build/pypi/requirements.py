"""What is fetched from PyPI: pinned requirements with the SHA-256 of every wheel that serves them.

`wheels.sha256` lists the wheels, as sha256sum(1) does; `tools/write_hashes.py` writes it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from machmeter.model.errors import MachmeterError

UNVERIFIED = "MACHMETER_UNVERIFIED_WHEELS"
"""The variable by which a site that rebuilds wheels has its own installed, of any content."""
HASHES = Path(__file__).with_name("wheels.sha256")

_DIGITS = 12


class KnownWheel(Struct, frozen=True):
    """A file of PyPI."""

    name: str
    """Its file name."""
    sha256: str
    """Of its content, in hexadecimal digits."""

    @property
    def release(self) -> str:
        """Package and version, as file names spell them: `scipy_openblas64-0.3.34`."""
        return "-".join(self.name.split("-", 2)[:2]).lower()


def is_verified(environment: Mapping[str, str]) -> bool:
    """Whether files that are fetched are compared with their known SHA-256."""
    return environment.get(UNVERIFIED, "") in ("", "0")


def requirement_lines(
    requirements: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The lines of a requirements file: each requirement (`name==version`, a marker may follow)
    with the hashes of its wheels, without them where nothing is verified.

    A requirement that names hashes keeps these. Raises MachmeterError where none is known.
    """
    if not is_verified(environment):
        return tuple(one.partition(" --hash=")[0] for one in requirements)
    return tuple(one if " --hash=" in one else _with_hashes(one) for one in requirements)


def mark_of(requirements: Sequence[str], environment: Mapping[str, str]) -> str:
    """The end of a folder's name: a digest of the lines that its files were installed by, so that
    what was fetched with other hashes, or none, is fetched again."""
    if not is_verified(environment):
        return "unverified"
    lines = "\n".join(requirement_lines(requirements, environment))
    return hashlib.sha256(lines.encode()).hexdigest()[:_DIGITS]


def origin_text(requirement: str, environment: Mapping[str, str]) -> str:
    """Where something fetched came from, as a run's description states it."""
    if is_verified(environment):
        return f"{requirement} from PyPI, SHA-256 verified"
    return f"{requirement}, not verified ({UNVERIFIED} is set)"


def release_of(requirement: str) -> str:
    """Package and version of a pinned requirement, as file names of wheels spell them."""
    name, _, version = requirement.partition(";")[0].partition("==")
    return f"{re.sub(r'[-_.]+', '_', name.strip()).lower()}-{version.strip()}"


@cache
def known_wheels() -> tuple[KnownWheel, ...]:
    """Every wheel that may be installed."""
    lines = HASHES.read_text(encoding="utf-8").splitlines()
    return tuple(KnownWheel(name, sha256) for sha256, name in map(str.split, lines))


def _with_hashes(requirement: str) -> str:
    release = release_of(requirement)
    hashes = [one.sha256 for one in known_wheels() if one.release == release]
    if not hashes:
        raise MachmeterError(f"no SHA-256 is known of {requirement}", "please report it")
    return " ".join((requirement, *(f"--hash=sha256:{one}" for one in hashes)))
