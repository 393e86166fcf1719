"""What every test of jobs needs: a real Slurm."""

from __future__ import annotations

import pytest

from tests.support.processes.slurm_of_processes import why_not


@pytest.fixture(autouse=True)
def _slurm() -> None:
    reason = why_not()
    if reason:
        pytest.skip(reason)
