"""Studies after Austin et al., CUG 2013."""
