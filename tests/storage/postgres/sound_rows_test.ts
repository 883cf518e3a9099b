/**
 * What the statements that write calls and ledger rows require of them is what the tables required before.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  CALL_COLUMNS,
  closedCallValues,
  openCallValues,
} from "../../../src/storage/rows/call_row.ts";
import { LEDGER_COLUMNS, ledgerValues } from "../../../src/storage/rows/ledger_row.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { CHECKS_IN_STATEMENTS } from "../../../src/storage/postgres/schema/checks_in_statements.ts";
import { VERSIONS } from "../../../src/storage/postgres/schema/versions.ts";
import { SOUND_CALL, SOUND_ROW } from "../../../src/storage/postgres/sound_rows.ts";
import { recordset } from "../../../src/storage/postgres/sql.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { seededRandom } from "../../support/catalogue_parts.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const MOST = 999_999_999_999_999_999n;
/** Where a condition may change its mind. */
const NUMBERS = [null, -1, 0, 1, 2, 99, 100, 101, MOST, MOST + 1n, -MOST, -MOST - 1n];
const TEXTS = [
  ...[null, "", "x", "open", "settled", "released", "credit", "settle", "release", "loss"],
  ...["{}", "[]", '{"a":1}', "3"],
];

type Values = readonly (string | number | bigint | null)[];

/** A kind of rows: what is required of them, in a statement and by a table of before, and good ones. */
interface Kind {
  readonly table: string;
  readonly columns: readonly string[];
  readonly sound: string;
  readonly good: readonly Values[];
}

const ledgerRow = { projectId: "acme", at: 5, seq: 3, callId: 7, reference: undefined };
const KINDS: readonly Kind[] = [
  {
    table: "calls",
    columns: [...CALL_COLUMNS, "checksum"],
    sound: SOUND_CALL,
    good: [
      openCallValues(sampleOpenCall()),
      openCallValues(sampleOpenCall({ unlimited: true, heldE8: 0n })),
      closedCallValues(sampleClosedCall()),
      closedCallValues(
        sampleClosedCall({ state: "released", chargedE8: 0n, errorCode: "upstream_timeout" }),
      ),
    ],
  },
  {
    table: "ledger",
    columns: ["book", ...LEDGER_COLUMNS, "checksum"],
    sound: SOUND_ROW,
    good: [
      [0, ...ledgerValues({ ...ledgerRow, kind: "settle", amountE8: 5n, balanceAfterE8: 7n })],
      [4, ...ledgerValues({ ...ledgerRow, kind: "loss", amountE8: 5n, balanceAfterE8: -7n })],
      [
        0,
        ...ledgerValues({
          ...{ ...ledgerRow, callId: undefined, reference: "r" },
          ...{ kind: "credit", amountE8: 5n, balanceAfterE8: 7n },
        }),
      ],
    ],
  },
];

const server = postgresOfFile();

async function connected(database: string): Promise<Connection> {
  await server.create(database);
  return await Connection.open({ url: server.url(database) });
}

for (const { table, columns, sound, good } of KINDS) {
  Deno.test(
    `a row of ${table} is refused by the statement where the table refused it before`,
    NEEDS_POSTGRES,
    async () => {
      const before = await connected(`before_${table}`);
      try {
        for (const version of VERSIONS.slice(0, VERSIONS.indexOf(CHECKS_IN_STATEMENTS))) {
          for (const statement of version) await before.run(statement, []);
        }
        const nullable = new Set(
          (await before.run(
            `SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass AND NOT attnotnull`,
            [],
          )).rows.map(({ attname }) => attname),
        );
        const changed = function* (row: Values): Iterable<Values> {
          for (const [at, column] of columns.slice(0, -1).entries()) {
            const isText = typeof row[at] === "string" || column === "further";
            const values = row[at] === null ? [...NUMBERS, ...TEXTS] : isText ? TEXTS : NUMBERS;
            for (const value of values) {
              if (value !== null || nullable.has(column)) yield row.with(at, value);
            }
          }
        };
        const once = good.flatMap((row) => [...changed(row)]);
        const random = seededRandom(20);
        const pick = <One>(some: readonly One[]) => some[Math.floor(random() * some.length)]!;
        const twice = Array.from({ length: 300 }, () => pick([...changed(pick(once))]));
        const rows = [...good, ...once, ...twice];
        const outcomes = { taken: 0, refused: 0 };
        for (const row of rows) {
          const records = recordset(columns, [row]);
          const from = `FROM json_populate_recordset(NULL::${table}, $1::text::json)`;
          let isSound: unknown;
          try {
            isSound = (await before.run(`SELECT (${sound})::int AS sound ${from}`, [records]))
              .rows[0]!.sound;
          } catch {
            // A text where a number belongs, or beside JSON: no statement takes it at all.
            isSound = 0;
          }
          const [names, place] = [columns.join(", "), `${table} (${columns.join(", ")})`];
          const taken = await before.run(`INSERT INTO ${place} SELECT ${names} ${from}`, [records])
            .then(() => 1, () => 0);
          await before.run(`DELETE FROM ${table}`, []);
          assert.equal(Number(isSound), taken, records);
          outcomes[taken === 1 ? "taken" : "refused"]++;
        }
        assert.ok(outcomes.taken > 100 && outcomes.refused > 100, JSON.stringify(outcomes));
      } finally {
        await before.close();
      }
    },
  );
}

Deno.test(
  "an end that cannot be is refused alone, and nothing of it is stored",
  NEEDS_POSTGRES,
  async () => {
    await server.create("refused");
    const node = await openPostgresStorage({
      url: server.url("refused"),
      identity: { node: "one", label: "one" },
    });
    try {
      await node.beginSession();
      await fundProject(node, 10_000n);
      const lease = { kind: "lease", projectId: "acme", needE8: 9_000n, wishE8: 9_000n } as const;
      assert.deepEqual(words([await commitOne(node, lease)]), ["ok"]);
      const close = (callId: number, attempts: number) =>
        ({ kind: "close", call: sampleClosedCall({ callId, attempts }) }) as const;
      // The second time its rows are known, and it is one statement.
      for (const first of [1, 4]) {
        const results = await node.commitBatch([
          close(first, 1),
          close(first + 1, -1),
          close(first + 2, 1),
        ]);
        assert.deepEqual(words(results), ["ok", "failed", "ok"]);
      }
      const stored = await server.ask(
        "refused",
        "SELECT string_agg(call_id::text, ' ') FROM calls",
      );
      assert.equal(stored, "1 3 4 6");
      assert.equal(await server.ask("refused", "SELECT count(*) FROM ledger WHERE book > 0"), "4");
    } finally {
      await node.close();
    }
  },
);
