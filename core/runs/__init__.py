"""Which stored run is meant, how it was asked, and which of its results is shown."""
