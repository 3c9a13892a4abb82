// Draws a 1-bit picture pixel for pixel: rows from the top, most significant bit left.

const LIT = [198, 232, 255, 255];
const DARK = [6, 9, 14, 255];

/** One byte a pixel, 0 or 1; a row begins with a new byte. */
export function pixelsOf({ width, height, bits }) {
  const bytes = Uint8Array.from(atob(bits), (letter) => letter.charCodeAt(0));
  const rowBytes = Math.ceil(width / 8);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      pixels[y * width + x] = (bytes[y * rowBytes + (x >> 3)] >> (7 - (x & 7))) & 1;
    }
  }
  return pixels;
}

/** Paints the display's picture on the canvas; one that is off is dark. */
export function drawBits(canvas, display) {
  if (canvas.width !== display.width || canvas.height !== display.height) {
    Object.assign(canvas, { width: display.width, height: display.height });
  }
  const image = new ImageData(display.width, display.height);
  const pixels = display.on ? pixelsOf(display) : new Uint8Array(display.width * display.height);
  pixels.forEach((lit, index) => image.data.set(lit ? LIT : DARK, index * 4));
  canvas.getContext("2d").putImageData(image, 0, 0);
}
