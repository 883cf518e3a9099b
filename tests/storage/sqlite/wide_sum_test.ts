import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  cappedAddSql,
  cappedSumSql,
  MOST_STORABLE,
  readWideSum,
  wideSumSql,
} from "../../../src/storage/sqlite/wide_sum.ts";

const MASK = (1n << 31n) - 1n;
const CASES: readonly (readonly bigint[])[] = [
  [0n],
  [1n, 2n, 3n],
  [MASK, 1n],
  [MASK, MASK, MASK],
  [MOST_STORABLE],
  [MOST_STORABLE - MASK, MASK],
  [MOST_STORABLE - 2n, 1n, 1n],
  [MOST_STORABLE, 1n],
  [MOST_STORABLE, MOST_STORABLE, MOST_STORABLE, 5n],
];

Deno.test("sums of amounts are exact beyond 64 bits, and end at what a column holds where they are stored", () => {
  using database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE amounts (e8 INTEGER NOT NULL) STRICT");
  const select = database.prepare(
    `SELECT ${wideSumSql("e8", "wide")}, ${cappedSumSql("e8")} AS capped FROM amounts`,
  );
  select.setReadBigInts(true);
  const add = database.prepare(`SELECT ${cappedAddSql("?1", "?2")} AS sum`);
  add.setReadBigInts(true);
  for (const amounts of CASES) {
    database.exec("DELETE FROM amounts");
    for (const amount of amounts) database.prepare("INSERT INTO amounts VALUES (?)").run(amount);
    const sum = amounts.reduce((one, other) => one + other);
    const capped = sum < MOST_STORABLE ? sum : MOST_STORABLE;
    const row = select.get()!;
    assert.equal(readWideSum(row, "wide"), sum, amounts.join());
    assert.equal(row.capped, capped, amounts.join());
    const [one, other = 0n] = amounts;
    const both = one! + other;
    assert.equal(add.get(one!, other)!.sum, both < MOST_STORABLE ? both : MOST_STORABLE);
  }
});
