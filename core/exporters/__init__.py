"""Results in the forms that other sites and databases take."""
