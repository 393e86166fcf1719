"""Histories in words and in a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from machmeter.model.results.history import EnvironmentDifference, History
from machmeter.model.units import SHARE
from machmeter.report.terminal.history import print_history
from machmeter.run.history.environments import with_differences
from machmeter.run.history.history import HistoryOptions, read_history, with_changes
from machmeter.run.history.indexing import index_of
from machmeter.text.history import detectable_text, differences_text, names_of, spark
from tests.support.made_up.nightly_runs import nightly
from tests.support.synthetic.machine import make_machine


def printed(history: History, **options: int) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    console = Console(file=stream, width=100, highlight=False)
    print_history(history, console, **options)
    stream.seek(0)
    return stream.read()


def history_of(
    data: Path,
    starts: Sequence[Sequence[int]],
    wanted: HistoryOptions = HistoryOptions(),  # noqa: B008
) -> History:
    index = index_of(data)
    read = read_history(index, wanted, data)
    changed = with_changes(read, 0.03, 2, lambda _series, _window, _p: starts)
    return with_differences(changed, {run.id: Path(run.folder) for run in index.runs()})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten nights, then four with a new kernel in which 8 B are slower, 64 B faster."""
    folder = tmp_path_factory.mktemp("nights")
    old = make_machine("node17")
    new = replace(old, software=replace(old.software, kernel="6.2.0\x1b[31m"))
    nightly(
        folder,
        14,
        {
            8: lambda night: 1e-6 if night < 10 else 1.1e-6,
            64: lambda night: 2e-6 if night < 10 else 1.7e-6,
            512: lambda night: 3e-6 if night < 13 else 3.6e-6,
            4096: lambda night: 5e-6,
        },
        machine=lambda night: old if night < 10 else new,
    )
    return folder


STARTS = ((10,), (10,), (13,), ())


def test_what_became_worse_comes_first_with_ratio_interval_and_cause(data: Path) -> None:
    text = printed(history_of(data, STARTS))
    lines = text.splitlines()
    order = [
        next(i for i, line in enumerate(lines) if words in line)
        for words in ("Worse, not", "8 B", "Unconfirmed", "512 B", "Better", "64 B")
    ]
    assert order == sorted(order)
    assert "also changed: kernel 6.1.0-28-amd64 → 6.2.0[31m" in " ".join(text.split())
    assert re.search(r"8 B  (1\.0\d|0\.99\d) µs → 1\.1\d? ?\d? ?µs", text)
    assert "10 runs before, 4 since" in text
    assert "1 result is worse by more than 3 % and not recovered." in text
    assert all(cell_len(line) <= 100 for line in lines)
    assert "\x1b" not in text


def test_a_single_figure_is_told_run_by_run(data: Path) -> None:
    text = printed(history_of(data, ((10,),), HistoryOptions(point="size=64,")))
    assert sum(line.startswith("  2026") for line in text.splitlines()) == 14
    assert text.count("better: ") == 1
    assert "No regression in 1 result" in text


def test_too_few_runs_say_how_many_more(data: Path) -> None:
    text = printed(history_of(data, (), HistoryOptions(since="2026-09-10")))
    assert "needs 3 more" in text
    assert "4 results have fewer than 8 runs" in text
    assert "No verdict yet" in text


def test_what_is_left_out_is_counted(data: Path) -> None:
    history = replace(history_of(data, STARTS), unknown=2, unindexed=1)
    text = printed(history, most_results=1)
    assert "and 3 more results" in text
    assert "2 series are left out" in text
    assert "1 finished run is not in the index: `machmeter store rebuild`" in text


def test_a_store_without_runs_says_what_to_do(tmp_path: Path) -> None:
    assert "`machmeter run` makes the first" in printed(history_of(tmp_path, ()))


def test_names_tell_figures_apart_and_a_lone_one_its_parameters(data: Path) -> None:
    results = history_of(data, STARTS).results
    assert names_of(results) == ("8 B", "64 B", "512 B", "4 KiB")
    (alone,) = names_of(results[:1])
    assert "8 B" in alone
    assert "Latency, one way" in alone
    strange = replace(results[0], point="no key of ours")
    assert names_of([strange, results[1]])[0].startswith("no key of ours")


def test_bars_run_from_the_least_to_the_greatest_value(data: Path) -> None:
    results = history_of(data, STARTS).results
    bars = spark(results[0])
    assert len(bars) == 14
    assert set(bars[-4:]) <= set("▆▇█")
    assert set(spark(results[0], "_#")) == {"_", "#"}
    assert spark(replace(results[0], values=results[0].values[:1])) == ""


def test_what_would_show_is_told_in_percent_or_as_too_wide(data: Path) -> None:
    result = history_of(data, STARTS).results[0]
    assert detectable_text(replace(result, finds=0.041)) == "±4.1 %"
    assert detectable_text(replace(result, finds=19.0)) == "over ±100 %"
    assert detectable_text(replace(result, finds=0.0)) == "–"
    assert detectable_text(replace(result, finds=0.041, unit=SHARE)) == "±4.1 points"


def test_differences_say_so_where_there_are_none_or_none_known() -> None:
    assert differences_text((), "") == "no other recorded change"
    assert "unknown: run x" in differences_text((), "run x")
    assert (
        differences_text((EnvironmentDifference("kernel", "1", "2"),), "")
        == "also changed: kernel 1 → 2"
    )
