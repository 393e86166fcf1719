"""What a machine's file cannot say of itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.model.benchmark import Statistic
from machmeter.model.errors import MachmeterError
from machmeter.model.results.printed import NodeRelation
from machmeter.published.estimates import published_estimates
from machmeter.published.load import read_machine

HEAD = 'format = 1\nid = "mine"\nname = "Mine"\nsummary = ""\nyear = 2026\n'
SOURCE = 'source = "Somebody, 2026"\n'
TABLE = """
[[tables]]
page = "table 1"
unit = "us"
decimals = {decimals}
workload = "neuron"
quantity = "wall time"
better = "lower"
layout = {layout}
figures = [ {figure} ]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "machine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def machine_of(
    folder: Path,
    *,
    counts: str = "",
    layout: str = "{}",
    figure: str = '{ id = "one", value = 1.25 }',
    decimals: int = 2,
    head: str = HEAD + SOURCE,
) -> Path:
    table = TABLE.format(decimals=decimals, layout=layout, figure=figure)
    return written(folder, f"{head}[counts]\n{counts}\n{table}")


@pytest.mark.parametrize("source", ['source = ""\n', 'source = "  "\n'])
def test_a_machine_says_who_printed_it(tmp_path: Path, source: str) -> None:
    with pytest.raises(MachmeterError, match="source is empty"):
        read_machine(machine_of(tmp_path, head=HEAD + source))


def test_a_value_has_no_more_digits_than_it_says(tmp_path: Path) -> None:
    assert read_machine(machine_of(tmp_path, decimals=2))
    with pytest.raises(MachmeterError, match=r"1\.25 has more digits than its decimals, 1"):
        read_machine(machine_of(tmp_path, decimals=1))
    tens = '{ id = "one", value = 1230, decimals = -2 }'
    with pytest.raises(MachmeterError, match="more digits"):
        read_machine(machine_of(tmp_path, figure=tens))


@pytest.mark.parametrize(
    ("counts", "layout", "problem"),
    [
        ("nodes = 4", "{ nodes = 8 }", "of 8 nodes, and the machine has 4"),
        ("cores = 256", "{ ranks_per_node = 640 }", "runs 640 threads"),
        ("cores = 8", "{ nodes = 2, threads_per_rank = 8 }", "runs 16 threads"),
        ("cores = 8", "{ threads_per_rank = 4, inner_threads = 4 }", "runs 16 threads"),
    ],
)
def test_no_figure_is_of_more_than_the_machine(
    tmp_path: Path, counts: str, layout: str, problem: str
) -> None:
    with pytest.raises(MachmeterError, match=problem):
        read_machine(machine_of(tmp_path, counts=counts, layout=layout))


@pytest.mark.parametrize(
    ("counts", "layout"),
    [
        ("nodes = 4", "{ nodes = 4 }"),
        ("cores = 8", "{ threads_per_rank = 16, smt = 2 }"),
        ("cores = 8", "{ threads_per_rank = 16, oversubscribe = true }"),
        ("", "{ nodes = 1000, threads_per_rank = 16 }"),
    ],
)
def test_what_the_machine_can_run_is_accepted(tmp_path: Path, counts: str, layout: str) -> None:
    assert read_machine(machine_of(tmp_path, counts=counts, layout=layout)).id == "mine"


def test_what_another_tool_ran_may_share_cores(tmp_path: Path) -> None:
    head = HEAD + SOURCE + 'origin = "imported"\n'
    layout = "{ ranks_per_node = 4 }"
    assert read_machine(machine_of(tmp_path, head=head, counts="cores = 2", layout=layout))


def test_a_price_has_its_currency(tmp_path: Path) -> None:
    with pytest.raises(MachmeterError, match="currency") as error:
        read_machine(machine_of(tmp_path, counts="price = 45_000"))
    assert "EUR" in error.value.remedy
    assert read_machine(machine_of(tmp_path, counts='price = 45_000\ncurrency = "EUR"'))


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "machine.toml"
    os.mkfifo(pipe)
    with pytest.raises(MachmeterError, match="no regular file"):
        read_machine(pipe)
    with pytest.raises(MachmeterError, match="no regular file"):
        read_machine(tmp_path)


RATES = TABLE.replace('unit = "us"', 'unit = "MB/s"').replace('"lower"', '"higher"')
RATES = RATES.replace('"wall time"', '"rate"')


def with_launches(folder: Path, value: float, launches: str, table: str = TABLE) -> Path:
    figure = f'{{ id = "one", value = {value}, launches = {launches} }}'
    text = table.format(decimals=2, layout="{}", figure=figure)
    return written(folder, f"{HEAD}{SOURCE}{text}")


