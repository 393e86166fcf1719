"""Tools made up for tests: shell scripts that say and do what a test wants."""

from __future__ import annotations

from pathlib import Path


def tool(folder: Path, name: str, script: str) -> Path:
    """An executable `name` in `folder` (made if missing) that runs `script`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
