"""Help as plain text in at most 80 columns: usage, what a command does, examples, options."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperArgument, TyperCommand

_EXAMPLES = "```"


class PlainCommand(TyperCommand):
    """A command whose help has the words of its metavars and the examples of its docstring.

    Contexts, formatters and options are the parser's, whose classes have no public name.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments by their metavars, then the options."""
        arguments = [one for one in self.get_params(ctx) if isinstance(one, TyperArgument)]
        return [*(one.metavar or "" for one in arguments if not one.hidden), "[OPTIONS]"]

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
        """Arguments, without the names of Python types that the parser adds, and options."""
        arguments, options = [], []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record and isinstance(param, TyperArgument):
                arguments.append((param.metavar or "", record[1]))
            elif record:
                options.append(record)
        for title, rows in (("Arguments", arguments), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_help_option(self, ctx: Any) -> Any:
        """The parser's own, worded like the other options."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "show this help and exit"
        return option
