"""Benchmarks written as a third party would write them; the tests install and run them."""
