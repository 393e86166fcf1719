"""A machine as the text of a file of one's own, in the form of docs/published.md."""

from __future__ import annotations

import msgspec
import tomli_w

from machmeter.model.origin import Origin
from machmeter.published.format import PublishedMachine

_EMPTY: tuple[object, ...] = (None, "", [], {}, ())


def machine_toml(machine: PublishedMachine) -> str:
    """The machine as TOML, without what is empty or as unless said otherwise."""
    fields = msgspec.to_builtins(machine)
    if machine.origin is Origin.PUBLISHED:
        del fields["origin"]
    fields["counts"] = {name: value for name, value in fields["counts"].items() if value}
    fields["hardware"] = {name: value for name, value in fields["hardware"].items() if value}
    for table in fields["tables"]:
        if table["precision"] == "printed":
            del table["precision"]
    return tomli_w.dumps(_without_empty(fields))


def _without_empty(fields: dict[str, object]) -> dict[str, object]:
    return {name: _kept(value) for name, value in fields.items() if value not in _EMPTY}


def _kept(value: object) -> object:
    if isinstance(value, dict):
        return _without_empty(value)
    return [_kept(item) for item in value] if isinstance(value, list | tuple) else value
