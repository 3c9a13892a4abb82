// What a person cannot read or press on the page as it stands: texts that are cut off, that leave their place or the window, that lie
// over one another, words that are broken in their middle, and texts and buttons on which something else lies. Measured from the boxes of
// the text itself. Returns sentences for the tests.
() => {
  const SLACK = 1.5; // pixels: fractions of them are rounded each in its own way
  const OVER = ".claim-banner, .says, .cover, .primary, .top, .walk, .walk-test .sure, .walk-test, .answer, .questions, .details, .sheet-foot, dialog"; // lie over the page on purpose
  const FREE = ".uid, .spare-uid, .vt-uid, .hex, .hex-text, .proof b, .opened, .record, .port, .entry-name, .said-lines > span, code"; // names and figures of any length
  const problems = new Set();
  const canvas = document.createElement("canvas").getContext("2d");

  const nameOf = (element) => `${element.localName}${element.dataset.is ? `[${element.dataset.is}]` : ""}${typeof element.className === "string" && element.className ? `.${element.className.trim().split(/\s+/).join(".")}` : ""}`;
  const tell = (what, element, text) => problems.add(`${what}: ${nameOf(element.parentElement ?? element)} > ${nameOf(element)}: ${text.trim().slice(0, 60)}`);
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.closest(".only-spoken") === null;
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";
  const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";

  function boxOf(element) {
    let box = element;
    while (getComputedStyle(box).display === "inline" || getComputedStyle(box).display === "contents") box = box.parentElement;
    return box;
  }

  /** What of it its surroundings do not hide; null: nothing. */
  function shownPart(rect, element) {
    let { left, right, top, bottom } = rect;
    for (let around = boxOf(element); around !== document.body && around !== null; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      if (overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== "visible") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return right - left > 2 && bottom - top > 2 ? { left, right, top, bottom, height: rect.height } : null;
  }

  /** Whether it is there for those who listen, or for a larger screen: a place without room, a tile that has none any more. */
  function isGone(rect, element) {
    for (let around = element; around !== document.body; around = around.parentElement) {
      const { width, height } = around.getBoundingClientRect();
      if (getComputedStyle(around).overflow !== "visible" && (width < 3 || height < 3)) return true;
    }
    return element.closest(".strip ol") !== null && shownPart(rect, element) === null;
  }

  /** Against everything that surrounds it, up to what can be scrolled. */
  function isInside(element, rects, text) {
    const left = Math.min(...rects.map((rect) => rect.left));
    const right = Math.max(...rects.map((rect) => rect.right));
    const air = rects[0].height * 0.24; // a letter is less high than its font
    const top = Math.min(...rects.map((rect) => rect.top)) + air;
    const bottom = Math.max(...rects.map((rect) => rect.bottom)) - air;
    const own = boxOf(element);
    let [sideways, upright] = [true, true];
    if (isGone(rects[0], element)) return;
    for (let around = own; around !== null && around !== document.documentElement; around = around.parentElement) {
      const style = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      const bounds = around === own || hides(style.overflowX);
      if (sideways && bounds && (left < box.left - SLACK || right > box.right + SLACK)) return tell(hides(style.overflowX) ? "cut" : "outside", element, text);
      const bars = hides(style.overflowY) || (around === own && around.matches("button, summary, h1, h2, h3, .chip, .pill, li"));
      if (upright && bars && !scrolls(style.overflowY) && (top < box.top - SLACK || bottom > box.bottom + SLACK)) return tell(`cut in height by ${nameOf(around)}`, element, text);
      if (scrolls(style.overflowX)) sideways = false;
      if (scrolls(style.overflowY)) upright = false;
      if (style.position === "fixed") break;
    }
    if (sideways && (left < -SLACK || right > innerWidth + SLACK)) tell("outside the window", element, text);
    if (upright && document.body.dataset.scene !== undefined && (top < -SLACK || bottom > innerHeight + SLACK)) tell("outside the window", element, text);
  }

  function lookForBrokenWords(node, element) {
    if (element.closest(FREE) !== null || getComputedStyle(element).hyphens === "auto") return;
    for (const { 0: word, index } of node.data.matchAll(/[\p{L}]{2,}/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter((rect) => rect.width > 0).map((rect) => Math.round(rect.top)));
      if (lines.size > 1) tell("broken", element, word);
    }
  }

  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || element.closest("svg, select, script, noscript, option") !== null || !isShown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0.5 && rect.height > 0.5);
    if (rects.length === 0) continue;
    if (element.closest(FREE) === null || getComputedStyle(boxOf(element)).textOverflow !== "ellipsis") isInside(element, rects, node.data);
    lookForBrokenWords(node, element);
    const shown = rects.map((rect) => shownPart(rect, element)).filter((rect) => rect !== null);
    seen.push({ node, element, rects: shown, over: element.closest(OVER) });
  }

  const meets = (one, other) => {
    const [oneAir, otherAir] = [one.height * 0.24, other.height * 0.24];
    return Math.min(one.right, other.right) - Math.max(one.left, other.left) > SLACK && Math.min(one.bottom - oneAir, other.bottom - otherAir) - Math.max(one.top + oneAir, other.top + otherAir) > SLACK;
  };
  seen.forEach((one, place) => {
    for (const other of seen.slice(place + 1)) {
      if (one.over !== other.over || one.element === other.element) continue;
      const pair = one.rects.some((rect) => other.rects.some((another) => meets(rect, another)));
      if (pair) tell(`over ${nameOf(other.element)}`, one.element, `${one.node.data.trim()} / ${other.node.data.trim()}`);
    }
  });

  // What lies on a text or a button: asked of the browser at a grid of places in its box, a little within, also where a hand goes through.
  const GRID = [0.06, 0.28, 0.5, 0.72, 0.94];
  const paints = (element) => {
    const style = getComputedStyle(element);
    if (element.matches("img, svg *, canvas, video, input, select, textarea")) return true;
    const [, , , alpha = "1"] = style.backgroundColor.match(/[\d.]+/g) ?? [];
    return style.backgroundImage !== "none" || Number(alpha) > 0 || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  };
  const touched = new CSSStyleSheet(); // the pages' policy refuses an element with styles
  touched.replaceSync("* { pointer-events: auto !important; }");
  document.adoptedStyleSheets = [touched];
  function coverOf(box, element) {
    const air = element.matches("button, a") ? 0 : box.height * 0.24;
    for (const across of GRID) {
      for (const down of GRID) {
        const [x, y] = [box.left + across * (box.right - box.left), box.top + air + down * (box.bottom - box.top - 2 * air)];
        if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
        for (const above of document.elementsFromPoint(x, y)) {
          if (above === element || above.contains(element) || element.contains(above)) break;
          if (paints(above) && above.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && above.closest(OVER) === element.closest(OVER)) return above;
        }
      }
    }
    return null;
  }
  const owns = seen.map(({ element, rects }) => ({ element, rects }));
  const pressed = [...document.querySelectorAll("button, a[href]")].filter((button) => isShown(button)).map((button) => ({ element: button, rects: [...button.getClientRects()].map((rect) => shownPart(rect, button)).filter((rect) => rect !== null) }));
  for (const { element, rects } of [...owns, ...pressed]) {
    const over = rects.map((rect) => coverOf(rect, element)).find((found) => found !== null);
    if (over != null) tell(`covered by ${nameOf(over)}`, element, element.textContent);
  }
  document.adoptedStyleSheets = [];

  for (const field of document.querySelectorAll("select, input[placeholder], svg text")) {
    if (!isShown(field)) continue;
    if (field.localName === "text") {
      const [box, around] = [field.getBoundingClientRect(), field.ownerSVGElement.getBoundingClientRect()];
      if (box.left < around.left - SLACK || box.right > around.right + SLACK) tell("outside its drawing", field, field.textContent);
      continue;
    }
    const style = getComputedStyle(field);
    canvas.font = style.font;
    const text = field.localName === "select" ? (field.selectedOptions[0]?.textContent ?? "") : field.value === "" ? field.placeholder : "";
    const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight) - (field.localName === "select" ? 16 : 0);
    if (canvas.measureText(text).width > room + SLACK) tell("cut", field, `${text} (${Math.round(canvas.measureText(text).width)} in ${Math.round(room)})`);
  }
  if (document.documentElement.scrollWidth > innerWidth + SLACK) problems.add(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  return [...problems];
}
