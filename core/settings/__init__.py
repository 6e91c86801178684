"""What a run is asked to be."""
