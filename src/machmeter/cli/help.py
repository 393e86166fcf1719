"""Help as plain text in at most 80 columns: usage, what a command does, examples, options."""

from __future__ import annotations

import inspect
import re
from typing import Any

from typer.core import TyperArgument, TyperCommand

from machmeter.model.layout_fields import OptionGroup

_EXAMPLES = "```"


_ARGUMENTS, _OPTIONS = "Arguments", "Options"
_SEVERAL = 3
# Groups of options that only some commands have.
_OWN_GROUPS = ("Score", "Scaling laws")
_ORDER = (
    _ARGUMENTS,
    *(group for group in OptionGroup if group is not OptionGroup.OUTPUT),
    *(*_OWN_GROUPS, OptionGroup.OUTPUT, _OPTIONS),
)
_DEFAULT = re.compile(r"\[default: (.*)\]$", re.DOTALL)


def _briefly(record: tuple[str, str]) -> tuple[str, str]:
    """An option's words, with its default as `[2%]`."""
    return record[0], _DEFAULT.sub(r"[\1]", record[1])


def worded_help_option(option: Any) -> Any:
    """The parser's help option (None: it has none), worded like the other options."""
    if option is not None:
        option.help = "show this help and exit"
    return option


class PlainCommand(TyperCommand):
    """A command whose help has the words of its metavars and the examples of its docstring.

    Contexts, formatters and options are the parser's, whose classes have no public name.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments by their metavars, then the options; a command line after `--` ends it."""
        arguments = [one for one in self.get_params(ctx) if isinstance(one, TyperArgument)]
        pieces = [one.metavar or "" for one in arguments if not one.hidden]
        return sorted([*pieces, "[OPTIONS]"], key=lambda one: one.startswith("--"))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Paragraphs of the docstring; a block between ``` stays as it is."""
        del ctx
        for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                if paragraph.startswith(_EXAMPLES):
                    for line in paragraph.splitlines()[1:-1]:
                        formatter.write(f"    {line}\n")
                else:
                    formatter.write_text(paragraph)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, without the names of Python types that the parser adds, and options by group.

        What belongs to no group is about output. Options of one group need no heading of their own.
        """
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record and isinstance(param, TyperArgument):
                groups.setdefault(_ARGUMENTS, []).append((param.metavar or "", record[1]))
            elif record:
                group = getattr(param, "rich_help_panel", None) or OptionGroup.OUTPUT
                groups.setdefault(group, []).append(_briefly(record))
        if len(groups) - (_ARGUMENTS in groups) < _SEVERAL:
            options = [row for title, rows in groups.items() if title != _ARGUMENTS for row in rows]
            groups = {title: groups[title] for title in groups if title == _ARGUMENTS}
            groups[_OPTIONS] = options
        width = max(len(term) for rows in groups.values() for term, _ in rows)
        for title, rows in sorted(groups.items(), key=lambda group: _ORDER.index(group[0])):
            with formatter.section(title):
                formatter.write_dl([(term.ljust(width), text) for term, text in rows])

    def get_help_option(self, ctx: Any) -> Any:
        """The parser's own, worded like the other options."""
        return worded_help_option(super().get_help_option(ctx))
