"""What many results say together: agreement of judges."""
