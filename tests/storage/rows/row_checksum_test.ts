import assert from "node:assert/strict";
import { type ColumnValue, rowChecksum } from "../../../src/storage/rows/row_checksum.ts";

Deno.test("rowChecksum() is the same for an integer as number and as bigint", () => {
  for (const value of [0, 1, -1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    assert.equal(rowChecksum([value]), rowChecksum([BigInt(value)]), `${value}`);
  }
});

Deno.test("rowChecksum() is a non-negative safe integer", () => {
  for (let value = 0; value < 1_000; value++) {
    const checksum = rowChecksum([value, `${value}`]);
    assert.equal(Number.isSafeInteger(checksum) && checksum >= 0, true);
  }
});

Deno.test("rowChecksum() differs for rows that differ in anything", () => {
  const rows: ColumnValue[][] = [
    [],
    [null],
    [0],
    [""],
    [null, null],
    ["0"],
    ["a", "b"],
    ["ab", ""],
    ["", "ab"],
    ["b", "a"],
    ["a", null, "b"],
    [1],
    [-1],
    [-2],
    [2 ** 32],
    [2 ** 32 + 1],
    [2 ** 33],
    [2 ** 52],
    [9_007_199_254_740_992n],
    [9_007_199_254_740_993n],
    [999_999_999_999_999_999n],
    [999_999_999_999_999_998n],
    ["ä"],
    ["a\u0308"],
    ["🚀"],
    ["TT"],
    ["\u0001"],
    ["I", 1],
    [1, "I"],
  ];
  for (let index = 0; index < 20_000; index++) rows.push([index, "acme", BigInt(index) * 7n]);
  const checksums = rows.map(rowChecksum);
  const first = new Map<number, ColumnValue[]>();
  for (const [index, checksum] of checksums.entries()) {
    assert.equal(first.get(checksum), undefined, `${rows[index]}`);
    first.set(checksum, rows[index]!);
  }
});

Deno.test("rowChecksum() stays what it is: stored rows depend on it", () => {
  assert.equal(rowChecksum([1, "acme", null, 5n]), 2_385_988_172_237_642);
});
