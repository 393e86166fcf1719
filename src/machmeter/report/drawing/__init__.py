"""Building blocks of charts: axes, panels, heat maps, row and forest plots, colors."""
