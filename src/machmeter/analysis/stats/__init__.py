"""From raw samples to launch values, estimates, intervals and comparisons."""
