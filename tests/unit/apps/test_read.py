"""Descriptions as files: the documented example, and what is refused."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.apps.extract import read_output
from machmeter.apps.judge import output_faults
from machmeter.apps.read import LARGEST_DESCRIPTION, description_in, read_description
from machmeter.apps.rules import check_description
from machmeter.cli.schemas import schema_of
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.description import Description, EchoOf, Take
from tests.support.described import launch_of_described
from tests.support.paths import ROOT

EXAMPLE = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/apps.md").read_text(), re.DOTALL)[0]
HEAD = 'name = "a"\ntitle = "A"\ncommand = ["a"]\n'
FIGURE = '[[figures]]\nname = "rate"\nunit = "1/s"\nbetter = "higher"\npattern = "(a)"\n'
ECHO = '[[echoes]]\nwhat = "ranks"\npattern = "(a)"\n'
VALIDITY = '[[validities]]\nname = "use"\npattern = "(a)"\n'
CHECK = '[[checks]]\nname = "energy"\npattern = "(a)"\n'
MADE = '[[inputs]]\npath = "in"\nmade = true\n'
# What LAMMPS writes; 2 ranks of 1 thread.
LOG = """
Step Temp E_pair E_mol TotEng Press
       0         1.44   -6.7733681            0   -4.6134356   -5.0197073
     100    0.7574531   -5.7585055            0   -4.6223613   0.20726105
