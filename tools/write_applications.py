"""The document of the applications that come with machmeter, made from their descriptions."""

from __future__ import annotations

from machmeter.apps.builtin import builtin_apps
from machmeter.model.plan.description import Description
from machmeter.text.programs.descriptions import description_rows

_HEAD = """\
# Applications

<!-- Made from src/machmeter/apps/catalogue by tools/write_docs.py: change it, then `make docs`. -->

Programs of others that come with a [description](apps.md): what they compute, what installs them,
what they report, and what their results must be. `machmeter list apps` shows which are installed
here; machmeter installs none. `machmeter explore NAME` measures one in every layout
([explore](explore.md)).
"""


def document_of_applications() -> str:
    """A section for each application."""
    return "\n".join((_HEAD, *map(_section, builtin_apps())))


def _section(description: Description) -> str:
    rows = dict(description_rows(description))
    return "\n".join(
        (
            f"## {description.name}: {description.title}",
            "",
            *((rows.pop("computes"), "") if "computes" in rows else ()),
            "| | |",
            "|---|---|",
            *(f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in rows.items()),
            "",
        )
    )
