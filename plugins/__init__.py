"""The benchmarks that come with the package, one folder each, written as a third party would."""
