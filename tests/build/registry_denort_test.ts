/**
 * The runtime is cut out of a program at the end of its ELF image.
 *
 * @module
 */

import assert from "node:assert/strict";
import { elfImageLength } from "../../build/scripts/elf_image.ts";

/** A 64-byte ELF header that says: 3 section headers of 64 bytes each, from offset 1000 on. */
function elfHeader(): Uint8Array {
  const bytes = new Uint8Array(64);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  bytes[4] = 2;
  view.setBigUint64(0x28, 1000n, true);
  view.setUint16(0x3a, 64, true);
  view.setUint16(0x3c, 3, true);
  return bytes;
}

Deno.test("elfImageLength() is the end of the section header table", () => {
  assert.equal(elfImageLength(elfHeader()), 1000 + 3 * 64);
});

const measuresOwnProgram =
  "elfImageLength() measures the program that runs this test within its file";
Deno.test(measuresOwnProgram, { ignore: Deno.build.os !== "linux" }, async () => {
  const { size } = await Deno.stat(Deno.execPath());
  using file = await Deno.open(Deno.execPath());
  const header = new Uint8Array(64);
  await file.read(header);
  const length = elfImageLength(header);
  assert.ok(length > 1_000_000 && length <= size, `${length} of ${size} bytes`);
});

Deno.test("elfImageLength() refuses what is not a 64-bit ELF image", () => {
  const elf32 = elfHeader();
  elf32[4] = 1;
  for (const bytes of [new Uint8Array(0), new Uint8Array(64), elf32, elfHeader().subarray(0, 63)]) {
    assert.throws(() => elfImageLength(bytes), TypeError);
  }
});
