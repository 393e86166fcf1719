"""Charts and tables of the nodes of a system."""
