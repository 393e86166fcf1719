"""What this machine is: topology, memory, software, limits; and what it lacks for measuring."""
