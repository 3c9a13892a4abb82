// What stands on a screen in place of the game: black, or a picture to set screens up by. The game goes on under it.

import { make, setData, setText, svgElement } from "../dom.js";
import { word } from "../words.js";

/** @import { ScreenLink } from "../screen.js" */

const LETTERS = [4, 6, 9, 13]; // per cent of the height: the least that stands on the hall screen, and larger ones
const GREYS = 11;
const STEPS = 4; // places of the mark on a black screen, one a second: on a frozen picture it stands still
const MS_PER_S = 1_000;

function geometry() {
  const drawing = svgElement("svg", { viewBox: "-160 -90 320 180", preserveAspectRatio: "none", class: "test-lines", "aria-hidden": "true" });
  drawing.append(svgElement("path", { d: "M-160 0H160M0-90V90M-160-90L160 90M-160 90L160-90", class: "test-cross" }));
  return drawing;
}

function greySteps() {
  const steps = Array.from({ length: GREYS }, (_, step) => {
    const block = make("i");
    block.style.setProperty("--light", `${(step * 100) / (GREYS - 1)}%`);
    return block;
  });
  return make("div", "test-greys", steps);
}

function sizesOfLetters() {
  return LETTERS.map((percent) => {
    const line = make("p", "test-size", [make("span", "test-sample", "A7"), make("span", "test-share", `${percent} %`)]);
    line.style.setProperty("--size", String(percent));
    return line;
  });
}

function testPicture() {
  const [name, facts] = [make("h1", "test-name"), make("p", "test-facts")];
  const colours = make("div", "test-colours", ["amber", "blue", "green"].map((colour) => make("i", `test-${colour}`)));
  const letters = make("div", "test-letters");
  const picture = make("div", "test-picture", [geometry(), make("div", "test-circle"), make("div", "test-centre"), make("div", "test-edge"), make("div", "test-safe"), make("div", "test-head", [name, facts]), letters, colours, greySteps()]);
  /** @param {ScreenLink} screen */
  function describe({ name: called, offsetMs }) {
    setText(name, called === "" ? word("screen_unnamed") : called);
    const size = word("test_size", { width: innerWidth, height: innerHeight });
    const clock = offsetMs === null ? [] : [word("test_offset", { ms: Math.round(offsetMs) })];
    setText(facts, [size, `× ${devicePixelRatio}`, ...clock].join(" · "));
  }
  return { picture, letters, describe };
}

/**
 * Covers of a page as the picture says, or as this screen alone was told; `frame` is called with each frame, whether there are
 * news or not.
 * @param {ScreenLink} screen
 */
export function screenCover(screen) {
  /** @type {Api.Picture["cover"]} */
  let ofAll = "none";
  const mark = make("i", "alive");
  const test = testPicture();
  document.body.append(make("div", "blackout", [mark]), test.picture);
  return {
    /** @param {Api.Picture} picture */
    take({ cover }) {
      ofAll = cover;
      if (cover === "test") test.letters.replaceChildren(...sizesOfLetters());
    },
    /**
     * @param {number | null} coreNow
     * @param {boolean} fresh
     */
    frame(coreNow, fresh) {
      const cover = screen.blackout ? "black" : ofAll;
      setData(document.body, "cover", cover);
      if (cover === "test") test.describe(screen);
      if (cover !== "black") return;
      setData(mark, "fresh", String(fresh));
      if (fresh && coreNow !== null) setData(mark, "step", String(Math.floor(coreNow / MS_PER_S) % STEPS));
    },
  };
}