@pytest.mark.parametrize(
    ("value", "launches"),
    [
        (10.13, "[10.1, 10.1, 10.1]"),
        (10.13, "[10, 10, 10.0]"),
        (2.0, "[1.0, 4.0]"),
        (2.5, "[1.0, 4.0]"),
    ],
)
def test_a_mean_is_as_good_as_its_launches_are_rounded(
    tmp_path: Path, value: float, launches: str
) -> None:
    assert published_estimates(read_machine(with_launches(tmp_path, value, launches)))


@pytest.mark.parametrize(
    ("value", "launches"),
    [(10.16, "[10.1, 10.1, 10.1]"), (10.13, "[10.111, 10.1, 10.1]"), (1.61, "[1.01, 4.01]")],
)
def test_another_mean_is_refused(tmp_path: Path, value: float, launches: str) -> None:
    with pytest.raises(MachmeterError, match="is not the mean of its launches"):
        read_machine(with_launches(tmp_path, value, launches))


def test_the_harmonic_mean_is_one_of_rates_only(tmp_path: Path) -> None:
    assert read_machine(with_launches(tmp_path, 1.61, "[1.01, 4.01]", RATES))
    with pytest.raises(MachmeterError, match="is not the mean"):
        read_machine(with_launches(tmp_path, 1.61, "[1.01, 4.01]"))


@pytest.mark.parametrize(
    ("launches", "problem"),
    [
        ("[inf, -inf]", "launch 1 of one is inf"),
        ("[1.0, nan]", "launch 2 of one is nan"),
        ("[1e308, 1e308]", "no quantity of a computer"),
        ("[0.0, 1.0]", "is no time"),
    ],
)
def test_launches_that_are_no_numbers_are_refused(
    tmp_path: Path, launches: str, problem: str
) -> None:
    with pytest.raises(MachmeterError, match=problem):
        read_machine(with_launches(tmp_path, 1.0, launches))


def test_a_number_of_too_many_digits_is_refused(tmp_path: Path) -> None:
    figure = f'{{ id = "one", value = {"1" * 5000} }}'
    with pytest.raises(MachmeterError, match="4300 digits") as error:
        read_machine(machine_of(tmp_path, figure=figure))
    assert "sys." not in error.value.message


FILE = "https://github.com/a/b/blob/6b4d5fbbba/src/x.md"


@pytest.mark.parametrize(
    "address", [FILE, f"{FILE}#top", "https://github.com/a/b/blob/main/x.md#L3", f"{FILE}#L"]
)
def test_a_file_is_named_by_commit_and_line(tmp_path: Path, address: str) -> None:
    table = TABLE.format(decimals=2, layout="{}", figure='{ id = "one", value = 1.25 }')
    text = f'{HEAD}{SOURCE}{table}address = "{address}"\n'
    with pytest.raises(MachmeterError, match="without its commit and line"):
        read_machine(written(tmp_path, text))


@pytest.mark.parametrize(
    "address", [f"{FILE}#L71", "https://github.com/a/b/issues/7245", "https://example.org/x", ""]
)
def test_what_a_source_says_of_its_numbers_is_kept(tmp_path: Path, address: str) -> None:
    table = TABLE.format(decimals=2, layout="{}", figure='{ id = "one", value = 1.25 }')
    own = f'address = "{address}"\nstatistic = "slowest rank"\nrelation = "same switch"\n'
    hardware = '[hardware]\ngeneration = "Zen 3"\nchannels = 16\ntransfers = 3200\n'
    machine = read_machine(written(tmp_path, f"{HEAD}{SOURCE}{table}{own}{hardware}"))
    (estimate,) = published_estimates(machine)
    assert estimate.printed is not None
    assert estimate.printed.statistic is Statistic.SLOWEST_RANK
    assert estimate.printed.relation is NodeRelation.SAME_SWITCH
    assert estimate.printed.address == address
    assert machine.hardware.bandwidth == 409.6e9


@pytest.mark.parametrize("line", ['statistic = "fastest"', 'relation = "same rack"'])
def test_unknown_words_are_refused_with_those_that_are_known(tmp_path: Path, line: str) -> None:
    table = TABLE.format(decimals=2, layout="{}", figure='{ id = "one", value = 1.25 }')
    with pytest.raises(MachmeterError) as caught:
        read_machine(written(tmp_path, f"{HEAD}{SOURCE}{table}{line}\n"))
    assert "choose one of" in caught.value.remedy
