"""A line of a shell as its commands, with quoted values kept whole."""

from __future__ import annotations

import re

# A quoted part is one, whatever stands in it; `&` is none of `2>&1` and `&>`.
_PART = re.compile(
    r"""\\.|"(?:[^"\\]|\\.)*"|'[^']*'|(?P<end>&&|\|\||;|(?<![>&<|])&(?![>&]))|[^\\"'&|;]+|.""",
    re.DOTALL,
)
_QUOTED_VALUE = re.compile(r"""(?<=\w=)(?:"[^"]*"|'[^']*')|'[A-Za-z_]\w*=[^']*'""")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"']|["'])+""")
_MOST_COMMANDS = 100
# Stands for a blank within a value, where the words of a line are parted at blanks.
_BLANK = "\N{OPEN BOX}"


def commands_of(line: str) -> list[str]:
    """The commands of a line, at most 100; one that runs in the background keeps its `&`.

    Blanks in quoted values of variables are replaced: `unglued` puts them back.
    """
    line = _QUOTED_VALUE.sub(lambda found: re.sub(r"[ \t]", _BLANK, found.group()), line)
    if not (";" in line or "&" in line or "||" in line):
        return [line]
    commands = [""]
    for part in _PART.finditer(line):
        if not part.group("end"):
            commands[-1] += part.group()
        elif len(commands) < _MOST_COMMANDS:
            commands[-1] += " &" if part.group() == "&" else ""
            commands.append("")
    return [command for command in commands if command.strip()]


def unglued(text: str) -> str:
    """The text with the blanks that `commands_of` replaced."""
    return text.replace(_BLANK, " ")


def words_of(command: str) -> list[str]:
    """The words of a command, with their quotes; what is quoted is one."""
    return _WORD.findall(command)
