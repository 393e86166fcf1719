"""What is asked and planned: studies, questions, layout options, launches."""
