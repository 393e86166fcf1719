"""JSON of files of machmeter's, which somebody may have changed."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from machmeter.model.written.integers import beyond_64_bits

T = TypeVar("T")
# Such an integer, or digits within a text: looking at each value takes longer than decoding. Seeds
# have 19 digits.
_MANY_DIGITS = re.compile(rb"[\[{:,\s](?:-[0-9]{19}|[0-9]{20})")


def decode_json(content: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """What the decoder makes of `content`.

    Raises ValueError or RecursionError where it is not of the form, or has an integer of more than
    64 bits, which nothing can be computed from or stored.
    """
    decoded = decoder.decode(content)
    if _MANY_DIGITS.search(content):
        for place in beyond_64_bits(msgspec.json.decode(content)):
            raise msgspec.ValidationError(f"{place}: an integer of more than 64 bits")
    return decoded
