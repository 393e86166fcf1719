"""The first description of a program, for its user to go on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tomli_w

_THREADS = """
# Arguments that set its threads, after those of the command; `{threads}` stands for their number.
# thread_arguments = ["-t", "{threads}"]

"""
_GO_ON = """
# What it reports of its own speed: the first figure is the main result. Remove the `#`.
# [[figures]]
# name = "rate"
# pattern = 'Performance: +(\\S+) steps/s'   # (...) is the number; https://github.com/google/re2
# file = "log"                              # leave it out to read what the program prints
# unit = "steps/s"
# better = "higher"

# What it reports of its own launch must equal what was started ("ranks", and "threads" of a rank).
# [[echoes]]
# what = "ranks"
# pattern = 'Running on (\\d+) processes'

# What shows that it computed correctly: a known result, or across = true (equal in all layouts).
# [[checks]]
# name = "energy"
# pattern = 'Total energy = (\\S+)'
# reference = -4.6223613
# absolute = 1e-4
"""


def description_text(name: str, words: Sequence[str], inputs: Mapping[str, str]) -> str:
    """The text of a description that has all that is known: command and input files, and examples
    of what else it may have.

    Args:
        name: Of the description.
        words: Of the command, with placeholders.
        inputs: SHA-256 checksums by path.
    """
    files = [{"path": path, "sha256": checksum} for path, checksum in inputs.items()]
    known = {"name": name, "title": name, "command": list(words)}
    # Keys of the whole description come before its tables.
    return tomli_w.dumps(known) + _THREADS + tomli_w.dumps({"inputs": files}) + _GO_ON
