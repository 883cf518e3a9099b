/**
 * Whether calls wait while a million others are archived, and how long that takes.
 *
 * @module
 */

import { archiveCalls } from "../../src/admin/archives/archive_calls.ts";
import { serverClient } from "../../src/cli/base/control_client.ts";
import type { BenchRun, Findings } from "../bench_run.ts";
import type { MeasuredLoad } from "../measure_load.ts";
import { makePastDataDir } from "../past_calls.ts";
import { cpuMicroseconds } from "../process_stats.ts";
import { SMALL_CATALOGUE, startGateway } from "../servers.ts";
import { CALLS_PER_SECOND, callSteadily, steadyRow } from "../steady_calls.ts";

const WARM_UP_SECONDS = 2;

/** Loads before an archiving, without a break beside it, and after it. */
export async function measureCallsArchive(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes } = run;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  run.log(`Providing ${sizes.archivedCalls} calls of closed months`);
  const { path, key, before } = await makePastDataDir(compared.gateway, {
    calls: sizes.archivedCalls,
    path: `${folder}/data`,
    upstream,
    size: SMALL_CATALOGUE,
  });
  await using gateway = await startGateway(compared.gateway, path);
  const load = (seconds: number) => callSteadily(gateway, key, seconds);
  await load(WARM_UP_SECONDS);
  const loads = async (count: number) => {
    const found: MeasuredLoad[] = [];
    while (found.length < count) found.push(await load(sizes.secondsPerLoad));
    return found;
  };
  const alone = await loads(sizes.rounds);
  const begun = { at: performance.now(), cpuUs: cpuMicroseconds(gateway.pid) };
  const seconds = () => (performance.now() - begun.at) / 1000;
  let tookSeconds: number | undefined;
  const file = `${folder}/calls.archive`;
  const archiving = serverClient({ socketPath: `${path}/control.sock`, user: undefined })
    .call(archiveCalls, { before, file, dry_run: false }).finally(() => tookSeconds = seconds());
  // Whoever waits for it is told below.
  archiving.catch(() => {});
  const beside: MeasuredLoad[] = [];
  while (tookSeconds === undefined) beside.push(await load(sizes.secondsPerLoad));
  const { calls, ledger_rows: ledgerRows, bytes } = await archiving;
  if (calls !== sizes.archivedCalls) throw new Error(`Archived ${calls} calls only`);
  const cpuSeconds = (cpuMicroseconds(gateway.pid) - begun.cpuUs) / 1e6;
  alone.push(...await loads(sizes.rounds));
  const rows = [steadyRow("before and after it", alone), steadyRow("beside it", beside)] as const;
  return {
    title: `${CALLS_PER_SECOND} calls per second beside the archiving of ${sizes.archivedCalls}`,
    rows,
    targets: [{
      what:
        `${CALLS_PER_SECOND} calls/s beside the archiving of ${calls} calls: p99, ratio to without`,
      unit: "",
      atMost: 2,
      measured: rows[1]["p99 ms"] / rows[0]["p99 ms"],
    }],
    notes: [
      `${calls} calls and ${ledgerRows} ledger rows took ${tookSeconds.toFixed(1)} s, ` +
      `${
        Math.round((calls + ledgerRows) / tookSeconds)
      } rows per second, until they were dropped and ` +
      `their sums compacted; the file has ${Math.round((bytes ?? 0) / 1e6)} MB. The process took ` +
      `${cpuSeconds.toFixed(1)} s of CPU time meanwhile, for calls too. Medians of loads of ` +
      `${sizes.secondsPerLoad} s: ${alone.length} without it, ${beside.length} beside it.`,
    ],
  };
}
