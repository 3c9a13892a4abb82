// Texts whose contrast is too low, as they are painted: colours with their transparency over what lies below, and every
// opacity above. WCAG 2.2, relative luminance and contrast ratio. A function of the least ratios.
(least) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, place) => part * a + below[place] * (1 - a));
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [most, fewer] = [light(one), light(other)].sort((a, b) => b - a);
    return (most + 0.05) / (fewer + 0.05);
  };
  // Every colour stop of a gradient is a ground of its own.
  const grounds = (style) => {
    const stops = style.backgroundImage === "none" ? [] : (style.backgroundImage.match(/(?:rgba?|color|oklab|oklch|lab)\([^()]*\)/g) ?? []).map(rgba);
    return stops.length > 0 ? stops : [rgba(style.backgroundColor)];
  };
  // Some texts lie over a drawing beside them in the page: its colour is their ground.
  const drawn = (element) => {
    const found = Object.entries(least.drawn).find(([selector]) => element.closest(selector));
    return found === undefined ? null : rgba(getComputedStyle(document.querySelector(found[1])).color);
  };
  // What the text and its ground look like: from the outermost element inwards, each group with its opacity over what lies below it.
  const painted = (element) => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(at);
    let variants = [{ ground: [255, 255, 255], groups: [] }];
    for (const at of chain) {
      const style = getComputedStyle(at);
      const opacity = Number(style.opacity);
      variants = variants.flatMap(({ ground, groups }) => {
        const opened = opacity < 1 ? [...groups, { below: ground, opacity }] : groups;
        return grounds(style).map((layer) => ({ ground: over(layer, ground), groups: opened }));
      });
    }
    const { color } = getComputedStyle(element);
    const drawing = drawn(element);
    if (drawing !== null) variants = variants.map(({ groups }) => ({ ground: drawing.slice(0, 3), groups }));
    return variants.map(({ ground, groups }) => {
      let [text, base] = [over(rgba(color), ground), ground];
      for (const { below, opacity } of groups.toReversed()) [text, base] = [over([...text, opacity], below), over([...base, opacity], below)];
      return ratio(text, base);
    });
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || element.closest("option, noscript, script, style, .only-spoken, [aria-hidden=true].die")) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const needed = element.closest(least.strong) ? 7 : 4.5;
    const worst = Math.min(...painted(element));
    if (worst < needed) weak.push(`${element.textContent.trim().slice(0, 40)} (${element.className || element.dataset.is || element.tagName}): ${worst.toFixed(2)} of ${needed}`);
  }
  return [...new Set(weak)];
}
