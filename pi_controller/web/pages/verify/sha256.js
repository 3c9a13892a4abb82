// SHA-256 (FIPS 180-4) and HMAC (RFC 2104): the browser's own are not there for pages that come over plain HTTP. Pure.

const ENCODER = new TextEncoder();
const BLOCK = 64; // bytes
const LENGTH_BYTES = 8;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const BITS_OF_A_FRACTION = 2 ** 32;

const PRIMES = primes(64);
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/**
 * The first 32 bits behind the point.
 * @param {number} root
 */
function fraction(root) {
  return ((root % 1) * BITS_OF_A_FRACTION) | 0;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(bytes) {
  const state = Int32Array.from(START);
  const whole = bytes.length - (bytes.length % BLOCK);
  digestBlocks(state, bytes, whole);
  const rest = bytes.subarray(whole);
  const end = new Uint8Array(rest.length + 1 + LENGTH_BYTES > BLOCK ? 2 * BLOCK : BLOCK);
  end.set(rest);
  end[rest.length] = 0x80;
  const view = new DataView(end.buffer);
  view.setUint32(end.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(end.length - 4, (bytes.length * 8) >>> 0);
  digestBlocks(state, end, end.length);
  const digest = new Uint8Array(32);
  const written = new DataView(digest.buffer);
  state.forEach((word, place) => { written.setInt32(4 * place, word); });
  return digest;
}

/**
 * @param {Int32Array} state changed in place
 * @param {Uint8Array} bytes
 * @param {number} size a multiple of 64
 */
function digestBlocks(state, bytes, size) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const schedule = new Int32Array(64);
  for (let at = 0; at < size; at += BLOCK) {
    for (let place = 0; place < 16; place += 1) schedule[place] = view.getInt32(at + 4 * place);
    spread(schedule);
    mix(state, schedule);
  }
}

/**
 * Words 16 to 63 of the message schedule.
 * @param {Int32Array} words
 */
function spread(words) {
  for (let place = 16; place < 64; place += 1) {
    const [far, near] = [at(words, place - 15), at(words, place - 2)];
    const one = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const other = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[place] = at(words, place - 16) + one + at(words, place - 7) + other;
  }
}

/**
 * One assignment each: a page reads some million bytes, and a list made anew in every step takes ten times as long.
 * @param {Int32Array} state changed in place
 * @param {Int32Array} schedule
 */
function mix(state, schedule) {
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let place = 0; place < 64; place += 1) {
    const rotated = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + rotated + ((e & f) ^ (~e & g)) + at(CONSTANTS, place) + at(schedule, place)) | 0;
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let place = 0; place < 8; place += 1) state[place] = at(state, place) + (mixed[place] ?? 0);
}

/**
 * @param {Int32Array} words
 * @param {number} place within
 */
function at(words, place) {
  return /** @type {number} */ (words[place]);
}

/**
 * @param {number} word
 * @param {number} bits
 */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/**
 * @param {Uint8Array} key at most 64 bytes
 * @param {Uint8Array} message
 */
export function hmacSha256(key, message) {
  return sha256(joined([padded(key, OUTER_PAD), sha256(joined([padded(key, INNER_PAD), message]))]));
}

/**
 * @param {Uint8Array} key
 * @param {number} pad
 */
function padded(key, pad) {
  const block = new Uint8Array(BLOCK).fill(pad);
  key.forEach((byte, place) => { block[place] = byte ^ pad; });
  return block;
}

/** @param {readonly Uint8Array[]} parts */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** @param {string} text */
export function utf8(text) {
  return ENCODER.encode(text);
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits an even number of them */
export function fromHex(digits) {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
