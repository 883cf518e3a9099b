/**
 * How long it takes to prove a large ledger on a PostgreSQL server: with seals, row by row; whether what
 * is altered there is found; and how long to drop its calls.
 *
 * @module
 */

import { checkLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { dropOldCalls } from "../../src/admin/ledger_check/drop_old_calls.ts";
import { LedgerSealer } from "../../src/admin/ledger_check/ledger_sealer.ts";
import { openPostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import { startPostgres } from "../../tests/support/postgres_server.ts";
import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { addCalls } from "../large_database.ts";
import { childTimes } from "../thread_times.ts";
import { makeDataDir, SMALL_CATALOGUE } from "../servers.ts";

const DATABASE = "tollgate";
const DAY_MS = 86_400_000;
const SLICE = 2_000;

/** What is altered, one after the other, somewhere in the middle, and altered back. */
const FAULTS: readonly (readonly [alter: string, back: string])[] = [
  ["UPDATE ledger SET amount_e8 = amount_e8 + 1", "UPDATE ledger SET amount_e8 = amount_e8 - 1"],
  ["UPDATE ledger SET at = at + 1", "UPDATE ledger SET at = at - 1"],
  ["UPDATE ledger SET project_id = 'x'", "UPDATE ledger SET project_id = 'bench'"],
];
const CALL_FAULTS: readonly (readonly [alter: string, back: string])[] = [
  ["UPDATE calls SET cost_e8 = cost_e8 + 1", "UPDATE calls SET cost_e8 = cost_e8 - 1"],
  [
    "UPDATE calls SET prompt_tokens = prompt_tokens + 1",
    "UPDATE calls SET prompt_tokens = prompt_tokens - 1",
  ],
  [
    "UPDATE calls SET model = model || 'x'",
    "UPDATE calls SET model = substr(model, 1, length(model) - 1)",
  ],
  ["UPDATE calls SET checksum = checksum + 1", "UPDATE calls SET checksum = checksum - 1"],
];

/** Fills a server's database, seals it, and checks it in every way there is. */
export async function measureServerLedger(
  { compared, upstream, sizes, folder: parent, log }: BenchRun,
): Promise<Findings> {
  const { sealedCalls: calls } = sizes;
  const folder = await Deno.makeTempDir({ dir: parent });
  await using server = await startPostgres({ isSynced: true });
  await server.create(DATABASE);
  const url = server.url(DATABASE);
  await makeDataDir(["env", `TOLLGATE_DATABASE_URL=${url}`, ...compared.gateway], {
    ...{ path: folder, upstream, size: SMALL_CATALOGUE, isPlain: true },
  });
  const storage = await openPostgresStorage({ url });
  try {
    const rows: Row[] = [];
    const timed = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
      log(`${what}, of ${calls} calls`);
      const before = childTimes(server.pid);
      const begun = performance.now();
      const result = await work();
      const seconds = (performance.now() - begun) / 1000;
      const serverUs = [...childTimes(server.pid)]
        .reduce((sum, [child, us]) => sum + us - (before.get(child) ?? 0), 0);
      rows.push({
        "": what,
        seconds: Number(seconds.toFixed(2)),
        "µs a call": Number((seconds / calls * 1e6).toFixed(2)),
        "server's CPU s": Number((serverUs / 1e6).toFixed(2)),
      });
      return result;
    };
    await storage.beginSession();
    const { models } = SMALL_CATALOGUE;
    await timed("written", () => addCalls(storage, { models, usageRows: calls }));
    await storage.writeSums();
    await server.ask(DATABASE, "VACUUM ANALYZE");
    const clean = async (isDeep = false) => {
      const { differences, checked } = await checkLedger(storage, undefined, { isDeep });
      if (differences.length > 0) throw new Error(JSON.stringify(differences.slice(0, 3)));
      if (checked.calls !== calls) throw new Error(`Checked ${checked.calls} calls only`);
      return checked;
    };
    await timed("verified without seals", clean);
    const sealer = new LedgerSealer({
      stored: { ...storage, seals: storage.seals! },
      slice: SLICE,
      pause: () => Promise.resolve(),
    });
    const sealed = await timed("sealed", () => sealer.seal(Date.now() + 2 * DAY_MS));
    const checked = await timed("verified", clean);
    await timed("verified --deep", () => clean(true));
    const faults = [
      ...FAULTS.map((both) => both.map((sql) => `${sql} WHERE seq = ${Math.floor(calls / 2)}`)),
      ...CALL_FAULTS.map((both) =>
        both.map((sql) =>
          `${sql} WHERE call_id = (SELECT call_id FROM ledger WHERE seq = ${Math.floor(calls / 3)})`
        )
      ),
    ];
    let found = 0;
    await timed(`${faults.length} faults, one after the other`, async () => {
      for (const [alter, back] of faults) {
        await server.ask(DATABASE, alter!);
        if ((await checkLedger(storage)).differences.length > 0) found++;
        await server.ask(DATABASE, back!);
      }
    });
    const bytes = Number(await server.ask(DATABASE, `SELECT pg_database_size('${DATABASE}')`));
    const dropped = await timed("dropped without rests", () =>
      dropOldCalls({
        seals: storage.seals!,
        beforeMs: Date.now() + 2 * DAY_MS,
        pause: () => Promise.resolve(),
      }));
    const rest = await timed("verified after that", () => checkLedger(storage));
    if (rest.differences.length > 0) throw new Error(JSON.stringify(rest.differences.slice(0, 3)));
    return {
      title: `The ledger of ${calls} calls on a PostgreSQL server`,
      rows,
      targets: [
        {
          what: "faults of seven that were found",
          unit: "",
          atLeast: faults.length,
          measured: found,
        },
      ],
      notes: [
        `${sealed.seals} seals, ${checked.seals} of which stood for rows; the database had ` +
        `${Math.round(bytes / 1e6)} MB. ${dropped.calls} calls were dropped at last.`,
      ],
    };
  } finally {
    await storage.close();
  }
}
