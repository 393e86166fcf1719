"""Nonsense on the command line: exit code 2, what is wrong, what would be right."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call

NONSENSE = {
    "run quick --yes": "--yes is for a job that is submitted",
    "prepare quick --sbatch=--time=5": "--sbatch is for a job that is submitted",
    "explore --max-node-hours 0 -- true": "--max-node-hours is for a job that is submitted",
    "run quick --submit --hosts n1": "a job takes no --hosts",
    "run quick --submit --hosts slurm": "a job takes no --hosts",
    "run quick --submit --on edison": "leave out --submit",
    "run quick --submit --max-node-hours nan": "nan is no number of hours",
    "explore --submit --hosts slurm -- true": "a job takes no --hosts",
    "run quick --submit --against last": "a job takes no --against",
    "run quick --submit --yes --sbatch=partition=x": "is not --NAME or --NAME=VALUE",
    "run quick --submit --yes --sbatch=--nodes=2": "--nodes=2 is not for a job that measures",
    "run quick --submit --nodes 4 --max-node-hours 0.1": "more than --max-node-hours 0.1",
    "run quick --submit": "nobody is there to say",
    "run --request no.json": "--request needs the folder of its run",
    "run quick --request no.json": "takes no names",
    "run nothing.known": "nothing called 'nothing.known'",
    "run memory.latency --set": "--set",
    "run memory.latency --set size": "is not KEY=VALUE",
    "run memory.latency --set size=much": "'much'",
    "run memory.latency --set size=-1": "-1",
    "run memory.latency --set size=": "1 to 200 values",
    "run memory.stream --set kernel=quadriad": "'quadriad'",
    "run memory.stream --set kernel=read --set stores=nontemporal": "left to measure",
    "run memory.latency --set colour=red": "colour",
    "run --precision 0": "--precision '0'",
    "run --precision nan": "--precision 'nan'",
    "run --budget -1": "--budget '-1'",
    "run --budget 1e99": "--budget '1e99'",
    "run --budget 5": "--budget '5' has no unit",
    "run memory.stream --set size=1024TiB": "size=1024 TiB needs 3072 TiB of memory",
    "run memory.stream --set size=1024TiB --dry-run": "needs 3072 TiB of memory",
    "run memory.stream --set size=1024TiB --force": "needs 3072 TiB of memory",
    "run memory.latency --set size=4GiB --budget 1s": "and the budget is 1 s",
    "run --min-launches 5 --max-launches 3": "--min-launches 5 and --max-launches 3 mean",
    "run --min-launches 1": "--min-launches 1 is too few",
    "run --min-launches many": "--min-launches",
    "run --threads 0": "--threads '0'",
    "run --threads two": "--threads 'two'",
    "run --ranks 0": "--ranks '0'",
    "run --ranks 1000000000": "--ranks '1000000000': a number above 9,999,999",
    "run network --on ''": "there is no twin ''",
    "run network --on louhi --nodes 1000000000": "a number above 9,999,999",
    "run network --on louhi --nodes 1000000": "louhi has 1012 nodes",
    "run network --on louhi --ranks 1000000": "louhi has 2,024 cores (1,012 nodes of 2)",
    "run network --on louhi --hosts a,b": "--on simulates another machine: --hosts says nothing",
    "run network --on louhi --remote-shell no": "machine: --remote-shell says nothing of it",
    "run network --on louhi --budget 5s": "--budget would change nothing",
    "run network --on louhi --min-launches 20 --wait active": "--min-launches, --wait would change",
    "run network --on louhi --flags=-O1": "--flags would change nothing",
    "run --smt 0": "hardware threads per core: 0",
    "run --reserve -1": "--reserve '-1'",
    "run --pages 3KiB": "3072 bytes",
    "run --wait sometimes": "'sometimes'",
    "run --binding tight": "'tight'",
    "run --report /no/such/folder/report.html": "there is no folder /no/such/folder",
    "run --resume no-such-run": "there is no run 'no-such-run'",
    "run --no-such-option": "--no-such-option",
    "show no-such-run": "there is no run",
    "report no-such-run": "there is no run",
    "export no-such-run --format xls": "xls",
    "store rebuild --from /no/such/folder": "/no/such/folder",
    "no-such-command": "no-such-command",
}


@pytest.mark.parametrize("words", NONSENSE)
def test_nonsense_is_refused_with_what_is_wrong(
    words: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capfd, *shlex.split(words))
    assert code == ExitCode.WRONG_USAGE, err
    assert NONSENSE[words] in " ".join(err.split())
    assert "internal error" not in err
    assert not list(home.glob("runs/*"))
    assert not home.with_name("cache").exists(), "refused before anything is fetched or compiled"
