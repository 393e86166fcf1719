"""Names that other tools give, as parts of a point: what tells two programs apart is kept."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 78
_END = 31


def slug_of(name: str, otherwise: str) -> str:
    """The name of a workload: small letters, digits and dashes, 60 at most; `otherwise` of none.

    Names that differ may have one slug: `reported_name` is in the point, too.
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or otherwise


def reported_name(name: str) -> str:
    """The name as the value of a parameter, of at most 78 characters that a terminal can show.

    What is longer is cut in the middle, what cannot be shown is escaped; such a name then ends in
    a digest of the whole, so that two that differ never get the same text.
    """
    shown = "".join(one if one.isprintable() else _escaped(one) for one in name)
    if shown == name and len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(name.encode("utf-8", errors="surrogatepass")).hexdigest()[:12]
    short = shown if len(shown) <= 2 * _END else f"{shown[:_END]}…{shown[-_END:]}"
    return f"{short} [{digest}]"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
