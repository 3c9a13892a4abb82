"""Whole WebSocket frames as servers send them, for those who write them to a transport themselves."""

POLICY_VIOLATION = 1008
INTERNAL_ERROR = 1011
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
"""Codes of closing frames (RFC 6455, 7.4.1)."""


LONGEST_REASON = 123
"""Bytes of text in a closing frame (RFC 6455, 5.5)."""


def closing_frame(code: int, reason: str = "") -> bytes:
    """RFC 6455, 5.5.1; of a reason that is too long the beginning."""
    text = reason.encode()[:LONGEST_REASON].decode(errors="ignore").encode()
    return bytes([0x88, 2 + len(text)]) + code.to_bytes(2, "big") + text


def text_frame(message: bytes) -> bytes:
    """A whole, unmasked text message (RFC 6455, 5.2): the same bytes for everybody."""
    size = len(message)
    if size < 126:
        head = bytes([0x81, size])
    elif size < 1 << 16:
        head = bytes([0x81, 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([0x81, 127]) + size.to_bytes(8, "big")
    return head + message
