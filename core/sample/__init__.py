"""The life of a sample: asked, journalled, graded, and replayed after a stop."""
