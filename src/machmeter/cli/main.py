"""The command `machmeter`: subcommands, and errors turned into words and exit codes."""

from __future__ import annotations

import sys

import click
import typer

from machmeter import __version__
from machmeter.cli.commands.run import run
from machmeter.cli.output import error_console, print_error
from machmeter.model.errors import ExitCode, MachmeterError

app = typer.Typer(
    name="machmeter",
    help="How fast is this machine, why, and how should a program be placed on it: measured, with "
    "stated uncertainty.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"machmeter {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    del version


app.command(no_args_is_help=False)(run)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; end the process with one of `ExitCode`, never with a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(_guarded(words))


def _guarded(words: list[str]) -> int:
    as_json = "--json" in words
    try:
        result = app(args=words, standalone_mode=False)
        return int(result) if isinstance(result, int) else int(ExitCode.DONE)
    except MachmeterError as error:
        print_error(error, as_json=as_json)
        return int(error.exit_code)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return int(ExitCode.WRONG_USAGE)
    except (KeyboardInterrupt, click.Abort):
        error_console().print("machmeter: interrupted; go on with `machmeter run --resume last`")
        return int(ExitCode.SOMETHING_FAILED)
    except BrokenPipeError:
        # The reader of our output went away (`machmeter list | head`): nothing to say to nobody.
        sys.stderr.close()
        return int(ExitCode.DONE)
