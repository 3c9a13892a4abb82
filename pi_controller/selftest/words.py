"""What an operator names, and how."""


def listed(text: str) -> list[str]:
    """Names apart by blanks or commas, each once, in their order."""
    return list(dict.fromkeys(text.replace(",", " ").split()))
