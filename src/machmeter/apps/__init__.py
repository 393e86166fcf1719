"""Applications by description: what their output holds, and whether a launch was right."""
