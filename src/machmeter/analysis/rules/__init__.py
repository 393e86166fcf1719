"""Questions answered from estimates: one file for each rule and what rules share."""
