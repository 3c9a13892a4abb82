"""Measures of a page as it is painted: what is cut off, what overlaps the edge, how well text stands out."""

from typing import Any

from playwright.sync_api import Page

_CUT_OFF = """
() => {
  const said = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('.only-spoken, option, noscript, .strip ol')) continue;
    const range = document.createRange();
    range.selectNodeContents(element);
    const box = range.getBoundingClientRect();
    const outside = box.left < -1 || box.right > innerWidth + 1;
    const low = box.bottom > innerHeight + box.height * 0.2;
    const below = document.body.dataset.scene && (box.top < -1 || low);
    if (outside || below) said.push(`${element.textContent.trim().slice(0, 40)}: ${JSON.stringify(box)}`);
  }
  return said;
}
"""

_CONTRAST = """
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== 'none') return null;
      const colour = rgba(style.backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba('white');
  };
  const weak = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('option, noscript, .only-spoken')) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('.theme-button') || element.disabled) continue;
    const style = getComputedStyle(element);
    const over = element.closest('.token, .target-hex') ? null : ground(element);
    if (over === null) continue;
    const [one, other] = [light(rgba(style.color)), light(over)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      weak.push(`${element.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
  }
  return weak;
}
"""

_RATIO = """
(selectors) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const [one, other] = selectors.map((selector) => {
    canvas.fillStyle = getComputedStyle(document.querySelector(selector)).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
"""


def cut_off(page: Page) -> list[Any]:
    """Visible texts that stick out of the window."""
    return list(page.evaluate(_CUT_OFF))


def weak_texts(page: Page) -> list[Any]:
    """Visible texts with less contrast than 4.5:1, or 3:1 when they are large."""
    return list(page.evaluate(_CONTRAST))


def luminance_ratio(page: Page, one: str, other: str) -> float:
    """Contrast of the grounds of two elements: what is left to an eye that sees no colours at all."""
    return float(page.evaluate(_RATIO, [one, other]))
