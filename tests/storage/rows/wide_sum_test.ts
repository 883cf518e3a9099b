import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { spend } from "../../../src/storage/sqlite/migrations/0005_spend.ts";
import {
  cappedAddSql,
  MOST_STORABLE,
  readWideSum,
  storable,
  wideSumSql,
} from "../../../src/storage/rows/wide_sum.ts";

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
  const select = database.prepare(`SELECT ${wideSumSql("e8", "wide")} FROM amounts`);
  select.setReadBigInts(true);
  const add = database.prepare(`SELECT ${cappedAddSql("?1", "?2")} AS sum`);
  add.setReadBigInts(true);
  for (const amounts of CASES) {
    database.exec("DELETE FROM amounts");
    for (const amount of amounts) database.prepare("INSERT INTO amounts VALUES (?)").run(amount);
    const sum = amounts.reduce((one, other) => one + other);
    assert.equal(readWideSum(select.get()!, "wide"), sum, amounts.join());
    assert.equal(storable(sum), sum < MOST_STORABLE ? sum : MOST_STORABLE);
    const [one, other = 0n] = amounts;
    const both = one! + other;
    assert.equal(add.get(one!, other)!.sum, both < MOST_STORABLE ? both : MOST_STORABLE);
  }
});

Deno.test("what older calls had spent in an hour ends there too", () => {
  for (const amounts of CASES.filter(([first]) => first! > 0n)) {
    using database = new DatabaseSync(":memory:");
    database.exec(`
      CREATE TABLE projects (id TEXT); CREATE TABLE keys (id TEXT);
      CREATE TABLE meta (name TEXT, value TEXT);
      CREATE TABLE ledger (seq INTEGER, call_id TEXT, kind TEXT);
      CREATE TABLE calls (call_id TEXT, project_id TEXT, key_id TEXT, state TEXT, closed_at INTEGER,
        sale_e8 INTEGER, loss_e8 INTEGER)`);
    const insert = database.prepare(
      "INSERT INTO calls VALUES (?, 'demo', 'key', 'settled', 0, ?, 0)",
    );
    for (const [index, amount] of amounts.entries()) insert.run(`call_${index}`, amount);
    database.exec(spend);
    const select = database.prepare("SELECT spent_e8 FROM spend_hourly");
    select.setReadBigInts(true);
    const sum = amounts.reduce((one, other) => one + other);
    assert.deepEqual(select.all().map(({ spent_e8 }) => spent_e8), [storable(sum)], amounts.join());
  }
});
