"""Colors of the page and the charts, once for light and once for dark.

The first seven series colors follow Okabe and Ito, "Color Universal Design" (2008), made darker
or lighter until each has a contrast of at least 3:1 with its background (WCAG 2.2, 1.4.11).
Shapes and dashes carry the same distinction as color, so that print and color-blind readers
lose nothing. Steps of heat are of one hue, from the background on; text stays readable on each.
"""

from __future__ import annotations

from typing import Any

Theme = dict[str, str]

_LIGHT_SERIES = ("#0b5cad", "#a34a00", "#007a5a", "#a8488a", "#6b5b00", "#4a55c9", "#1f7f9c")
_DARK_SERIES = ("#6cb6ff", "#f3a35a", "#35c79b", "#e592c8", "#e0d04a", "#a5adff", "#7fd3e6")
_LIGHT_HEAT = ("#f0f5fa", "#dbe8f3", "#c4daec", "#accce5", "#94bede", "#7cafd6", "#64a0ce")
_DARK_HEAT = ("#1b232b", "#1d2d3a", "#1f384a", "#21435a", "#234e6b", "#25597c", "#27648d")
HEAT_STEPS = len(_LIGHT_HEAT)

LIGHT: Theme = {
    "paper": "#ffffff",
    "panel": "#f4f6f8",
    "ink": "#17212b",
    "quiet": "#525e6a",
    "line": "#d5dbe1",
    "accent": "#0b5cad",
    "warn": "#8a4b00",
    "clear": "#14694a",
    "slower": "#a3232a",
    "grid": "#e6e9ed",
    **{f"series-{n}": color for n, color in enumerate(_LIGHT_SERIES, 1)},
    **{f"heat-{n}": color for n, color in enumerate(_LIGHT_HEAT, 1)},
}
DARK: Theme = {
    "paper": "#11161c",
    "panel": "#1a2129",
    "ink": "#e8edf2",
    "quiet": "#a5b0bb",
    "line": "#333d48",
    "accent": "#6cb6ff",
    "warn": "#f2b75f",
    "clear": "#62d2a2",
    "slower": "#ff9a9a",
    "grid": "#2a3038",
    **{f"series-{n}": color for n, color in enumerate(_DARK_SERIES, 1)},
    **{f"heat-{n}": color for n, color in enumerate(_DARK_HEAT, 1)},
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2], [1, 3])


def css_variables(theme: Theme) -> str:
    """The theme as CSS custom properties."""
    return "".join(f"--{name}:{color};" for name, color in theme.items())


def chart_config(theme: Theme | None = None) -> dict[str, Any]:
    """Vega-Lite config: colors of `theme`, or CSS variables (None) that follow the page's theme."""

    def color(name: str) -> str:
        return f"var(--{name})" if theme is None else theme[name]

    return {
        "background": "transparent" if theme is None else theme["paper"],
        "font": FONT,
        "aria": False,
        "view": {"stroke": None},
        "axis": {
            "labelColor": color("quiet"),
            "titleColor": color("ink"),
            "titleFontWeight": 500,
            "titleFontSize": 12,
            "labelFontSize": 11,
            "gridColor": color("grid"),
            "domainColor": color("line"),
            "tickColor": color("line"),
            "labelOverlap": "greedy",
            "labelSeparation": 6,
        },
        "legend": {
            "orient": "top",
            "labelColor": color("ink"),
            "titleColor": color("quiet"),
            "titleFontWeight": 500,
            "labelFontSize": 12,
            "labelLimit": 320,
            "symbolSize": 70,
            "symbolStrokeWidth": 0,
        },
        "title": {"color": color("ink"), "fontSize": 12, "fontWeight": 600, "offset": 6},
        "header": {"labelColor": color("ink"), "titleColor": color("ink")},
        "text": {"font": FONT, "color": color("ink")},
        "range": {
            "category": [color(f"series-{n}") for n in range(1, len(_LIGHT_SERIES) + 1)],
            "heatmap": [color(f"heat-{n}") for n in range(1, HEAT_STEPS + 1)],
            "symbol": list(SHAPES),
        },
        "style": {
            "guide": {"color": color("quiet"), "strokeDash": [4, 3], "strokeWidth": 1},
            "ink": {"color": color("ink")},
            "accent": {"color": color("series-1")},
            "event": {"color": color("warn")},
            "outline": {"color": color("line")},
            "region": {"color": color("heat-2")},
            "guide-text": {"color": color("quiet"), "fontSize": 11},
        },
        "concat": {"spacing": 18},
    }
