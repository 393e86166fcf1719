"""The script of a job: what it takes, and what no option of it may say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from machmeter.launch.batch.script import allocation_of, reserve_seconds, script_of
from machmeter.model.errors import UsageError


def test_a_job_has_time_beyond_the_budget_for_what_is_not_measured() -> None:
    allocation = allocation_of(4, 120.0, ())
    assert allocation.seconds > 120 + 300
    assert allocation.seconds % 60 == 0
    assert allocation.node_hours == pytest.approx(4 * allocation.seconds / 3600)


@pytest.mark.parametrize(
    ("option", "seconds"),
    [("--time=30", 1800), ("--time=2", 120), ("--time=1:30:00", 5400), ("--time=1-12", 129_600)],
)
def test_a_limit_that_a_person_names_counts(option: str, seconds: float) -> None:
    assert allocation_of(1, 60.0, (option,)).seconds == seconds


@pytest.mark.parametrize(
    "option",
    [
        "partition=cpu",
        "--comment=two words",
        '--comment="x"',
        "--comment='x'",
        "--comment=a\n#SBATCH --nodes=9",
        "--comment=a#b",
        "--comment=a\\b",
        "--nodes=9",
        "-N9",
        "-t90",
        "-W",
        "--nod=9",
        "--arr=1-9",
        "--array=1-9",
        "--clusters=all",
        "--time-min=1",
        "--tim=90",
        "--time",
        "--time=1",
        "--wait",
        "--wrap=true",
        "--parsable",
        "--test-only",
        "--output=x",
        "--open-mode=truncate",
        "--signal=KILL",
        "--oversubscribe",
        "--exclusive=user",
        "--time=soon",
        "--time=0",
        "",
    ],
)
def test_an_option_that_a_script_cannot_have_is_refused(option: str) -> None:
    with pytest.raises(UsageError, match="--sbatch"):
        allocation_of(1, 60.0, (option,))


@pytest.mark.parametrize("option", ["--no-requeue", "--exclude=n1", "--wait-all-nodes=1"])
def test_other_options_are_the_persons_own(option: str) -> None:
    assert allocation_of(1, 60.0, (option,)).options == (option,)


@pytest.mark.parametrize(("minutes", "lead"), [(2, 24), (3, 36), (5, 60), (600, 60)])
def test_a_short_job_gets_its_signal_later(minutes: int, lead: int) -> None:
    allocation = allocation_of(1, 60.0, (f"--time={minutes}",))
    script = script_of(allocation, Path("/runs/job-%j.log"), ("true",))
    assert f"#SBATCH --signal=B:TERM@{lead}\n" in script
    # Slurm may send it a minute sooner.
    assert reserve_seconds(60.0 * minutes) == lead + 60


def test_the_options_stand_before_one_command_whose_words_stay_whole(tmp_path: Path) -> None:
    allocation = allocation_of(3, 60.0, ("--partition=cpu", "--constraint=[a|b]&c"))
    words = ("printf", "%s\\n", "a b", "$HOME", "'", '"')
    path = tmp_path / "job.sh"
    path.write_text(script_of(allocation, Path("/runs/a b/job-%j.log"), words))
    lines = path.read_text().splitlines()
    assert "#SBATCH --nodes=3" in lines
    assert '#SBATCH --output="/runs/a b/job-%j.log"' in lines
    assert lines.index("#SBATCH --constraint=[a|b]&c") < len(lines) - 1
    assert lines[-1].startswith("exec ")
    done = subprocess.run(["sh", str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(words[2:])
