"""The list of slow tests."""

from tests.slow import exists, read_list


def test_each_that_is_listed_exists() -> None:
    """A test that went or has another name leaves no line in the list."""
    assert not [test for test in read_list() if not exists(test)]
