"""Labels of people: a blinded set for them, their answers, and what these say of a judge."""
