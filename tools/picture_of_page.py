"""Make the picture of a run's page in README.md: three parts of the page in two columns.

    python tools/picture_of_page.py report.html [docs/images/report.png]

Needs Chromium.
"""

from __future__ import annotations

import argparse
import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Where each part begins on the page, and its height; of each column from above.
COLUMNS = ((("", 1440),), (("limits", 570), ("memory-latency", 870)))
WIDTH, HEIGHT = 800, 1440


def wrapper(page: Path) -> str:
    """A document that shows the parts of the page beside and below one another."""
    address = html.escape(page.resolve().as_uri())
    columns = (
        "".join(
            f'<iframe src="{address}#{anchor}" width="{WIDTH}" height="{height}" scrolling="no">'
            "</iframe>"
            for anchor, height in parts
        )
        for parts in COLUMNS
    )
    body = "".join(f"<div>{column}</div>" for column in columns)
    style = "body{margin:0;display:flex}iframe{border:0;display:block}"
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style>{body}'


def main() -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="the page of a run of quick")
    parser.add_argument("picture", type=Path, nargs="?", default=ROOT / "docs/images/report.png")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("this machine has no Chromium (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "parts.html"
        document.write_text(wrapper(options.page), encoding="utf-8")
        subprocess.run(
            [
                chromium,
                *("--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=8000"),
                f"--window-size={2 * WIDTH},{HEIGHT}",
                f"--screenshot={options.picture.resolve()}",
                document.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
