"""Which program is started: variants by what the CPU has, and the first word of the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.programs import finding
from machmeter.api.programs.checking import check_app
from machmeter.api.programs.finding import described_program, installed_program
from machmeter.model.errors import MachineLacksError
from machmeter.model.plan.description import Description, ProgramVariant, Provided
from tests.support.processes.native_programs import executable

DESCRIBED = Description(
    name="a",
    title="A",
    command=("a",),
    variants=(
        ProgramVariant(program="a-avx512", feature="avx512f"),
        ProgramVariant(program="a-avx2", feature="avx2"),
        ProgramVariant(program="a-plain"),
    ),
)


@pytest.mark.parametrize(
    ("flags", "installed", "found"),
    [
        ("avx2 avx512f", ("a-avx512", "a-avx2", "a"), "a-avx512"),
        ("avx2", ("a-avx512", "a-avx2", "a"), "a-avx2"),
        ("avx2", ("a-avx512", "a"), "a"),
        ("", ("a-avx2", "a-plain", "a"), "a-plain"),
        ("avx2", ("a-avx512",), ""),
    ],
)
def test_the_first_program_that_is_there_and_runs_on_the_cpu(
    flags: str,
    installed: tuple[str, ...],
    found: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(finding, "read_cpuinfo", lambda: {"flags": flags})
    for name in installed:
        executable(tmp_path / name, "exit 0")
    path = installed_program(DESCRIBED, tmp_path, {"PATH": str(tmp_path)})
    assert path == (str(tmp_path / found) if found else "")


def test_checking_a_description_starts_nothing_of_it(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "a.toml").write_text(
        f'name = "a"\ntitle = "A"\ncommand = ["true"]\n[[inputs]]\npath = "in"\nmade = true\n'
        f'[[preparations]]\ncommand = ["touch", "{ran}"]\n'
    )
    context = Context(cache=tmp_path / "cache", data=tmp_path / "data")
    assert check_app(tmp_path / "a.toml", context=context).inputs == {}
    assert not ran.exists()
    assert not (tmp_path / "cache").exists()


def test_the_mpi_that_a_script_names_is_named(tmp_path: Path) -> None:
    executable(tmp_path / "script", "exit 0")
    (tmp_path / "a.toml").write_text(
        'name = "a"\ntitle = "A"\ncommand = ["./script"]\nranks = true\nmpi = "mpich"\n'
    )
    checked = check_app(tmp_path / "a.toml", context=Context(cache=tmp_path / "cache"))
    assert checked.mpi == "mpich"


STARTS = replace(DESCRIBED, variants=(), needs=("b", "c"), provided=Provided(by_hand="unpack it"))


@pytest.mark.parametrize(
    ("installed", "missing"), [(("a", "c"), "b"), (("a", "b"), "c"), (("b", "c"), "a")]
)
def test_an_application_whose_script_starts_a_missing_program_is_not_installed(
    installed: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    for name in installed:
        executable(tmp_path / name, "exit 0")
    path = {"PATH": str(tmp_path)}
    assert installed_program(STARTS, tmp_path, path) == ""
    with pytest.raises(MachineLacksError) as lacks:
        described_program(STARTS, tmp_path, path)
    assert f"there is no program {missing} on the PATH" in lacks.value.message
    assert lacks.value.remedy == "install it: unpack it"
    executable(tmp_path / missing, "exit 0")
    assert described_program(STARTS, tmp_path, path) == str(tmp_path / "a")


def test_what_a_script_starts_is_named_where_nothing_installs_it(tmp_path: Path) -> None:
    executable(tmp_path / "a", "exit 0")
    bare = replace(STARTS, provided=Provided())
    with pytest.raises(MachineLacksError, match="no program b on the PATH"):
        described_program(bare, tmp_path, {"PATH": str(tmp_path)})
