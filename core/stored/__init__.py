"""Work on what the journal holds: grading again, judging again, files of answers."""
