"""From a run's grades to the document and the tables that people read."""
