/**
 * The keyed permutation of numbers.
 *
 * @module
 */
import assert from "node:assert/strict";
import { NumberCipher } from "../../src/domain/number_cipher.ts";

Deno.test("NumberCipher gives what its authors published, and undoes it", () => {
  const key = Uint8Array.from([0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]);
  const cipher = new NumberCipher(key);
  const plain = { high: 0x3b726574, low: 0x7475432d };
  const hidden = cipher.encrypt(plain);
  assert.deepEqual(hidden, { high: 0x8c6fa548, low: 0x454e028b });
  assert.deepEqual(cipher.decrypt(hidden), plain);
});

Deno.test("NumberCipher takes keys of 16 bytes alone", () => {
  assert.throws(() => new NumberCipher(new Uint8Array(15)), RangeError);
});
