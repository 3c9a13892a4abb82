"""What a printed page says, read back from the file."""

import io

from pypdf import PdfReader


def pages(pdf: bytes) -> list[str]:
    """The text of each page, with single spaces."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages]


def places(pdf: bytes) -> dict[str, tuple[float, float]]:
    """Each text of the first page and where it stands: points from the left and from the bottom."""
    found: dict[str, tuple[float, float]] = {}

    def note(text: str, page: list[float], line: list[float], *_: object) -> None:
        if text.strip():
            found[text.strip()] = (page[4] + line[4], page[5] + line[5])

    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_text=note)
    return found


def fonts(pdf: bytes) -> set[str]:
    """Names of the fonts that are embedded, without the tag of their subset."""
    found = set()
    for page in PdfReader(io.BytesIO(pdf)).pages:
        for font in page["/Resources"]["/Font"].values():
            descriptor = font.get_object().get("/FontDescriptor")
            if descriptor is not None and "/FontFile2" in descriptor.get_object():
                found.add(font.get_object()["/BaseFont"].split("+")[-1])
    return found


def size_mm(pdf: bytes) -> tuple[int, int]:
    box = PdfReader(io.BytesIO(pdf)).pages[0].mediabox
    return round(float(box.width) * 25.4 / 72), round(float(box.height) * 25.4 / 72)
