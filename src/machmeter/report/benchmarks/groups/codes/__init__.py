"""What is shown of a set of codes as a whole."""
