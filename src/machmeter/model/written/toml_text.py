"""TOML that people write: bounded before it is decoded, and refused at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import EnumType
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import tomli
from msgspec import Struct

from machmeter.model.errors import UsageError
from machmeter.model.written.choices import choice_remedy
from machmeter.model.written.integers import beyond_64_bits
from machmeter.model.written.places import joined

_Form = TypeVar("_Form")
_MOST_PARTS = 32
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
# Decoding `a.a.a...` takes memory and time that grow with the square of its parts.
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_PARTS},}}")
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<place>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>\w+)|\[(?P<index>\d+)\]|(?P<some>\[\.\.\.\])")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)
_CHOICE = re.compile(r"Invalid enum value .*", re.DOTALL)


def toml_as(content: bytes, form: type[_Form], *, most_bytes: int, keys: str) -> _Form:
    """The content of a TOML file as one of machmeter's types.

    keys: where all keys are listed, as a clause. Raises UsageError, which names the key at fault
    and the nearest that is one, where it is larger than `most_bytes`, no TOML, or of another form.
    """
    return table_as(toml_table(content, most_bytes=most_bytes), form, keys=keys)


def table_as(table: dict[str, Any], form: type[_Form], *, keys: str) -> _Form:
    """What `toml_table` read as `toml_as` has it. Raises UsageError where it is of another form."""
    try:
        return msgspec.convert(table, form)
    except ValueError as error:
        raise _of_place(str(error), table, form, keys) from error


def toml_table(content: bytes, *, most_bytes: int) -> dict[str, Any]:
    """The content of a TOML file.

    Raises UsageError where it is larger than `most_bytes`, or no TOML with keys of at most 32
    parts and integers of at most 64 bits.
    """
    if len(content) > most_bytes:
        raise UsageError(f"larger than {most_bytes} bytes", "name the file that you wrote")
    try:
        text = content.decode("utf-8")
        # Also in a text: what is one is not known before it is decoded.
        if long := _LONG_KEY.search(text):
            raise UsageError(
                f"more than {_MOST_PARTS} words joined by dots, as if they were one key (at line "
                f"{text.count(chr(10), 0, long.start()) + 1})",
                "write a shorter key, or other words in the text",
            )
        table: dict[str, Any] = tomli.loads(text)
        large = next(beyond_64_bits(table), None)
    # Python turns no number of over 4,300 digits into an integer: a ValueError of its own.
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"no TOML: {str(error).partition('; use ')[0]}", "correct the file at the place named"
        ) from error
    if large is not None:
        raise UsageError(f"{large}: an integer of more than 64 bits", "write a smaller number")
    return table


def _of_place(message: str, raw: object, form: Any, keys: str) -> UsageError:
    """The error of a conversion with its whole place, since msgspec names no key of a table."""
    found = _PLACE.fullmatch(message)
    what, steps = (found["what"], found["place"] or "") if found else (message, "")
    place = ""
    for step in _STEP.finditer(steps):
        form = _part(form, step["key"])
        if isinstance(raw, dict) and step["key"]:
            raw, place = raw[step["key"]], joined(place, step["key"])
        elif isinstance(raw, list) and step["index"]:
            raw, place = raw[int(step["index"])], f"{place}[{step['index']}]"
        elif isinstance(raw, dict):
            key, inner = next(_faults(raw, form, keys), ("", UsageError(what)))
            return UsageError(f"{joined(place, key)}: {inner.message}", inner.remedy)
    where = f"{place}: " if place else ""
    return UsageError(f"{where}{what[:1].lower()}{what[1:]}", _remedy(what, form, keys))


def _faults(table: dict[str, Any], form: Any, keys: str) -> Iterator[tuple[str, UsageError]]:
    for key, one in table.items():
        try:
            msgspec.convert(one, form)
        except ValueError as error:
            yield key, _of_place(str(error), one, form, keys)


def _part(form: Any, key: str | None) -> Any:
    """The type of what a key of this type holds, or of its elements without a key."""
    for kind in _kinds(form):
        if isinstance(kind, type) and issubclass(kind, Struct) and key:
            return get_type_hints(kind, include_extras=True).get(key, Any)
        if get_origin(kind) in (tuple, list, dict) and not key:
            inner = [one for one in get_args(kind) if one is not ...]
            return inner[-1]
    return Any


def _kinds(form: Any) -> tuple[Any, ...]:
    if get_origin(form) is Annotated:
        return _kinds(get_args(form)[0])
    if get_origin(form) in (Union, UnionType):
        return tuple(kind for one in get_args(form) for kind in _kinds(one))
    return (form,)


def _remedy(what: str, form: Any, keys: str) -> str:
    (kind, *_) = _kinds(form)
    unknown = _UNKNOWN.fullmatch(what)
    if unknown and isinstance(kind, type) and issubclass(kind, Struct):
        return choice_remedy(unknown["key"], kind.__struct_fields__, keys)
    choices = tuple(kind) if isinstance(kind, EnumType) else get_args(kind)
    if _CHOICE.fullmatch(what) and all(isinstance(one, str) for one in choices):
        return f"choose one of: {', '.join(choices)}"
    return f"correct the file at the place named; {keys}"
