/**
 * Whether calls wait while a report is added up from many rows, and how long that
 * takes.
 *
 * @module
 */

import { reportUsage } from "../../src/admin/usage.ts";
import { serverClient } from "../../src/cli/base/control_client.ts";
import type { BenchRun, Findings } from "../bench_run.ts";
import { inTurn } from "../in_turn.ts";
import { type MeasuredLoad, medianRatio } from "../measure_load.ts";
import { cpuMicroseconds, memoryBytes } from "../process_stats.ts";
import { makeDataDir, SMALL_CATALOGUE, startGateway } from "../servers.ts";
import { CALLS_PER_SECOND, callSteadily, steadyRow } from "../steady_calls.ts";
import { makeUsageDataDir } from "../usage_rows.ts";

const WARM_UP_SECONDS = 2;

/** Loads with and without reports, one after the other without a break, in turn. */
export async function measureUsageReport(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes } = run;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  run.log(`Providing ${sizes.reportedRows} usage rows`);
  const wereKept = await makeUsageDataDir(`${folder}/data`, sizes.reportedRows);
  if (wereKept) run.log("They are of a run before");
  const { path, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream,
    size: SMALL_CATALOGUE,
  });
  await using gateway = await startGateway(compared.gateway, path);
  const report = () =>
    serverClient({ socketPath: `${path}/control.sock`, user: undefined }).call(reportUsage, {
      by: ["project", "model"],
    });
  const load = (seconds: number) => callSteadily(gateway, key, seconds);
  const loadBesideReports = async () => {
    let isOver = false;
    const reports = (async () => {
      while (!isOver) await report();
    })();
    const measured = await load(sizes.secondsPerLoad);
    isOver = true;
    await reports;
    return measured;
  };
  await load(WARM_UP_SECONDS);
  const [alone, beside] = await inTurn(sizes.rounds, [
    () => load(sizes.secondsPerLoad),
    loadBesideReports,
  ]);
  const lone = await measureLoneReport(gateway.pid, report);
  const p99s = (loads: readonly MeasuredLoad[]) => loads.map(({ latency }) => latency.p99Ms);
  return {
    title:
      `${CALLS_PER_SECOND} calls per second beside reports on ${sizes.reportedRows} usage rows`,
    rows: [steadyRow("no report", alone), steadyRow("a report by project and model", beside)],
    targets: [{
      what: `${CALLS_PER_SECOND} calls/s beside a report on ${sizes.reportedRows} usage rows: ` +
        "p99, ratio to without",
      unit: "",
      atMost: 2,
      measured: medianRatio(p99s(beside), p99s(alone)),
    }],
    notes: [lone],
  };
}

/** What a report takes when nobody calls. */
async function measureLoneReport(
  pid: number,
  report: () => Promise<Awaited<ReturnType<typeof reportUsage.run>>>,
): Promise<string> {
  const before = { cpuUs: cpuMicroseconds(pid), at: performance.now() };
  const { data, cut } = await report();
  const seconds = (performance.now() - before.at) / 1000;
  const cpuSeconds = (cpuMicroseconds(pid) - before.cpuUs) / 1e6;
  const end = cut === null ? "whole" : `cut (${cut.reason}${cut.from ? ` at ${cut.from}` : ""})`;
  return `A report without calls beside it took ${seconds.toFixed(1)} s and ` +
    `${cpuSeconds.toFixed(1)} s of CPU time, and had ${data.length} lines, ${end}; the process ` +
    `had at most ${Math.round(memoryBytes(pid).peak / 1e6)} MB.`;
}
