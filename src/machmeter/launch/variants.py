"""Launches of two sides of one run: each by what was made ready for it."""

from __future__ import annotations

from pathlib import Path

from machmeter.launch.local import Attempt, Launcher
from machmeter.model.plan.launch import BASELINE, Launch


class SidesLauncher:
    """Implements `Launcher` for a run of two sides."""

    def __init__(self, new: Launcher, old: Launcher) -> None:
        self._new = new
        self._old = old

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Run one launch to its end by the programs of its side.

        Raises MachineLacksError as the launchers of both sides do.
        """
        launcher = self._old if launch.spec.side == BASELINE else self._new
        return launcher.start(launch, record, limit_seconds)
