"""All machine files of the package as the one JSON file that is read in their place."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import tomli

from machmeter.published.load import read_machine
from machmeter.published.packaged import FILE

_PUBLISHED = Path(__file__).resolve().parents[1] / "src" / "machmeter" / "published"
MACHINES = _PUBLISHED / "machines"
PACKAGED = _PUBLISHED / FILE
_TODAY = "today"


def packaged_json() -> str:
    """The JSON, a line a machine. Raises MachmeterError for a file that cannot be used."""
    # By the name without its ending, so that `edison` comes before `edison-full`.
    found = sorted(MACHINES.rglob("*.toml"), key=lambda path: path.stem)
    of_today = [path for path in found if path.is_relative_to(MACHINES / _TODAY)]
    of_studies = [path for path in found if path not in of_today]
    groups = {"studies": of_studies, _TODAY: of_today}
    return "{" + ",\n".join(map(_group, groups, groups.values())) + "}\n"


def _group(name: str, paths: list[Path]) -> str:
    return f'"{name}":{{\n' + ",\n".join(map(_line, paths)) + "\n}"


def _line(path: Path) -> str:
    machine = read_machine(path)
    text = path.read_bytes()
    packed = {"sha256": hashlib.sha256(text).hexdigest(), "content": tomli.loads(text.decode())}
    return f'"{machine.id}":{msgspec.json.encode(packed).decode()}'
