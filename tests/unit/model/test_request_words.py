"""The options of a request as a person types them."""

from __future__ import annotations

import shlex

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.explore import RANKS
from machmeter.cli.options.hosts import Hosts
from machmeter.cli.options.run_options import RunOptions, request_of
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import AppSize, Description
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.request_words import option_words
from machmeter.studies.explore import NAME, explore_study


def asked(**options: object) -> RunOptions:
    usual = {
        "names": ("network.latency",),
        "settings": (),
        "precision": "2%",
        "budget": None,
        "min_launches": 10,
        "max_launches": 100,
        "mpi": (),
        "compiler": "",
    }
    return RunOptions(**{**usual, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (asked(), ""),
        (asked(budget="5s"), "--budget 5s"),
        (asked(budget="5s", force=True), "--budget 5s --force"),
        (asked(fresh_sizes=True), "--fresh-sizes"),
        (
            asked(settings=("size=8,1KiB",), precision="10%"),
            "--set size=8,1KiB --precision 10%",
        ),
        (
            asked(layout={"ranks": "2,4", "pages": "2MiB", "binding": "none"}),
            "--ranks 2,4 --binding none --pages 2MiB",
        ),
        (
            asked(layout={"oversubscribe": True, "reserve": "1"}),
            "--reserve 1 --oversubscribe",
        ),
        (asked(layout={"smt": "1,2", "reserve": "0,1"}), "--smt 1,2 --reserve 0,1"),
        (asked(layout={"modes": "mpi,hybrid+smt"}), "--modes mpi,hybrid+smt"),
        (
            asked(hosts=Hosts(("a", "b")), min_launches=5, max_launches=50),
            "--hosts a,b --min-launches 5 --max-launches 50",
        ),
        (
            asked(hosts=Hosts(("a", "b")), layout={"one_machine": True}),
            "--one-machine --hosts a,b",
        ),
        (asked(layout={"one_machine": False}), ""),
        (asked(mpi=("openmpi",), compiler="clang++"), "--mpi openmpi --compiler clang++"),
    ],
)
def test_what_is_not_as_usual_is_said_as_it_was_typed(options: RunOptions, words: str) -> None:
    assert shlex.join(option_words(request_of(options))) == words


def test_the_libraries_of_a_study_are_usual() -> None:
    request = request_of(asked(names=("comet-network",)))
    assert request.mpi == "mpich,openmpi"
    assert option_words(request) == ()


def test_a_size_of_an_application_is_repeated() -> None:
    size = AppSize(name="minute", values={"n": "9"}, seconds=60, memory=1)
    described = Description(name="lj", title="LJ", command=("lj",), sizes=(size,))
    command = Command(("/bin/lj",), "/", 1.0, described, own_folder=True, typed=("lj",))
    study = explore_study(command, RANKS, {}, LayoutOptions())
    request = replace(request_of(asked()), names=(NAME,), study=study)
    assert shlex.join(option_words(request)).endswith("--size minute lj")
