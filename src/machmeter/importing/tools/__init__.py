"""Output of tools that one file each can read."""
