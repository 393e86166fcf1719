"""From the options of a command to what it is asked."""
