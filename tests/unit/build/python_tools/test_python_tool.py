"""Packages in environments of their own: made once, whole or not at all, spoken to in JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.build.pypi import installer as wheel_installer
from machmeter.build.pypi.installer import installer
from machmeter.build.pypi.requirements import UNVERIFIED
from machmeter.build.python_tools import python_tool
from machmeter.build.python_tools.extra_p import EXTRA_P, is_fetched, normal_terms
from machmeter.build.python_tools.python_tool import (
    PythonTool,
    install_command,
    run_tool,
    tool_folder,
    tool_python,
)
from machmeter.model.errors import ExitCode, MachineLacksError, MachmeterError
from tests.support.made_up.tools import tool

ECHO = """
import json, sys, made_up_package
request = json.load(sys.stdin)
if request.get("die"):
    sys.exit("the tool says why")
while request.get("hang"):
    pass
json.dump({"doubled": 2 * request["number"], "package": made_up_package.NAME}, sys.stdout)
"""


def wheel(folder: Path) -> Path:
    """A wheel of one module, so that nothing is fetched."""
    path = folder / "made_up_package-1.0-py3-none-any.whl"
    info = "made_up_package-1.0.dist-info"
    files = {
        "made_up_package.py": "NAME = 'made up'\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: made-up-package\nVersion: 1.0\n"
        "Requires-Dist: a-package-that-is-nowhere\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = [f"{name},{_digest(text)},{len(text)}" for name, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def requirement_of(path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"made-up-package @ {path.as_uri()} --hash=sha256:{digest}"


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> tuple[PythonTool, Path]:
    """A tool and the cache it lies in."""
    folder = tmp_path_factory.mktemp("wheel ü")
    made = PythonTool("made-up", "1.0", (requirement_of(wheel(folder)),))
    tool_python(made, folder / "cache")
    return made, folder / "cache"


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a script that needs the tool's package."""
    monkeypatch.setattr(python_tool, "_SCRIPTS", tmp_path)
    (tmp_path / "echo.py").write_text(ECHO)
    # What the script's folder holds must not take the place of a package.
    (tmp_path / "json.py").write_text("raise ImportError('the wrong json')")
    return "echo.py"


def test_a_tool_answers_from_an_environment_of_its_own(
    made_up: tuple[PythonTool, Path], echo: str
) -> None:
    answer = json.loads(run_tool(*made_up, echo, b'{"number": 21}', 60))
    assert answer == {"doubled": 42, "package": "made up"}


def test_it_is_made_once_for_all_that_it_holds(made_up: tuple[PythonTool, Path]) -> None:
    made, cache = made_up
    before = (tool_folder(made, cache) / "pyvenv.cfg").stat().st_mtime_ns
    assert tool_python(made, cache, {"PATH": "/nowhere"}).is_file()
    assert (tool_folder(made, cache) / "pyvenv.cfg").stat().st_mtime_ns == before
    other = PythonTool("made-up", "1.0", (*made.requirements, "numpy==2.2.0"))
    assert tool_folder(other, cache) != tool_folder(made, cache)


