"""What many results say together: correlations, reruns, agreement of judges."""
