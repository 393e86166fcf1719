import pytest

from machmeter.report.drawing.theme import (
    DARK,
    HEAT_STEPS,
    LIGHT,
    Theme,
    chart_config,
    css_variables,
)


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_and_curves_stand_out(theme: Theme) -> None:
    for name in ("ink", "quiet", "accent", "warn"):
        assert contrast(theme[name], theme["paper"]) >= 4.5, name
        assert contrast(theme[name], theme["panel"]) >= 4.5, name
    for name in (n for n in theme if n.startswith("series-")):
        assert contrast(theme[name], theme["paper"]) >= 3, name


def test_both_themes_name_the_same_colors() -> None:
    assert LIGHT.keys() == DARK.keys()


def test_charts_of_the_page_follow_its_variables() -> None:
    defined = css_variables(LIGHT)
    colors = chart_config()["range"]["category"]
    assert all(f"--{color[6:-1]}:" in defined for color in colors)
    assert chart_config(LIGHT)["range"]["category"][0] == LIGHT["series-1"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_stands_out_on_every_step_of_heat(theme: Theme) -> None:
    steps = [theme[f"heat-{n}"] for n in range(1, HEAT_STEPS + 1)]
    assert all(contrast(theme["ink"], step) >= 4.5 for step in steps)
    distances = [abs(luminance(step) - luminance(theme["paper"])) for step in steps]
    assert distances == sorted(distances)
