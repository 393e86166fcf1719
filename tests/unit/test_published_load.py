"""Files of published figures and claims: what they hold, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.errors import MachmeterError, UsageError
from machmeter.published.estimates import published_estimates
from machmeter.published.load import (
    LARGEST_FILE,
    claim_names,
    figures_of,
    machine_names,
    published_claims,
    published_machine,
    read_claims,
    read_machine,
)
from machmeter.published.verdicts import ClaimVerdict, judge_claims

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
    assert len(figures_of(machine)) == sum(len(table.figures) for table in machine.tables)


@pytest.mark.parametrize("name", claim_names())
def test_every_claim_of_a_study_is_of_machines_that_are_there(name: str) -> None:
    claims = published_claims(name)
    assert claims.claims
    assert set(claims.machines) <= set(machine_names())


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError) as error:
        published_machine("earth-simulator")
    assert "scalemp" in error.value.remedy
    with pytest.raises(UsageError, match="no study"):
        published_claims("nobody2010")


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    machine = read_machine(machine_of(tmp_path, '{ id = "one", value = 1.5 }'))
    assert figures_of(machine)["one"].value == 1.5


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
        ("}", "docs/published.md"),
    ],
)
def test_what_is_not_of_the_form_is_refused_and_named(
    tmp_path: Path, figures: str, problem: str
) -> None:
    with pytest.raises(MachmeterError) as error:
        read_machine(machine_of(tmp_path, figures))
    assert problem in error.value.message
    assert error.value.remedy


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
    document = Path(__file__).resolve().parents[2] / "docs" / "published.md"
    machine, claims = re.findall(r"^```toml\n(.*?)^```", document.read_text("utf-8"), FLAGS)
    assert len(figures_of(read_machine(written(tmp_path, machine)))) == 3
    assert published_estimates(read_machine(written(tmp_path, machine)))[0].source
    judged = judge_claims(read_claims(written(tmp_path, claims)))
    assert [one.verdict for one in judged] == [ClaimVerdict.REPRODUCED]


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "any.toml"
    path.write_bytes(content)
    with pytest.raises(MachmeterError):
        read_machine(path)
