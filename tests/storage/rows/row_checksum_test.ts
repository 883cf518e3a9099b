import assert from "node:assert/strict";
import {
  type ColumnValue,
  fitsChecksum,
  rowChecksum,
} from "../../../src/storage/rows/row_checksum.ts";

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

/** Credits as an earlier version wrote them, whose references had half of a surrogate pair in them. */
const HALVES: readonly (readonly [row: readonly ColumnValue[], checksum: number])[] = [
  [
    [1, "paying", "credit", 100000000n, 100000000n, null, "\ufffd", 1767225600000],
    6572585435429852,
  ],
  [
    [2, "paying", "credit", 100000000n, 200000000n, null, "order 7 \ufffd", 1767225600000],
    784482418090503,
  ],
  // There was one U+FFFD before.
  [
    [4, "paying", "credit", 100000000n, 400000000n, null, "a\ufffd\ufffd", 1767225600000],
    957822917382203,
  ],
];

Deno.test("fitsChecksum() knows a row whose text had half of a surrogate pair in it", () => {
  for (const [row, checksum] of HALVES) {
    assert.notEqual(rowChecksum(row), checksum);
    assert.ok(fitsChecksum(row, checksum), String(row[6]));
  }
});

Deno.test("fitsChecksum() finds every altered column of such a row, and of one without", () => {
  const plain: readonly ColumnValue[] = [5, "paying", "credit", 100000000n, 5n, null, "plain", 17];
  for (const [row, checksum] of [...HALVES, [plain, rowChecksum(plain)] as const]) {
    for (const [column, value] of row.entries()) {
      const others: readonly ColumnValue[] = value === null
        ? [0, "", "\ufffd"]
        : typeof value === "string"
        ? [
          `${value}x`,
          `${value}\ufffd`,
          `x${value}`,
          value.slice(1),
          `\ufffd${value.slice(1)}x`,
          null,
        ]
        : typeof value === "bigint"
        ? [value + 1n, value - 1n, -value, null]
        : [value + 1, value - 1, -value, null];
      for (const other of others) {
        const altered = row.with(column, other);
        assert.ok(!fitsChecksum(altered, checksum), `${column}: ${other}`);
      }
    }
    for (const near of [checksum + 1, checksum - 1, 0]) assert.ok(!fitsChecksum(row, near));
  }
});

Deno.test("fitsChecksum() looks for one half only, in as many places as it says", () => {
  const written: readonly ColumnValue[] = [1, "\ud83d\ud83d"];
  assert.ok(!fitsChecksum([1, "\ufffd\ufffd"], rowChecksum(written)));
  const many = "\ufffd".repeat(20);
  assert.ok(fitsChecksum([many], rowChecksum([`\ud83d${many.slice(1)}`])));
  assert.ok(!fitsChecksum([many], rowChecksum([`${many.slice(1)}\ud83d`])));
});
