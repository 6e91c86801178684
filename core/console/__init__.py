"""What people see in a terminal: tables of results, and a run's progress."""
