"""What keeps people from reading a page, as axe finds it in a browser."""

from __future__ import annotations

from typing import Any

# Rows that differ only in their text from two earlier ones of their table have their colors too:
# axe takes milliseconds for the contrast of each cell, and a table may have a thousand.
_REMOVE_ROWS_ALIKE = """
for (const table of document.querySelectorAll('table')) {
  const seen = new Map();
  for (const row of table.querySelectorAll('tbody tr')) {
    const look = [row, ...row.querySelectorAll('*')].map(
      e => e.cloneNode().outerHTML.replace(/ (data-sort|href|id|title)="[^"]*"/g, '')).join();
    seen.set(look, (seen.get(look) ?? 0) + 1);
    if (seen.get(look) > 2) row.remove();
  }
}
"""


def rules_broken(browser: Any, axe: str) -> list[Any]:
    """Each rule of axe that the page breaks, with the first place; rows alike are gone then."""
    browser.execute_script(axe)
    of_structure = _violations(browser, "rules: {'color-contrast': {enabled: false}}")
    browser.execute_script(_REMOVE_ROWS_ALIKE)
    return of_structure + _violations(browser, "runOnly: ['color-contrast']")


def _violations(browser: Any, rules: str) -> list[Any]:
    found: list[Any] = browser.execute_async_script(
        "const done = arguments[0];"
        # Without a description of every element that passes, which takes half the time.
        f"axe.run({{resultTypes: ['violations'], {rules}}})"
        ".then(r => done(r.violations.map(v => [v.id, v.nodes[0].html.slice(0, 200)])))"
    )
    return found
