/**
 * What a call costs where several threads serve, by thread, and how many calls would come of that
 * where each thread had a processor to itself: the main thread settles all of them, the others share
 * the rest.
 *
 * @module
 */

import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { measureCallCosts } from "../call_costs.ts";
import { LATE_CALL, PLAIN_CALL, STREAMED_CALL } from "../call_kinds.ts";
import type { Contestant } from "../contestants.ts";
import { firstQuartile } from "../measure_load.ts";
import { makeDataDir, SMALL_CATALOGUE, startGateway } from "../servers.ts";

const THREADS = [1, 2, 4];
/** For how many serving threads the calls are worked out. */
const SIMULATED = [2, 4, 8];

export async function measureThreads(run: BenchRun): Promise<Findings> {
  const folder = await Deno.makeTempDir({ dir: run.folder });
  const command = run.compared.gateway;
  await using stack = new AsyncDisposableStack();
  const contestants: Contestant[] = [];
  for (const threads of THREADS) {
    const { path, key } = await makeDataDir(command, {
      path: `${folder}/threads_${threads}`,
      upstream: run.upstream,
      size: SMALL_CATALOGUE,
      isPlain: true,
    });
    const server = stack.use(await startGateway(command, path, ["--threads", String(threads)]));
    contestants.push({ name: "now", server, key });
  }
  const rows: Row[] = [];
  for (const kind of [PLAIN_CALL, LATE_CALL, STREAMED_CALL]) {
    const found = await measureCallCosts(run, { contestants, kind });
    const costs = found.map(({ costs }) => ({
      main: firstQuartile(costs.map(({ cpu }) => cpu.main)),
      Workers: firstQuartile(costs.map(({ cpu }) => cpu.Workers)),
      all: firstQuartile(costs.map(({ cpu }) => cpu.all)),
    }));
    const [alone] = costs;
    for (const [index, { main, Workers, all }] of costs.entries()) {
      const threads = THREADS[index]!;
      // The writer is a Worker too: it does for each call what it does beside one thread.
      const serving = threads === 1 ? main : Workers - alone!.Workers;
      const busiest = (count: number) => threads === 1 ? main : Math.max(main, serving / count);
      rows.push({
        "": `${kind.name}: ${threads}`,
        "main, µs": main,
        "serving, µs": serving,
        "all, µs": all,
        ...Object.fromEntries(
          SIMULATED.map((count) => [`× with ${count}`, alone!.main / busiest(count)]),
        ),
      });
    }
  }
  return {
    title: "Serving threads",
    rows,
    targets: [],
    notes: [
      `First quartiles of ${run.sizes.slices} slices of 1 s of each, in turn. "Serving" is what a ` +
      "call costs in the thread that serves it, with 1 the main thread's own. “× with N” is how many " +
      "times as many calls N serving threads take as one thread, with a processor for each thread: " +
      "the busiest of them is the bound. On a machine with fewer processors threads disturb one " +
      "another, which makes the figures worse than they are where each has its own.",
    ],
  };
}
