"""What the operating system says of a file or a device, as sentences."""

import errno

from pi_controller.sentence import SaidError, Sentence, as_told, sentence_of

REASONS = {
    errno.ENOENT: Sentence("system.no_such_file"),
    errno.EIO: Sentence("system.input_output_error"),
    errno.EACCES: Sentence("system.permission_denied"),
    errno.EBUSY: Sentence("system.device_busy"),
    errno.EEXIST: Sentence("system.file_exists"),
    errno.ENOTDIR: Sentence("system.not_a_directory"),
    errno.EISDIR: Sentence("system.is_a_directory"),
    errno.ENOSPC: Sentence("system.no_space_left"),
    errno.EROFS: Sentence("system.read_only"),
    errno.EADDRINUSE: Sentence("system.address_in_use"),
    errno.ENODEV: Sentence("system.no_such_device"),
    errno.EPERM: Sentence("system.not_permitted"),
    errno.EREMOTEIO: Sentence("system.remote_input_output_error"),
    errno.ETIMEDOUT: Sentence("system.timed_out"),
}
"""In English they are those of strerror(3)."""


def why(error: OSError) -> Sentence:
    """Why the system has refused; what is rare comes in the system's own words, which are English."""
    if isinstance(error, SaidError):
        return error.sentence
    return REASONS.get(error.errno or 0) or as_told(error.strerror or str(error))


def cause(error: Exception) -> Sentence:
    """The same of what may also be an error of ours or of another library."""
    return why(error) if isinstance(error, OSError) else sentence_of(error)
