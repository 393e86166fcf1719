"""What this machine lacks for measuring, each lack with its remedy."""
