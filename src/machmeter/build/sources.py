"""The native sources that travel inside the package, and their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

_SUFFIXES = {".cpp", ".hpp", ".in", ".txt", ".cmake"}


def native_sources() -> Path:
    """The folder of the native sources: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "native"
    return installed if installed.is_dir() else package.parent.parent / "native"


def source_hash(folder: Path) -> str:
    """SHA-256 over names and contents of every native source, tests left out; 16 hex digits."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        relative = file.relative_to(folder)
        if file.suffix in _SUFFIXES and relative.parts[0] != "tests" and file.is_file():
            digest.update(str(relative).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
