"""Python packages that cannot share an environment with machmeter, each in one of its own.

Some packages pin what machmeter needs in another version, or depend on a graphical toolkit that
their core never loads. Such a package lives in the cache, and is spoken to by JSON: a script of
`scripts` reads a request from standard input and writes its answer to standard output.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from machmeter.build.process import raise_if_ended
from machmeter.build.process import run_tool as run_preparing_tool
from machmeter.build.pypi.installer import install_wheels
from machmeter.build.pypi.requirements import mark_of
from machmeter.model.errors import MachineLacksError, MachmeterError, storage_error
from machmeter.model.written.text import shell_text
from machmeter.store.cache_trust import close_tree, make_closed, refuse_untrusted
from machmeter.store.locks import exclusive

MOST_BYTES = 64 * 2**20
_VENV_SECONDS = 120
_TAIL = 20
# Runs the script named first; the folders after it are looked in last.
_START = """import runpy, sys
sys.path.extend(sys.argv[2:])
runpy.run_path(sys.argv[1], run_name="__main__")
"""
_SCRIPTS = Path(__file__).resolve().parent / "scripts"


class PythonTool(Struct, frozen=True):
    """A package from PyPI, run in an environment of its own."""

    name: str
    """Of the package."""
    version: str
    """Its pinned version."""
    requirements: tuple[str, ...]
    """Everything that is installed, the package included, each pinned (`numpy==2.2.0`, markers are
    allowed): what these depend on is not."""
    borrowed: tuple[str, ...] = ()
    """Modules that it takes from the environment of machmeter instead (`numpy`)."""

    @property
    def remedy(self) -> str:
        """What to do where it cannot be fetched."""
        return (
            f"{self.name} {self.version} is fetched once, from PyPI: run this command where PyPI "
            "can be reached, with the same MACHMETER_CACHE"
        )


def tool_folder(
    tool: PythonTool, cache: Path, environment: Mapping[str, str] | None = None
) -> Path:
    """Where the environment of `tool` lies: by all it holds, what its files are verified by, and
    the Python it was made for; environment: as in `tool_python`."""
    mark = mark_of(tool.requirements, os.environ if environment is None else environment)
    made_of = "\n".join((*tool.requirements, mark, sys.base_prefix))
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:12]
    tag = f"{sys.implementation.cache_tag}-{platform.machine()}"
    return cache / "python" / f"{tool.name}-{tool.version}-{tag}-{digest}"


def tool_python(
    tool: PythonTool, cache: Path, environment: Mapping[str, str] | None = None
) -> Path:
    """The interpreter of the environment of `tool`, made when the cache has none that starts.

    environment: the variables that pip or uv see (None: those of this process). Raises
    MachineLacksError when it cannot be fetched or the cache cannot be written, and as
    `refuse_untrusted` does.
    """
    variables = os.environ if environment is None else environment
    folder = tool_folder(tool, cache, environment)
    python = folder / "bin" / "python"
    # The link leads nowhere once the Python it was made with is gone.
    if not python.is_file():
        # Nothing is written into a folder that others may write to either.
        refuse_untrusted((folder.parent,), cache, variables)
        try:
            make_closed(folder.parent)
        except OSError as error:
            raise storage_error(error, folder) from error
        with exclusive(folder.with_name(f"{tool.name}.lock"), raise_if_ended):
            if not python.is_file():
                _make(tool, folder, variables)
    # Whoever it belongs to, the Python of this process is one that the user has started.
    own = () if python.samefile(sys.executable) else (python,)
    packages = folder.glob("lib/python*/site-packages/*")
    refuse_untrusted((python.parent, *packages, *own), cache, variables)
    return python


def run_tool(
    tool: PythonTool, cache: Path, script: str, request: bytes, timeout_seconds: float
) -> bytes:
    """What `script` of `scripts` answers to `request`, JSON both, in the tool's environment.

    Raises MachineLacksError when the tool cannot be fetched, MachmeterError with the end of what
    it said when it fails, takes longer, or either document exceeds MOST_BYTES.
    """
    file = _SCRIPTS / script
    if file.parent != _SCRIPTS or not file.is_file():
        raise MachmeterError(f"machmeter has no script {script!r} for {tool.name}")
    _refuse_large(len(request), f"the request to {tool.name}")
    python = tool_python(tool, cache)
    try:
        # -I: neither this process's Python settings nor the scripts' own folder get in its way.
        done = subprocess.run(
            [str(python), "-I", "-c", _START, str(file), *_folders_of(tool.borrowed)],
            input=request,
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MachmeterError(
            f"{tool.name} gave no answer within {timeout_seconds:.0f} s",
            "ask for less at once: one benchmark, or fewer runs",
        ) from error
    except OSError as error:
        raise MachineLacksError(
            f"cannot start {python}: {error.strerror}", f"remove {python.parents[1]} and try again"
        ) from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", errors="replace").splitlines()
        raise MachmeterError(
            f"{tool.name} {tool.version} failed (exit code {done.returncode})",
            f"remove {python.parents[1]} and try again; if it fails again, please report it",
            details="\n".join(said[-_TAIL:]),
        )
    _refuse_large(len(done.stdout), f"the answer of {tool.name}")
    return done.stdout


def _folders_of(modules: Sequence[str]) -> Iterator[str]:
    """Where the environment of machmeter keeps them."""
    specs = filter(None, map(importlib.util.find_spec, modules))
    folders = (str(Path(spec.origin).parents[1]) for spec in specs if spec.origin)
    return iter(dict.fromkeys(folders))


def _make(tool: PythonTool, folder: Path, environment: Mapping[str, str]) -> None:
    """Make the environment beside `folder` and rename it into place: whole or not at all."""
    unfinished = folder.with_name(folder.name + ".unfinished")
    made = unfinished / "made"
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        # Nobody else enters it before the rights of its files are known.
        unfinished.mkdir(mode=0o700)
        made.mkdir(mode=0o755)
        doing = f"fetching {tool.name} {tool.version} from PyPI"
        run_preparing_tool(
            [sys.executable, "-I", "-m", "venv", "--without-pip", str(made)],
            doing=doing,
            remedy=tool.remedy,
            timeout=_VENV_SECONDS,
            environment=environment,
        )
        install_wheels(
            tool.requirements,
            made,
            (),
            doing=doing,
            remedy=tool.remedy,
            environment=environment,
            python=made / "bin" / "python",
        )
        close_tree(made)
        shutil.rmtree(folder, ignore_errors=True)
        made.replace(folder)
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def install_command(package: str) -> str:
    """What installs a package beside machmeter: pip, or uv where this Python has no pip."""
    if importlib.util.find_spec("pip") is not None:
        return shell_text((sys.executable, "-m", "pip", "install", package))
    return shell_text(("uv", "pip", "install", "--python", sys.executable, package))


def _refuse_large(size: int, what: str) -> None:
    if size > MOST_BYTES:
        raise MachmeterError(
            f"{what} has {size} B, more than {MOST_BYTES}",
            "ask for less at once: one benchmark, or fewer runs",
        )
