"""Files of published figures and claims: what they hold, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.errors import MachmeterError, UsageError
from machmeter.published import load
from machmeter.published.estimates import published_estimates
from machmeter.published.load import (
    LARGEST_FILE,
    claim_names,
    machine_names,
    published_claims,
    published_machine,
    read_claims,
    read_machine,
)
from machmeter.published.machine import machine_results
from machmeter.published.units import PRINTED_UNITS
from machmeter.published.verdicts import ClaimVerdict, judge_claims
from tests.support.paths import ROOT

FLAGS = re.MULTILINE | re.DOTALL
HEAD = """
format = 1
id = "mine"
name = "Mine"
summary = "A machine"
source = "Somebody, 2026"
year = 2026
"""
TABLE = """
[[tables]]
page = "table 1"
unit = "us"
decimals = 2
figures = [ {figures} ]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "machine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def machine_of(folder: Path, figures: str) -> Path:
    return written(folder, HEAD + TABLE.format(figures=figures))


@pytest.mark.parametrize("name", machine_names())
def test_every_packaged_machine_says_where_each_figure_stands(name: str) -> None:
    machine = published_machine(name)
    assert machine.id == name
    assert machine.source
    assert all(table.page and table.figures for table in machine.tables)
    figures = [figure.id for table in machine.tables for figure in table.figures]
    assert len(set(figures)) == len(figures)


@pytest.mark.parametrize("name", claim_names())
def test_every_claim_of_a_study_is_of_machines_that_are_there(name: str) -> None:
    claims = published_claims(name)
    assert claims.claims
    assert set(claims.machines) <= set(machine_names())


def test_a_name_that_is_not_there_is_refused_with_what_was_meant() -> None:
    with pytest.raises(UsageError) as error:
        published_machine("scalmp")
    assert error.value.remedy.startswith("did you mean scalemp")
    with pytest.raises(UsageError, match="no study"):
        published_claims("nobody2010")


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    machine = read_machine(machine_of(tmp_path, '{ id = "one", value = 1.5 }'))
    (figure,) = (one for table in machine.tables for one in table.figures if one.id == "one")
    assert figure.value == 1.5


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ('{ id = "one", value = 1.5, colour = "red" }', "colour"),
        ('{ id = "one" }', "either a value or a formula"),
        ('{ id = "one", value = 1.5 }, { id = "one", value = 2.5 }', "more than once"),
        ('{ id = "One!", value = 1.5 }', "figures"),
        ('{ id = "one", value = "many" }', "figures"),
        ('{ id = "one", derived = { form = "eval", code = "1" } }', "eval"),
        ("", "figures"),
        ("}", "no TOML"),
    ],
)
def test_what_is_not_of_the_form_is_refused_and_named(
    tmp_path: Path, figures: str, problem: str
) -> None:
    with pytest.raises(MachmeterError) as error:
        read_machine(machine_of(tmp_path, figures))
    assert problem in error.value.message
    assert error.value.remedy


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ('benchmark = "memory.pages"', "only part of what it measures"),
        ('workload = "neuron"', "only part of what it measures"),
        ('workload = "neuron"\nquantity = "time"', "only part of what it measures"),
        (
            'benchmark = "a"\nmetric = "b"\nworkload = "c"\nquantity = "d"\nbetter = "lower"',
            "only part of what it measures",
        ),
        ('workload = "neuron"\nquantity = "time"\nbetter = "sooner"', "sooner"),
        ('benchmark = "memory.holes"\nmetric = "depth"', "memory.holes"),
    ],
)
def test_a_table_names_what_it_is_of_whole(tmp_path: Path, fields: str, problem: str) -> None:
    table = TABLE.format(figures='{ id = "one", value = 1 }').replace("unit", f"{fields}\nunit")
    with pytest.raises(MachmeterError, match=problem):
        read_machine(written(tmp_path, HEAD + table))


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ('unit = "Gbps"', "Gbps"),
        ('unit = "GB/s"\ndirection = "up"', "up"),
        ('unit = "GB/s"\ncolour = "red"', "colour"),
    ],
)
def test_a_link_has_bits_or_bytes_and_nothing_between(
    tmp_path: Path, link: str, problem: str
) -> None:
    text = f'{HEAD}tables = []\n[[links]]\nid = "one"\nvalue = 15\npage = "1"\n{link}\n'
    with pytest.raises(MachmeterError, match=problem):
        read_machine(written(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        TABLE.format(figures='{ id = "one", value = nan }'),
        "tables = []\n[[links]]\nid = 'one'\nvalue = inf\nunit = 'B/s'\npage = '1'",
        "tables = []\n[counts]\nwatts = nan",
        "tables = []\n[parts]\nmemory = { value = inf }",
        "tables = []\n[parts]\nmemory = -inf",
    ],
)
def test_what_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(MachmeterError, match=r"is (nan|-?inf)|number|`float`"):
        read_machine(written(tmp_path, HEAD + text))


def test_a_link_and_a_figure_cannot_have_the_same_id(tmp_path: Path) -> None:
    link = '[[links]]\nid = "one"\nvalue = 15\npage = "1"\nunit = "GB/s"\n'
    text = HEAD + link + TABLE.format(figures='{ id = "one", value = 1 }')
    with pytest.raises(MachmeterError, match="more than once"):
        read_machine(written(tmp_path, text))


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachmeterError, match="format"):
        read_machine(written(tmp_path, HEAD.replace("format = 1", "format = 2") + "tables = []"))


def test_a_file_without_end_is_not_read_to_it(tmp_path: Path) -> None:
    with pytest.raises(MachmeterError, match="larger than"):
        read_machine(written(tmp_path, "#" * (LARGEST_FILE + 1)))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachmeterError, match="cannot read"):
        read_claims(tmp_path / "absent.toml")


def test_the_examples_of_the_document_are_what_is_read(tmp_path: Path) -> None:
    document = ROOT / "docs" / "published.md"
    machine, claims = re.findall(r"^```toml\n(.*?)^```", document.read_text("utf-8"), FLAGS)
    mine = read_machine(written(tmp_path, machine))
    assert [one.id for table in mine.tables for one in table.figures] == [
        "write-other",
        "write-own",
        "neuron-16",
        "remote",
    ]
    assert len(published_estimates(mine)) == 3
    assert machine_results(mine).properties["link between the boards"] == "15 Gbit/s, one way"
    judged = judge_claims(read_claims(written(tmp_path, claims)))
    assert [one.verdict for one in judged] == [ClaimVerdict.REPRODUCED]


def test_the_units_of_the_document_are_units() -> None:
    document = ROOT / "docs" / "published.md"
    section = document.read_text("utf-8").partition("## Units")[2].partition("## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    named = re.findall("`([^`]+)`", "".join(rows))
    assert len(named) > 20
    assert set(named) <= set(PRINTED_UNITS)


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "any.toml"
    path.write_bytes(content)
    with pytest.raises(MachmeterError):
        read_machine(path)


def test_files_that_are_no_data_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "files", lambda _: tmp_path)
    monkeypatch.setattr(load, "_claims", load._claims.__wrapped__)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims/notes.txt").write_text("no data")
    assert claim_names() == ()
