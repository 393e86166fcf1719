"""Text that can be written as UTF-8, whatever the system's own names hold."""

from __future__ import annotations


def readable(text: str) -> str:
    """`text` with every byte that is no UTF-8 written as an escape.

    Names of files and arguments may be any bytes; Python carries those that are no text as lone
    surrogates (PEP 383), which neither JSON nor a terminal takes.
    """
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")
