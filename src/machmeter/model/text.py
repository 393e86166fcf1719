"""Text that can be written as UTF-8, whatever the system's own names hold."""

from __future__ import annotations

from machmeter.model.errors import UsageError


def readable(text: str) -> str:
    """`text` with every byte that is no UTF-8 written as an escape.

    Names of files and arguments may be any bytes; Python carries those that are no text as lone
    surrogates (PEP 383), which neither JSON nor a terminal takes.
    """
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def check_text(text: str) -> str:
    """The text as it is. Raises UsageError for one that no file of a run can hold."""
    if readable(text) != text:
        raise UsageError(f"{text!a} is not UTF-8 text", "write it in UTF-8")
    return text
