/**
 * What the console's pages take with many calls in the books, and whether calls wait for them, or for
 * the books' check.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { listCalls } from "../../src/admin/list_calls.ts";
import { serverClient } from "../../src/cli/base/control_client.ts";
import type { BenchRun, Findings, Target } from "../bench_run.ts";
import { openConsole, type ReadPage } from "../console_reader.ts";
import { fillDatabase } from "../large_database.ts";
import { inTurn } from "../in_turn.ts";
import { type MeasuredLoad, median, medianRatio } from "../measure_load.ts";
import { makeDataDir, startGateway } from "../servers.ts";
import { CALLS_PER_SECOND, callSteadily, steadyRow } from "../steady_calls.ts";

const WARM_UP_SECONDS = 2;
/** Each page is read so often by itself. */
const READS = 5;
/** Of operators who read beside calls, all together. */
const PAGES_PER_SECOND = 5;

/** Pages alone, then loads alone, beside pages and beside `ledger verify`, in turn. */
export async function measurePages(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes } = run;
  const { pagesOver: calls } = sizes;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  const { path, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream,
    size: { models: 10, routesPerModel: 10 },
  });
  run.log(`Writing ${calls} calls`);
  await fillDatabase(path, { keys: 1_000, models: 10, routesPerModel: 10, usageRows: calls });
  await using gateway = await startGateway(compared.gateway, path);
  const load = (seconds: number) => callSteadily(gateway, key, seconds);
  await load(WARM_UP_SECONDS);
  const admin = serverClient({ socketPath: `${path}/control.sock`, user: undefined });
  const { data: [newest] } = await admin.call(listCalls, { limit: 1 });
  const console = await openConsole(compared.gateway, {
    ...{ gateway, path },
    requestId: newest!.request_id,
  });
  for (const path of console.paths) await console.read(path);
  const rounds = await inTurn(READS, console.paths.map((path) => () => console.read(path)));
  const pages = rounds.map(summary).sort((one, other) => other["p50 ms"] - one["p50 ms"]);
  let next = 0;
  const [alone, besidePages] = await inTurn(sizes.rounds, [
    () => load(sizes.secondsPerLoad),
    () => loadBeside(() => console.read(console.paths[next++ % console.paths.length]!), run, load),
  ]);
  let isChecked = false;
  const begun = performance.now();
  const check = admin.call(verifyLedger, {}).finally(() => isChecked = true);
  // Whoever waits for it is told below.
  check.catch(() => {});
  const besideCheck: MeasuredLoad[] = [];
  while (!isChecked && besideCheck.length < sizes.rounds) {
    besideCheck.push(await load(sizes.secondsPerLoad));
  }
  const { differences } = await check;
  if (differences.length > 0) {
    throw new Error(`The books differ: ${JSON.stringify(differences[0])}`);
  }
  const checkSeconds = (performance.now() - begun) / 1000;
  const rows = [
    steadyRow("nothing else", alone),
    steadyRow(`${PAGES_PER_SECOND} pages per second`, besidePages),
    steadyRow("`ledger verify` of all of them", besideCheck),
  ];
  const told = pages.map((page) =>
    `${page.page} ${page["p50 ms"].toFixed(0)} (${page["slowest ms"].toFixed(0)})`
  );
  return {
    title: `${CALLS_PER_SECOND} calls per second, with ${calls} calls in the books, beside`,
    rows,
    targets: [
      {
        what: `the slowest of ${pages.length} pages over ${calls} calls, p50`,
        unit: " ms",
        atMost: 200,
        measured: pages[0]!["p50 ms"],
      },
      ratioTarget("pages", besidePages, alone),
      ratioTarget("ledger verify", besideCheck, alone),
    ],
    notes: [
      `Pages by themselves, p50 of ${READS} in ms, and the slowest: ${told.join(", ")}.`,
      `The check took ${checkSeconds.toFixed(0)} s.`,
    ],
  };
}

/** A load, and pages beside it. */
async function loadBeside(
  work: () => Promise<unknown>,
  { sizes }: BenchRun,
  load: (seconds: number) => Promise<MeasuredLoad>,
): Promise<MeasuredLoad> {
  let isOver = false;
  const worked = (async () => {
    while (!isOver) {
      const next = delay(1000 / PAGES_PER_SECOND);
      await work();
      await next;
    }
  })();
  const measured = await load(sizes.secondsPerLoad).finally(() => isOver = true);
  await worked;
  return measured;
}

function summary(reads: readonly ReadPage[]) {
  return {
    page: `/console${reads[0]!.path}`,
    "p50 ms": median(reads.map(({ milliseconds }) => milliseconds)),
    "slowest ms": Math.max(...reads.map(({ milliseconds }) => milliseconds)),
  };
}

function ratioTarget(
  what: string,
  beside: readonly MeasuredLoad[],
  alone: readonly MeasuredLoad[],
): Target {
  const p99s = (loads: readonly MeasuredLoad[]) => loads.map(({ latency }) => latency.p99Ms);
  return {
    what: `${CALLS_PER_SECOND} calls/s beside ${what}: p99, ratio to without`,
    unit: "",
    atMost: 2,
    measured: medianRatio(p99s(beside), p99s(alone)),
  };
}
