"""What is requested and planned: studies, questions, layout options, launches."""
