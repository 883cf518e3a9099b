/**
 * Whether every answered call is in the books after full load, also when the process is killed the
 * moment its last answer is out.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { type Command, runToEnd } from "../child_process.ts";
import { measureLoad } from "../measure_load.ts";
import { MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;

/** Compares what clients saw with what the ledger says. */
export async function measureAccounting(run: BenchRun): Promise<Findings> {
  const counts = [];
  for (const stream of [false, true]) counts.push(await countRows(run, stream));
  const seconds = run.sizes.accountingSeconds;
  return {
    title: `Accounting after ${seconds} s at full load and a kill -9`,
    rows: counts.map(({ kind, answered, settled, differences }) => ({
      "": kind,
      "calls answered": answered,
      "calls in the books": settled,
      "missing": answered - settled,
      "differences in the ledger": differences,
    })),
    targets: counts.map(({ kind, answered, settled, differences }) => ({
      what: `accounting rows missing after ${seconds} s at full load, ${kind}`,
      unit: "",
      atMost: 0,
      measured: Math.abs(answered - settled) + differences,
    })),
    notes: [],
  };
}

async function countRows(run: BenchRun, stream: boolean) {
  await using started = await startCompared(run);
  const { gateway, dataDir, key } = started;
  const { answered } = await measureLoad(gateway, {
    connections: CONNECTIONS,
    requests: [chatRequest({ model: MODEL, key, stream })],
    seconds: run.sizes.accountingSeconds,
  });
  await gateway.end("SIGKILL");
  const usage = JSON.parse(await tollgate(run.compared.gateway, dataDir, "usage", "report"));
  const verified = await tollgate(run.compared.gateway, dataDir, "ledger", "verify");
  return {
    kind: stream ? "streamed" : "plain",
    answered,
    settled: usage.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0),
    differences: JSON.parse(verified).differences.length,
  };
}

function tollgate(gateway: Command, dataDir: string, ...command: string[]): Promise<string> {
  return runToEnd([...gateway, ...command, "--json", "--data-dir", dataDir]);
}
