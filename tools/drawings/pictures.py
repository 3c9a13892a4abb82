"""Vector drawings as PNG, by the browser that the page tests use."""

import re
from base64 import b64encode
from pathlib import Path

from playwright.sync_api import sync_playwright


def png(svg: Path, out: Path, *, wide: int) -> None:
    """Draw `svg` on white, `wide` pixels across. Raises ValueError for a file without a size."""
    text = svg.read_text(encoding="utf-8")
    size = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', text)
    if size is None:
        raise ValueError(f"{svg.name} says no size; export it again.")
    high = round(wide * float(size[2]) / float(size[1]))
    data = b64encode(text.encode()).decode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": wide, "height": high})
        style = f"display:block;width:{wide}px;height:{high}px"
        source = f"data:image/svg+xml;base64,{data}"
        page.set_content(f'<body style="margin:0;background:#fff"><img src="{source}" style="{style}">')
        page.wait_for_function("document.images[0].complete")
        page.screenshot(path=str(out))
        browser.close()
