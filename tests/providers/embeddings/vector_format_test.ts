import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  encodeVector,
  formatVector,
  type VectorFormat,
} from "../../../src/providers/embeddings/vector_format.ts";

/** 32-bit floats of every size and sign, the same in every run. */
function floats(count: number, seed: number): number[] {
  let state = seed;
  const bits = new DataView(new ArrayBuffer(4));
  const list: number[] = [];
  while (list.length < count) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bits.setUint32(0, state);
    const value = bits.getFloat32(0);
    if (Number.isFinite(value)) list.push(value);
  }
  return list;
}

Deno.test("formatVector() turns every 32-bit float into base64 and back exactly", () => {
  for (const length of [1, 2, 3, 64, 1_536, 3_072]) {
    const vector = floats(length, length);
    const text = formatVector(vector, "base64") as string;
    assert.equal(text.length, 4 * Math.ceil(length * 4 / 3));
    assert.deepEqual(formatVector(text, "float"), vector);
    assert.equal(formatVector(text, "base64"), text);
    assert.equal(formatVector(formatVector(text, "float"), "base64"), text);
  }
  const edges = [0, -0, 1, -1, 2 ** -149, -(2 ** -149), 3.4028234663852886e38];
  assert.deepEqual(formatVector(formatVector(edges, "base64"), "float"), edges);
});

Deno.test("encodeVector() writes little-endian floats", () => {
  assert.equal(encodeVector([1]), Buffer.from([0, 0, 0x80, 0x3f]).toString("base64"));
  assert.equal(encodeVector([1, -2]), "AACAPwAAAMA=");
  // A part of a larger buffer is only that part.
  assert.equal(encodeVector(Float32Array.of(9, 1, -2, 9).subarray(1, 3)), "AACAPwAAAMA=");
});

Deno.test("formatVector() rounds to the nearest float, and leaves numbers that are asked for", () => {
  const vector = [0.1, 1 / 3, -1e-9];
  assert.deepEqual(formatVector(vector, "float"), vector);
  assert.deepEqual(
    formatVector(formatVector(vector, "base64"), "float"),
    vector.map(Math.fround),
  );
});

Deno.test("formatVector() takes nothing that is no vector", () => {
  const broken: unknown[] = [
    undefined,
    null,
    7,
    {},
    [],
    "",
    "AACA",
    "AACAPw===",
    "AACA Pw=",
    "AAC*Pw==",
    "no vector!",
    // The NaN and infinities of 32 bits.
    "AADAfw==",
    "AACAfw==",
    "AACA/w==",
    [1, Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1, "2"],
    [1, null],
    [[1]],
    // Beyond what 32 bits can say.
    [1e39],
  ];
  for (const vector of broken) {
    for (const format of ["float", "base64"] as VectorFormat[]) {
      // A number that no 32 bits can say is one all the same, where numbers are asked for.
      if (format === "float" && Array.isArray(vector) && vector[0] === 1e39) continue;
      assert.equal(formatVector(vector, format), undefined, `${vector} as ${format}`);
    }
  }
});

Deno.test("formatVector() takes base64 without its padding", () => {
  for (const text of ["AACAPw==", "AACAPw=", "AACAPw"]) {
    assert.deepEqual(formatVector(text, "float"), [1], text);
    assert.equal(formatVector(text, "base64"), "AACAPw==", text);
  }
});
