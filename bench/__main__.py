"""`python -m bench` or `python bench`, from a checkout."""

from __future__ import annotations

import sys
from pathlib import Path

# Started as a folder, Python has put that folder on its path instead of the checkout's root.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.command import main

if __name__ == "__main__":
    raise SystemExit(main())
