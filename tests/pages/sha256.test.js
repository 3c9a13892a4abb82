// SHA-256 and HMAC of the page that checks games, by the vectors of their standards.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";

import { fromHex, hex, hmacSha256, sha256, utf8 } from "../../pi_controller/web/pages/verify/sha256.js";

// FIPS 180-4, the examples of NIST: SHA256.pdf and "Additional examples"
const DIGESTS = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

// RFC 4231, test cases 1 to 4: those whose key is no longer than a block
const CODES = [
  ["0b".repeat(20), hex(utf8("Hi There")), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  [hex(utf8("Jefe")), hex(utf8("what do ya want for nothing?")), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  ["aa".repeat(20), "dd".repeat(50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
  ["0102030405060708090a0b0c0d0e0f10111213141516171819", "cd".repeat(50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"],
];

test("digests are those of the standard", () => {
  for (const [text, digest] of DIGESTS) assert.equal(hex(sha256(utf8(text))), digest, text.slice(0, 20));
});

test("codes are those of the standard", () => {
  for (const [key, message, code] of CODES) assert.equal(hex(hmacSha256(fromHex(key), fromHex(message))), code);
});

test("every length up to three blocks is padded as it must be", () => {
  for (let size = 0; size <= 192; size += 1) {
    const bytes = Uint8Array.from({ length: size }, (_, place) => (place * 7 + size) % 256);
    assert.equal(hex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"), `${size} bytes`);
    const key = bytes.subarray(0, 32);
    assert.equal(hex(hmacSha256(key, bytes)), createHmac("sha256", key).update(bytes).digest("hex"), `${size} bytes`);
  }
});

test("a part of a larger buffer is digested alone", () => {
  const whole = utf8("xxabcxx");
  assert.equal(hex(sha256(whole.subarray(2, 5))), DIGESTS[1][1]);
});
