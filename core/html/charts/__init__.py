"""Charts as SVG and as tables: typed values in, markup out."""
