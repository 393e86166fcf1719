"""What the terminal shows, in lines of at most 100 columns."""
