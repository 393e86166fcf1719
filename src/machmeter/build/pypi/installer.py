"""Install wheels by pip or uv: whose network settings are kept, and no others."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from machmeter.build.process import run_tool
from machmeter.build.pypi.requirements import is_verified, requirement_lines
from machmeter.model.errors import MachineLacksError

_PATIENCE_SECONDS = 600
# How a site reaches its index: everything else may put files elsewhere, or take other ones.
_NETWORK_OF_PIP = (
    *("index-url", "extra-index-url", "no-index", "find-links", "keyring-provider"),
    *("trusted-host", "cert", "client-cert", "use-feature", "use-deprecated"),
    *("proxy", "timeout", "default-timeout", "retries", "resume-retries", "cache-dir"),
)
_NETWORK_OF_UV = (
    *("UV_INDEX", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_OFFLINE"),
    *("UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST", "UV_KEYRING_PROVIDER"),
    *("UV_HTTP_TIMEOUT", "UV_HTTP_RETRIES", "UV_CACHE_DIR", "UV_CONFIG_FILE"),
)
# Also names and passwords of indexes: UV_INDEX_MINE_USERNAME.
_INDEX_OF_UV = "UV_INDEX_"
# What pip's and uv's words mean, the first that is found in them.
_REASONS = (
    (
        r"do not match the hashes|hash mismatch",
        "the file of the index is not the one whose SHA-256 machmeter knows",
    ),
    (
        r"\(from versions: (?!none)|no version of|requirements are unsatisfiable",
        "the index of packages has no such version for this machine",
    ),
    (
        r"connection|timed out|timeout|name resolution|unreachable|proxyerror|retrying"
        r"|dns error|error sending request|network was disabled",
        "the index of packages cannot be reached",
    ),
    (
        r"\(from versions: none\)|no matching distribution|no solution found",
        "the index of packages cannot be reached, or does not have it",
    ),
)
# Sections of pip's settings, the last one wins.
_SECTIONS = ("global", "install", ":env:")


def install_wheels(
    requirements: Sequence[str],
    folder: Path,
    target: Sequence[str],
    *,
    doing: str,
    remedy: str,
    environment: Mapping[str, str],
    python: Path | None = None,
) -> None:
    """Install these requirements, and nothing that they depend on, by a file in `folder`.

    target: options that say where to; python: the interpreter that they are for (None: this one).
    Raises MachineLacksError when that fails, or a file is not the one that is known;
    what pip or uv printed is its details.
    """
    wanted = folder / "requirements.txt"
    wanted.write_text("\n".join((*requirement_lines(requirements, environment), "")))
    verified = ("--require-hashes",) if is_verified(environment) else ()
    command = [
        *installer(requirements[0] if requirements else "nothing", environment, python),
        *("--quiet", "--no-deps", "--only-binary", ":all:", *verified, "-r", str(wanted)),
    ]
    environment = installer_environment(environment)
    try:
        run_tool(
            [*command, *target],
            doing=doing,
            remedy=remedy,
            timeout=_PATIENCE_SECONDS,
            environment=environment,
            # Settings of uv in the working folder are not those of this installation.
            folder=folder,
        )
    except MachineLacksError as error:
        if not (reason := reason_of(error.details)):
            raise
        raise MachineLacksError(f"{doing} failed: {reason}", remedy, error.details) from error


def reason_of(output: str) -> str:
    """Why pip or uv failed, from what it printed; empty where that is not clear."""
    found = (reason for words, reason in _REASONS if re.search(words, output, re.IGNORECASE))
    return next(found, "")


def installer(
    requirement: str, environment: Mapping[str, str], python: Path | None = None
) -> list[str]:
    """The command that installs for `python` (None: this one), without what and where to.

    Raises MachineLacksError where this Python has neither pip nor uv.
    """
    if _has_pip():
        chosen = ("--python", str(python)) if python else ()
        return [
            *(*_pip(), "--disable-pip-version-check", *chosen, "install"),
            *("--ignore-installed", "--no-warn-script-location"),
        ]
    uv = shutil.which("uv", path=environment.get("PATH"))
    if uv:
        return [uv, "pip", "install", "--python", str(python or sys.executable)]
    raise MachineLacksError(
        f"fetching {requirement} needs pip or uv, and this Python has neither",
        f"run `{sys.executable} -m ensurepip`",
    )


def installer_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What pip and uv see: of their own settings, in variables and in files, those of the network.

    Raises MachineLacksError where pip cannot read its settings.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("PIP_", "UV_"))
        or name in _NETWORK_OF_UV
        or name.startswith(_INDEX_OF_UV)
    }
    if not _has_pip():
        return kept
    listed = run_tool(
        [*_pip(), "config", "list"],
        doing="reading the settings of pip",
        remedy="repair its settings (`pip config debug` names their files), or unset PIP_*",
        timeout=60,
        environment={**kept, **_settings_of_pip(environment)},
        answers=True,
    )
    found = {_variable(key): value for key, value in network_settings(listed)}
    return {**kept, **found, "PIP_CONFIG_FILE": os.devnull}


def network_settings(listed: str) -> Iterator[tuple[str, str]]:
    """Settings of the network that `pip config list` lists, the one that wins last."""
    lines = [line.partition("=") for line in listed.splitlines()]
    for section in _SECTIONS:
        for name, _, value in lines:
            key = name.removeprefix(f"{section}.")
            if key != name and key in _NETWORK_OF_PIP and value.startswith(("'", '"')):
                yield key, " ".join(str(ast.literal_eval(value)).split())


def _settings_of_pip(environment: Mapping[str, str]) -> dict[str, str]:
    names = ("PIP_CONFIG_FILE", *map(_variable, _NETWORK_OF_PIP))
    return {name: environment[name] for name in names if name in environment}


def _variable(key: str) -> str:
    return "PIP_" + key.upper().replace("-", "_")


def _has_pip() -> bool:
    return importlib.util.find_spec("pip") is not None


def _pip() -> list[str]:
    # -P: what lies in the working folder is not imported.
    return [sys.executable, "-P", "-m", "pip"]
