/**
 * Books of several nodes as the one that a file has.
 *
 * @module
 */

import assert from "node:assert/strict";
import { askOver, Connection } from "../../../src/storage/postgres/connection.ts";
import {
  hasFurtherBooks,
  MERGED_COLUMNS,
  MergedBooks,
} from "../../../src/storage/postgres/merged_books.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { LEDGER_COLUMNS, ledgerValues } from "../../../src/storage/rows/ledger_row.ts";
import { rowChecksum } from "../../../src/storage/rows/row_checksum.ts";
import type { LedgerKind } from "../../../src/domain/call.ts";
import { fundProject } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const server = postgresOfFile();
let databases = 0;

/** A row that some node has written: book, seq, time, kind, amount. */
type Written = readonly [book: number, seq: number, at: number, kind: LedgerKind, amountE8: bigint];

/** A database whose one project was credited 1,000 in the main book's first row, at 1 day. */
const FIRST_AT = 86_400_000;

interface Scene {
  readonly hand: Connection;
  merge(): Promise<readonly Record<string, unknown>[]>;
}

async function withBooks(
  written: readonly Written[],
  run: (scene: Scene) => Promise<void>,
  { avail, covered = 1_000 }: { readonly avail: bigint; readonly covered?: number },
): Promise<void> {
  const database = `merged_${++databases}`;
  await server.create(database);
  const url = server.url(database);
  const storage = await openPostgresStorage({ url });
  await storage.beginSession();
  await fundProject(storage, 1_000n);
  await storage.close();
  const hand = await Connection.open({ url });
  try {
    await hand.run("ALTER TABLE ledger DISABLE TRIGGER ALL", []);
    await hand.run("UPDATE ledger SET at = $1", [FIRST_AT]);
    for (const [book, seq, at, kind, amountE8] of written) {
      const values = ledgerValues({
        ...{ seq, projectId: "acme", kind, amountE8, at: FIRST_AT + at },
        balanceAfterE8: book === 0 ? 1n : 0n,
        callId: kind === "credit" ? undefined : book * 100 + seq,
        reference: undefined,
      });
      await hand.run(
        `INSERT INTO ledger (book, ${LEDGER_COLUMNS.join(", ")}, checksum)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [book, ...values],
      );
    }
    await hand.run(
      `INSERT INTO ledger_books (book, covered_seq, is_whole)
       SELECT DISTINCT book, $1::bigint, 1 FROM ledger
       ON CONFLICT (book) DO UPDATE SET covered_seq = excluded.covered_seq`,
      [covered],
    );
    await hand.run("UPDATE projects SET avail_e8 = $1", [avail]);
    await run({
      hand,
      async merge() {
        await hand.runEach("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        try {
          const books = await MergedBooks.open(askOver(hand), "there");
          const rows: Record<string, unknown>[] = [];
          for await (const values of books.rows()) {
            assert.equal(Number(values.at(-1)), rowChecksum(values.slice(0, -1)));
            rows.push(Object.fromEntries(MERGED_COLUMNS.map((name, at) => [name, values[at]])));
          }
          assert.equal(Number(rows.at(-1)!.seq), Number(books.lastSeq));
          return rows;
        } finally {
          await hand.rollBack();
        }
      },
    });
  } finally {
    await hand.close();
  }
}

const told = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ seq, at, call_id, balance_after_e8 }) =>
    [seq, Number(at) - FIRST_AT, call_id ?? "credit", balance_after_e8].join(" ")
  );

Deno.test(
  "rows of all books come by their times, and balances add up anew",
  NEEDS_POSTGRES,
  () =>
    withBooks(
      [
        [3, 1, 10, "settle", 100n],
        [3, 2, 30, "settle", 200n],
        [5, 1, 20, "settle", 50n],
        [5, 2, 20, "loss", 7n],
        [5, 3, 40, "release", 0n],
        [0, 2, 25, "credit", 500n],
      ],
      async ({ hand, merge }) => {
        assert.equal(await hasFurtherBooks(askOver(hand)), true);
        assert.deepEqual(told(await merge()), [
          "1 0 credit 1000",
          "2 10 301 900",
          "3 20 501 850",
          "4 20 502 850",
          "5 25 credit 1350",
          "6 30 302 1150",
          "7 40 503 1150",
        ]);
      },
      { avail: 1_150n },
    ),
);

Deno.test(
  "what a node whose clock is behind has charged waits for the credit that it was paid of",
  NEEDS_POSTGRES,
  () =>
    withBooks(
      [
        [3, 1, 10, "settle", 900n],
        [3, 2, 11, "settle", 200n],
        [3, 3, 12, "settle", 50n],
        [3, 4, 12, "loss", 9n],
        [3, 5, 13, "release", 0n],
        [0, 2, 25, "credit", 500n],
        [3, 6, 26, "settle", 300n],
      ],
      async ({ merge }) => {
        assert.deepEqual(told(await merge()), [
          "1 0 credit 1000",
          "2 10 301 100",
          "3 25 credit 600",
          "4 11 302 400",
          "5 12 303 350",
          "6 12 304 350",
          "7 13 305 350",
          "8 26 306 50",
        ]);
      },
      { avail: 50n },
    ),
);

Deno.test(
  "what was written later by a clock that was set back stays behind what was written before",
  NEEDS_POSTGRES,
  () =>
    withBooks(
      [
        [3, 1, 30, "settle", 100n],
        [3, 2, 10, "settle", 200n],
        [5, 1, 20, "settle", 50n],
        [0, 2, 40, "credit", 500n],
        [0, 3, 5, "credit", 7n],
      ],
      async ({ merge }) => {
        assert.deepEqual(told(await merge()), [
          "1 0 credit 1000",
          "2 20 501 950",
          "3 30 301 850",
          "4 10 302 650",
          "5 40 credit 1150",
          "6 5 credit 1157",
        ]);
      },
      { avail: 1_157n },
    ),
);

Deno.test(
  "rows behind those that were archived go on with their number and what was left",
  NEEDS_POSTGRES,
  () =>
    withBooks(
      [
        [0, 8, 5, "credit", 40n],
        [3, 1, 10, "settle", 100n],
      ],
      async ({ hand, merge }) => {
        await hand.run("DELETE FROM ledger WHERE book = 0 AND seq = 1", []);
        assert.deepEqual(told(await merge()), ["8 5 credit 740", "9 10 301 640"]);
      },
      { avail: 640n },
    ),
);

Deno.test(
  "calls that the sums lack cannot be told of by one book",
  NEEDS_POSTGRES,
  () =>
    withBooks(
      [[3, 1, 10, "settle", 400n]],
      ({ merge }) =>
        assert.rejects(
          merge(),
          /Cannot move there into a file: usage is not added up yet .*book 3/,
        ),
      { avail: 600n, covered: 0 },
    ),
);
