// Draws a 1-bit picture pixel for pixel: rows from the top, most significant bit left.

/**
 * @typedef {[number, number, number]} Colour
 * @typedef {{ width: number, height: number, on: boolean, bits: string, contrast?: number }} Picture
 */

/** @type {Colour} */
const LIT = [198, 232, 255];
/** @type {Colour} */
const DARK = [6, 9, 14];
const FULL = 255;
const LEAST_SEEN = 0.45; // an OLED at its lowest contrast is dim, not dark

/**
 * One 32-bit pixel of a canvas, whatever the machine's byte order.
 * @param {Colour} colour
 */
function packed([red, green, blue]) {
  return new Uint32Array(Uint8ClampedArray.of(red, green, blue, FULL).buffer)[0] ?? 0;
}

/**
 * The colour of a lit pixel at this contrast, 0 to 255.
 * @param {number} contrast
 * @returns {number}
 */
function litAt(contrast) {
  const part = LEAST_SEEN + (1 - LEAST_SEEN) * (contrast / FULL);
  const [red, green, blue] = DARK;
  return packed([red + (LIT[0] - red) * part, green + (LIT[1] - green) * part, blue + (LIT[2] - blue) * part]);
}

/**
 * Paints the display's picture on the canvas; one that is off is dark. `contrast` 0 to 255 dims what is lit.
 * @param {HTMLCanvasElement} canvas
 * @param {Picture} display
 */
export function drawBits(canvas, display) {
  const { width, height, on, contrast = FULL } = display;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill(packed(DARK));
  if (on) {
    const bytes = atob(display.bits);
    const lit = litAt(contrast);
    const rowBytes = Math.ceil(width / 8);
    for (let at = 0; at < Math.min(bytes.length, rowBytes * height); at += 1) {
      const byte = bytes.charCodeAt(at);
      if (byte === 0) continue;
      const row = Math.floor(at / rowBytes);
      const column = (at % rowBytes) * 8;
      for (let bit = 0; bit < 8 && column + bit < width; bit += 1) {
        if (byte & (0x80 >> bit)) pixels[row * width + column + bit] = lit;
      }
    }
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}
