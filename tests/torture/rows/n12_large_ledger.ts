/**
 * N12: a large ledger of two nodes on a server, sealed; ten faults planted somewhere in it, of which
 * `ledger verify` has to name each; and what stays right once its calls are deleted.
 *
 * @module
 */

import { dropOldCalls } from "../../../src/admin/ledger_check/drop_old_calls.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres_server.ts";
import { fillSealed, SEALED_CATALOGUE, SEALED_ROWS } from "../../support/sealed_calls.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const DATABASE = "tollgate";
const DAY_MS = 86_400_000;
const WITHIN_MS = 120_000;
const ROW_MS = 2 * 3_600_000;

/** What is altered, in a row of the ledger or the call that it closes, and how it was before. */
const FAULTS: readonly (readonly [table: "ledger" | "calls", alter: string, back: string])[] = [
  ["ledger", "amount_e8 = amount_e8 + 1", "amount_e8 = amount_e8 - 1"],
  ["ledger", "balance_after_e8 = balance_after_e8 + 1", "balance_after_e8 = balance_after_e8 - 1"],
  ["ledger", "at = at + 1", "at = at - 1"],
  ["ledger", "project_id = 'x'", "project_id = 'bench'"],
  ["ledger", "checksum = checksum + 1", "checksum = checksum - 1"],
  ["calls", "cost_e8 = cost_e8 + 1", "cost_e8 = cost_e8 - 1"],
  ["calls", "prompt_tokens = prompt_tokens + 1", "prompt_tokens = prompt_tokens - 1"],
  ["calls", "model = model || 'x'", "model = substr(model, 1, length(model) - 1)"],
  ["calls", "closed_at = closed_at + 1", "closed_at = closed_at - 1"],
  ["calls", "checksum = checksum + 1", "checksum = checksum - 1"],
];

export const row: ScorecardRow = {
  id: "N12",
  title: "a large ledger on a server",
  tools: ["postgresql"],
  withinMs: ROW_MS,
  seededBug: {
    name: "seals_believed",
    says: "a seal stands for its rows, whatever these are by now",
    edits: [{
      file: "src/admin/ledger_check/check_sealed.ts",
      find: "const isSame = digest === document.digest;",
      replace: "const isSame = digest !== undefined;",
    }],
  },
  async run({ size, random, folder, note }) {
    const calls = size.pick({ commit: 20_000, full: 10_000_000 });
    const found = new RowFinding(`${calls} calls of two nodes, ${FAULTS.length} faults`);
    await using server = await startPostgres();
    await server.create(DATABASE);
    const env = { TOLLGATE_DATABASE_URL: server.url(DATABASE) };
    const dataDir = `${folder}/node`;
    await Deno.mkdir(dataDir);
    {
      await using gateway = await serveGateway({ dataDir, env, expectKey: false });
      await gateway.apply(SEALED_CATALOGUE);
    }
    await fillSealed(server.url(DATABASE), { calls });
    note(`N12: ${calls} calls are written and sealed`);
    const verify = () => ledgerDifferences(dataDir, env);
    found.requireNone(await verify());

    const places = await Promise.all(
      FAULTS.map(() => somewhere(server, calls, random.integer(1, calls))),
    );
    const each = async (sqlOf: (fault: (typeof FAULTS)[number]) => readonly [string, string]) => {
      for (const [at, fault] of FAULTS.entries()) {
        const [table, set] = sqlOf(fault);
        const { book, seq, callId } = places[at]!;
        const where = table === "ledger"
          ? `book = ${book} AND seq = ${seq}`
          : `call_id = ${callId}`;
        await server.ask(DATABASE, `UPDATE ${table} SET ${set} WHERE ${where}`);
      }
    };
    await each(([table, alter]) => [table, alter]);
    const beganAt = performance.now();
    const differences = (await verify()).join("\n");
    found.time("found within", performance.now() - beganAt, { atMost: WITHIN_MS });
    const named = FAULTS.filter(([table], at) => {
      const { book, seq, callId } = places[at]!;
      const names = table === "calls" ? [`"${callId}"`] : [`"${book}/${seq}"`, `"${seq}"`];
      return names.some((name) => differences.includes(`"id":${name}`));
    });
    found.count("faults that are named", named.length, { exactly: FAULTS.length });
    await each(([table, , back]) => [table, back]);
    found.requireNone(await verify());

    const storage = await openPostgresStorage({ url: server.url(DATABASE) });
    try {
      const beforeMs = Date.now() + 2 * DAY_MS;
      const pause = () => Promise.resolve();
      const dropped = await dropOldCalls({ seals: storage.seals!, beforeMs, pause });
      found.require(dropped.trouble === undefined, () => dropped.trouble!);
      found.count("calls deleted", dropped.calls, { atLeast: calls - SEALED_ROWS });
    } finally {
      await storage.close();
    }
    found.requireNone(await verify());
    return found;
  },
};

/** A row of the ledger that closes a call. */
async function somewhere(server: PostgresServer, calls: number, nth: number) {
  const sql = `SELECT book, seq, call_id FROM ledger WHERE call_id IS NOT NULL
    ORDER BY book, seq OFFSET ${(nth - 1) % calls} LIMIT 1`;
  const [book, seq, callId] = (await server.ask(DATABASE, sql)).split("|");
  return { book, seq, callId };
}
