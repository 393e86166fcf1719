"""Studies after Tatineni et al., MUG 2015."""
