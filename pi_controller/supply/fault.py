"""What is wrong with a wiring."""


class SupplyFault(Exception):  # noqa: N818 - a finding, told to people
    """A wiring that cannot be meant; one sentence that says what to change."""
