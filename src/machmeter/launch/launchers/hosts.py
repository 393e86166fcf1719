"""Hosts that ranks run on, by name."""

from __future__ import annotations

import re

from msgspec import Struct

from machmeter.model.plan.study import SSH

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")


class Hosts(Struct, frozen=True):
    """Hosts by name, and how processes get to them."""

    names: tuple[str, ...] = ()
    """This machine's first; none: this machine alone."""
    remote_shell: str = ""
    """The program that starts a process on another host in the place of ssh, called `PROGRAM HOST
    COMMAND...` with words for a shell, as ssh is."""
    launcher: str = SSH
    """The name of what starts processes there, among `launchers.registry.LAUNCHERS`."""


THIS_HOST = Hosts()


def is_host_name(text: str) -> bool:
    """Whether that can be the name of a host (RFC 1123, section 2.1, and what clusters add)."""
    return _NAME.fullmatch(text) is not None
