"""Files of launches of programs that are not ours: what they are given, and what they write."""
