"""Why one layout of a program is better than another, from what the program counts."""
