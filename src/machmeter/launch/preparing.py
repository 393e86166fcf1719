"""What a description has run before each launch, in the folder of the launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.apps.placeholders import filled_for
from machmeter.launch.process import OUTPUT_TAIL, ProcessResult, run_process
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch


def prepare_launch(
    launch: Launch,
    command: Command,
    environment: Mapping[str, str],
    limit_seconds: float,
    path: Path,
    read_only: Sequence[Path],
) -> ProcessResult | None:
    """Run what the description has run before each launch, in the folder of the launch; the result
    of the first command that fails, None where none does. read_only: files that it cannot write
    to."""
    description = command.description
    if description is None:
        return None
    values = filled_for(launch, description.environment.values())
    environment = {**environment, **dict(zip(description.environment, values, strict=True))}
    for one in description.made_each_launch:
        words = filled_for(launch, one.command)
        kept = OUTPUT_TAIL // 2
        result = run_process(words, environment, limit_seconds, kept, str(path), read_only)
        if result.exit_code or result.timed_out or result.wrote_too_much:
            # The last lines are quoted.
            said = f"{result.output}\n{words[0]}, which prepares the launch, failed\n"
            return replace(result, exit_code=result.exit_code or 1, output=said)
    return None
