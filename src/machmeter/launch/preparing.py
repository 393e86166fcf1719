"""What a description has run before each launch, in the folder of the launch."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.apps.placeholders import filled_for
from machmeter.launch.observed import observed_file, take_observed
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult, run_process
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch


def prepare_launch(  # noqa: PLR0913, PLR0917 - what starts in the folder of a launch takes all of it
    launch: Launch,
    command: Command,
    environment: Mapping[str, str],
    limit_seconds: float,
    wrapper: str,
    record: Path,
    path: Path,
    read_only: Sequence[Path],
) -> ProcessResult | None:
    """Run what the description has run before each launch, in the folder `path` of the launch; the
    result of the first command that fails, None where none does.

    wrapper: starts each, and ends it with all that it started where machmeter is killed; record:
    that of the launch; read_only: files that the commands cannot write to.
    """
    description = command.description
    if description is None:
        return None
    values = filled_for(launch, description.environment.values())
    environment = {**environment, **dict(zip(description.environment, values, strict=True))}
    begin, kept = observed_file(record), OUTPUT_TAIL // 2
    for one in description.made_each_launch:
        tool, *arguments = filled_for(launch, one.command)
        # A path is one in the folder of the launch, which the wrapper is started in.
        found = tool if "/" in tool else shutil.which(tool, path=environment.get("PATH"))
        if found is None:
            said = f"cannot start {tool}, which prepares the launch: it is not on the PATH"
            return ProcessResult(127, 0.0, False, said)
        words = (wrapper, "--observe", begin, "--rank", "none", "--", found, *arguments)
        result = run_process(words, environment, limit_seconds, kept, str(path), read_only)
        take_observed(begin, 1)
        if result.exit_code or result.timed_out or result.wrote_too_much:
            # The last lines are quoted.
            said = f"{result.output}\n{tool}, which prepares the launch, failed\n"
            return replace(result, exit_code=result.exit_code or 1, output=said)
    return None
