"""What a person sees of a model of a machine: parameters, picture, parts of a time, sensitivity."""
