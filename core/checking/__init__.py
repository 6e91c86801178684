"""A plugin's object under check: samples of it with whatever is replied (as `eibench.checking`)."""