def test_a_tool_borrows_only_the_modules_that_it_names(
    made_up: tuple[PythonTool, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_tool, "_SCRIPTS", tmp_path)
    (tmp_path / "borrows.py").write_text("import msgspec; print(1)")
    made, cache = made_up
    assert run_tool(replace(made, borrowed=("msgspec",)), cache, "borrows.py", b"", 60) == b"1\n"
    with pytest.raises(MachmeterError) as caught:
        run_tool(made, cache, "borrows.py", b"", 60)
    assert "No module named 'msgspec'" in caught.value.details


def test_a_tool_that_fails_is_told_with_its_words(
    made_up: tuple[PythonTool, Path], echo: str
) -> None:
    with pytest.raises(MachmeterError) as caught:
        run_tool(*made_up, echo, b'{"die": 1}', 60)
    assert "the tool says why" in caught.value.details
    assert caught.value.exit_code is ExitCode.SOMETHING_FAILED


def test_a_tool_that_hangs_is_ended(made_up: tuple[PythonTool, Path], echo: str) -> None:
    with pytest.raises(MachmeterError, match="no answer within 1 s"):
        run_tool(*made_up, echo, b'{"hang": 1}', 1)


def test_a_request_is_bounded(
    made_up: tuple[PythonTool, Path], echo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_tool, "MOST_BYTES", 20)
    with pytest.raises(MachmeterError, match="more than 20"):
        run_tool(*made_up, echo, b'{"number": 1, "more": 2}', 60)
    with pytest.raises(MachmeterError, match="the answer of made-up"):
        run_tool(*made_up, echo, b'{"number": 1}', 60)


@pytest.mark.parametrize("script", ["../python_tool.py", "missing.py", "/etc/passwd"])
def test_only_scripts_of_the_package_run(
    made_up: tuple[PythonTool, Path], echo: str, script: str
) -> None:
    with pytest.raises(MachmeterError, match="no script"):
        run_tool(*made_up, script, b"{}", 60)


def test_a_fetch_that_fails_says_what_to_do_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", "echo 'no route to host' >&2; exit 1")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    missing = PythonTool("missing", "1.0", ("missing==1.0 --hash=sha256:0",))
    with pytest.raises(MachineLacksError) as caught:
        tool_python(missing, tmp_path / "cache", dict(os.environ))
    assert "no route to host" in caught.value.details
    assert "MACHMETER_CACHE" in caught.value.remedy
    left = [path.name for path in (tmp_path / "cache" / "python").iterdir()]
    assert left == ["missing.lock"]


def test_an_environment_whose_python_is_gone_is_made_again(tmp_path: Path) -> None:
    made = PythonTool("made-up", "1.0", (requirement_of(wheel(tmp_path)),))
    python = tool_folder(made, tmp_path / "cache") / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/nowhere/python")
    assert tool_python(made, tmp_path / "cache").resolve().is_file()


def test_what_extra_p_needs_leaves_graphics_out(tmp_path: Path) -> None:
    large = ("PySide", "matplotlib", "numpy", "scipy")
    assert not any(one.startswith(large) for one in EXTRA_P.requirements)
    assert not is_fetched(tmp_path)


def test_an_answer_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in (b"no json", b'{"models": []}'):
        run_tool = "machmeter.build.python_tools.extra_p.run_tool"
        monkeypatch.setattr(run_tool, lambda *_, said=answer: said)
        with pytest.raises(MachmeterError, match="extrap"):
            normal_terms([((1, 2, 4, 8, 16), (5.0, 4.0, 3.0, 2.0, 1.0))], tmp_path)


def test_a_package_is_installed_with_uv_where_there_is_no_pip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert install_command("pyarrow").endswith(" -m pip install pyarrow")
    monkeypatch.setattr(python_tool.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(python_tool.sys, "executable", "/my tools/python")
    assert install_command("pyarrow") == "uv pip install --python '/my tools/python' pyarrow"


def test_settings_of_pip_put_nothing_elsewhere(tmp_path: Path) -> None:
    made = PythonTool("made-up", "1.0", (requirement_of(wheel(tmp_path)),))
    elsewhere = tmp_path / "elsewhere"
    python = tool_python(made, tmp_path / "cache", {**os.environ, "PIP_TARGET": str(elsewhere)})
    assert not elsewhere.exists()
    assert list(python.parents[1].rglob("made_up_package.py"))


def test_another_file_than_the_known_one_is_not_installed(tmp_path: Path) -> None:
    known = requirement_of(wheel(tmp_path))
    other = PythonTool("made-up", "1.0", (f"{known[:-6]}000000",))
    with pytest.raises(MachineLacksError) as caught:
        tool_python(other, tmp_path / "cache")
    assert "DO NOT MATCH THE HASHES" in caught.value.details
    assert not tool_folder(other, tmp_path / "cache").exists()
    unverified = {**os.environ, UNVERIFIED: "1"}
    python = tool_python(other, tmp_path / "cache", unverified)
    assert list(python.parents[1].rglob("made_up_package.py"))
    assert not tool_folder(other, tmp_path / "cache").exists()


def test_nothing_in_the_working_folder_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, cache = tmp_path / "work", tmp_path / "cache"
    for module in ("pip", "venv"):
        (work / module).mkdir(parents=True)
        (work / module / "__init__.py").touch()
        (work / module / "__main__.py").write_text("open('imported', 'w')")
    monkeypatch.chdir(work)
    python = tool_python(PythonTool("made-up", "1.0", ()), cache)
    fetched = installer("none==1", {})
    subprocess.run([*fetched[: fetched.index("install")], "--version"], check=True)
    assert python.is_file()
    assert not (work / "imported").exists()


def test_a_tool_that_others_may_have_changed_is_not_started(
    made_up: tuple[PythonTool, Path], echo: str
) -> None:
    made, cache = made_up
    folder = tool_folder(made, cache)
    (package,) = folder.rglob("made_up_package.py")
    for place in (package, package.parent, folder / "bin", folder, cache):
        mode = place.stat().st_mode
        place.chmod(0o777)
        with pytest.raises(MachineLacksError, match="can be written by every user") as caught:
            run_tool(made, cache, echo, b'{"number": 21}', 60)
        assert "go-w" in caught.value.remedy
        place.chmod(mode)
    assert json.loads(run_tool(made, cache, echo, b'{"number": 21}', 60))["doubled"] == 42


def test_an_environment_is_closed_whatever_the_umask(tmp_path: Path) -> None:
    made = PythonTool("made-up", "1.0", (requirement_of(wheel(tmp_path)),))
    before = os.umask(0)
    try:
        tool_python(made, tmp_path / "cache")
    finally:
        os.umask(before)
    folder = tool_folder(made, tmp_path / "cache")
    inside = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert any(path.name == "made_up_package.py" for path in inside)
    assert not [p for p in (*inside, folder, folder.parent) if p.stat().st_mode & 0o022]
