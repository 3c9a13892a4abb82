"""What can be wrong with the hardware; each error is one sentence that ends with the remedy."""


class HardwareError(RuntimeError):
    """Something wired to the controller cannot be used."""


class HardwareMissing(HardwareError):  # noqa: N818 - says what is the matter
    """A driver library, a chip or a bus that a setting names is not there. Nothing else is tried instead."""


class PinUnusable(HardwareError):  # noqa: N818 - says what is the matter
    """A pin cannot be opened, read or driven."""
