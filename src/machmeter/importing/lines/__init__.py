"""Lines of output: cleaned of what launchers and logs add, and read as rows of tables."""
