"""A run of two sides on a made-up machine: the baseline is built otherwise, and slower."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from machmeter.launch.launcher import Attempt, Launcher
from machmeter.model.plan.launch import Launch, Toolchain
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.run import Baseline, Request, RunHeader
from machmeter.model.variant import Role
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import measure_run
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    PRECISION,
    STUDY,
    FakeLauncher,
    record_lines,
    synthetic_machine,
)

ASKED = Request((STUDY.name,), STUDY, LayoutOptions(), PRECISION, "mpich", "")
CHAIN = Toolchain("made-up c++", "-O1", "0" * 16)


def against(of_old: Request = ASKED, *, rest: bool = False) -> Baseline:
    return Baseline("an-old-run", of_old, CHAIN, with_unpaired=rest)


def two_sided(path: Path, asked: Request = ASKED, old: Baseline | None = None) -> RunFolder:
    """The folder of a run of two sides that has launched nothing yet."""
    header = RunHeader(
        id="two",
        started="2026-11-22T10:00:00+00:00",
        version="1",
        command=("machmeter",),
        request=asked,
        machine=synthetic_machine(),
        seed=7,
        baseline=old or against(),
    )
    return RunFolder.create(path, header)


def slower_by(factor: float, launch: Launch, record: Path) -> int:
    """Write what programs built with -O1 might, each sample `factor` times as long."""
    lines = [msgspec.json.decode(line) for line in record_lines(launch)]
    lines[0]["toolchain"]["flags"] = "-O1"
    for line in lines[1:-1]:
        line["series"] = {
            name: [factor * sample for sample in samples]
            for name, samples in line["series"].items()
        }
    record.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return 0


class ByRole:
    """Starts launches of the candidate by one launcher, those of the baseline by another."""

    def __init__(self, candidate: Launcher, baseline: Launcher) -> None:
        self._by_role = {Role.CANDIDATE: candidate, Role.BASELINE: baseline}

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        return self._by_role[launch.spec.variant.role].start(launch, record, limit_seconds)


def launcher(factor: float = 1.5) -> ByRole:
    """The baseline takes `factor` times as long."""
    return ByRole(FakeLauncher(), FakeLauncher(lambda one, to: slower_by(factor, one, to)))


def measured(folder: RunFolder, by: Launcher | None = None) -> RunFolder:
    measure_run(folder, by or launcher(), ignore_progress)
    return folder


def asking(study: Study = STUDY, **wish: object) -> Request:
    return replace(ASKED, study=study, layout_options=replace(LayoutOptions(), **wish))