Loop time of 0.67 on 2 procs for 100 steps with 32000 atoms
Performance: 63720.5 tau/day, 147.501 timesteps/s
98.5% CPU use with 2 MPI tasks x 1 OpenMP threads
"""


def refusal(content: str) -> MachmeterError:
    with pytest.raises(MachmeterError) as error:
        description_in(content.encode(), "a.toml")
    assert error.value.message.startswith("a.toml")
    assert error.value.remedy
    return error.value


def test_the_documented_example_reads_what_its_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "lj.toml"
    path.write_text(EXAMPLE)
    described = read_description(path)
    readings = read_output(described, {"": "", "log.lammps": LOG})
    assert readings.problems == {}
    assert readings.values["rate"] == 147.501
    assert output_faults(launch_of_described(described, 2), readings, {}) == ()
    assert output_faults(launch_of_described(described, 1), readings, {})


def test_the_documented_example_is_of_the_schema() -> None:
    jsonschema.validate(tomllib.loads(EXAMPLE), schema_of("app-file"))


def test_what_is_left_out_has_defaults() -> None:
    described = description_in((HEAD + FIGURE).encode(), "a.toml")
    assert described.exit_codes == (0,)
    assert described.threads is None
    assert described.figures[0].take is Take.LAST
    assert described.figures[0].file == ""
    assert described.figures[0].factor == 1.0


def test_numbers_are_of_a_name_each() -> None:
    described = description_in((HEAD + FIGURE + ECHO).encode(), "a.toml")
    assert set(described.extractions) == {"rate", EchoOf.RANKS}


@pytest.mark.parametrize(
    ("content", "key", "near"),
    [
        (HEAD + 'comand = "a"', "comand", "command"),
        (HEAD + FIGURE + 'patern = "(a)"', "patern", "pattern"),
        (HEAD + CHECK + "relatve = 0.1", "relatve", "relative"),
        (HEAD + '[[inputs]]\npath = "a"\nsha265 = ""', "sha265", "sha256"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(content: str, key: str, near: str) -> None:
    error = refusal(content)
    assert f"`{key}`" in error.message
    assert near in error.remedy


@pytest.mark.parametrize(
    "content",
    [
        "name = ",
        "\x00",
        HEAD.replace('"A"', "1"),
        HEAD.replace('["a"]', '"a"'),
        HEAD.replace('["a"]', "[]"),
        HEAD.replace('["a"]', '[" "]'),
        HEAD.replace('["a"]', '["a", "\\u0000"]'),
        HEAD.replace('["a"]', '["a", "{cores}"]'),
        HEAD.replace('"A"', '"\\u001b[2J"'),
        HEAD.replace('name = "a"', 'name = "a\\n"'),
        HEAD.replace('name = "a"', 'name = "A b"'),
        HEAD + "format = 2",
        HEAD + "exit_codes = []",
        HEAD + "exit_codes = [256]",
        HEAD + 'thread_arguments = ["{thread}"]',
        HEAD + 'environment = {A = "{ranks"}',
        HEAD + 'environment = {"A=B" = "1"}',
        HEAD + FIGURE + FIGURE,
        HEAD + ECHO + ECHO,
        HEAD + FIGURE + CHECK.replace("energy", "rate") + "reference = 1\nabsolute = 1",
        HEAD + FIGURE.replace('"rate"', '"wall"'),
        HEAD + FIGURE.replace("higher", "most"),
        HEAD + FIGURE.replace("(a)", "a"),
        HEAD + FIGURE.replace("(a)", "(a)(b)"),
        HEAD + FIGURE.replace("(a)", "(a"),
        HEAD + FIGURE + "factor = 0",
        HEAD + FIGURE + "factor = nan",
        HEAD + FIGURE + "optional = true",
        HEAD + FIGURE + 'take = "mean"',
        HEAD + FIGURE + 'file = "/etc/passwd"',
        HEAD + FIGURE + 'file = "../log"',
        HEAD + FIGURE + 'file = "."',
        HEAD + VALIDITY,
        HEAD + VALIDITY + "least = nan",
        HEAD + VALIDITY + "most = inf",
        HEAD + VALIDITY + "least = 2\nmost = 1",
        HEAD + CHECK + "absolute = 1",
        HEAD + CHECK + "reference = 1",
        HEAD + CHECK + "reference = 0\nrelative = 0.1",
        HEAD + CHECK + "reference = nan\nabsolute = 1",
        HEAD + CHECK + "reference = 1\nabsolute = nan",
        HEAD + CHECK + "reference = 1\nabsolute = -1",
        HEAD + CHECK + "across = true",
        HEAD + CHECK + "across = true\nreference = 1\nabsolute = 1",
        HEAD + '[[inputs]]\npath = ""',
        HEAD + '[[inputs]]\npath = "/in"',
        HEAD + '[[inputs]]\npath = "a/../../in"',
        HEAD + '[[inputs]]\npath = "in"\nsha256 = "12"',
        HEAD + f'[[inputs]]\npath = "in"\nsha256 = "{"g" * 64}"',
        HEAD + '[[inputs]]\npath = "in"\nmade = true',
        HEAD + '[[inputs]]\npath = "in"\n[[preparations]]\ncommand = ["make"]',
        HEAD + '[[preparations]]\ncommand = ["make"]',
        HEAD + '[[inputs]]\npath = "in"\nmade = true\n[[preparations]]\ncommand = []',
        HEAD + '[[inputs]]\npath = "in"\nmade = true\n[[preparations]]\ncommand = ["a\\u0000"]',
        HEAD + '[[preparations]]\ncommand = ["a", "{cores}"]\neach_launch = true',
        HEAD + '[[preparations]]\ncommand = ["a.py"]\neach_launch = true',
        HEAD + MADE + '[[preparations]]\ncommand = ["../a.py"]',
        HEAD + MADE + '[[preparations]]\ncommand = ["/tmp/a.py"]',
        HEAD + '[[variants]]\nfeature = "avx2"',
        HEAD + 'needs = ["a\\u0000"]',
        HEAD + 'provided = { by_hand = "a\\nb" }',
        HEAD + "least_threads = 0",
        HEAD + "helper_threads = true",
        HEAD + "helper_threads = true\n" + ECHO,
        "a = " + "[" * 5000,
        "a = " + "1" * 5000,
    ],
)
def test_what_cannot_be_used_is_refused(content: str) -> None:
    refusal(content)


@pytest.mark.parametrize(
    "content",
    [
        HEAD + VALIDITY + "least = 1\nmost = 1",
        HEAD + CHECK + "reference = 0\nabsolute = 0.1",
        HEAD + CHECK + "across = true\nrelative = 1e-8",
        HEAD + FIGURE + 'file = "out/..log"',
        HEAD + FIGURE + FIGURE.replace("rate", "wait") + "optional = true",
        HEAD + "exit_codes = [1, 0]",
        HEAD + '[[inputs]]\npath = "in"\nmade = true\n[[preparations]]\ncommand = ["a", "{x}"]',
        HEAD + '[[preparations]]\ncommand = ["a", "{ranks}"]\neach_launch = true',
        HEAD + 'ranks = true\n[[variants]]\nprogram = "b"\nfeature = "avx2"',
        HEAD + 'environment = {OMP_NUM_THREADS = "{threads}", A = "{{}}"}',
        HEAD + f'[[inputs]]\npath = "in/a b"\nsha256 = "{"A" * 64}"',
    ],
)
def test_edges_are_taken(content: str) -> None:
    check_description(description_in(content.encode(), "a.toml"))


@given(st.binary() | st.text().map(lambda text: (HEAD + text).encode(errors="replace")))
def test_any_content_is_a_description_or_refused(content: bytes) -> None:
    try:
        assert isinstance(description_in(content, "a.toml"), Description)
    except MachmeterError as error:
        assert error.remedy


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    large, pipe = tmp_path / "large.toml", tmp_path / "pipe"
    large.write_text(HEAD + "#" * LARGEST_DESCRIPTION)
    os.mkfifo(pipe)
    for path in (tmp_path / "none.toml", tmp_path, pipe, large):
        with pytest.raises(MachmeterError) as error:
            read_description(path)
        assert str(path) in error.value.message
