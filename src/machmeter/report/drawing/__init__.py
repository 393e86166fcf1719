"""Building blocks of charts: axes, panels, heat maps, forest plots, colors."""
