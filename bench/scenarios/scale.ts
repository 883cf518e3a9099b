/**
 * Whether a call costs more when there are many keys, routes and past calls.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { costOf } from "../call_costs.ts";
import { chatRequest } from "../chat_requests.ts";
import { makeLargeDataDir } from "../large_database.ts";
import { inTurn } from "../in_turn.ts";
import { firstQuartile, type LoadOptions, measureLoad, median } from "../measure_load.ts";
import { memoryBytes } from "../process_stats.ts";
import { makeDataDir, MODEL, SMALL_CATALOGUE, startGateway } from "../servers.ts";

const CONNECTIONS = 32;
const SLICE_SECONDS = 1;
/** Far beyond what warming up takes: it is bounded by its calls. */
const WARM_UP_SECONDS = 300;

/** Two gateways in turn: one on a new data dir, one on a large one. */
export async function measureScale(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes } = run;
  const { large } = sizes;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  const small = await makeDataDir(compared.gateway, {
    path: `${folder}/small`,
    upstream,
    size: SMALL_CATALOGUE,
  });
  const path = `${folder}/large`;
  run.log(`Looking for ${large.keys} keys and ${large.usageRows} calls, or writing them`);
  const keys = await makeLargeDataDir(compared.gateway, { path, upstream, sizes: large });
  await using smallGateway = await startGateway(compared.gateway, small.path);
  await using largeGateway = await startGateway(compared.gateway, path);
  const loadWith = (keys: readonly string[], models: number): LoadOptions => ({
    connections: CONNECTIONS,
    requests: keys.map((key, index) =>
      chatRequest({ model: MODEL.replace("0", String(index % models)), key, stream: false })
    ),
    seconds: SLICE_SECONDS,
  });
  const measured = [
    { server: smallGateway, load: loadWith([small.key], 1) },
    { server: largeGateway, load: loadWith(keys, large.models) },
  ];
  for (const { server, load } of measured) {
    const warmUp = { seconds: WARM_UP_SECONDS, maxRequests: sizes.warmUpCalls };
    await measureLoad(server, { ...load, ...warmUp });
  }
  const [empty, full] = await inTurn(
    sizes.slices,
    measured.map(({ server, load }) => async () =>
      (await costOf(server, { upstream, load })).cpu.all
    ),
  ) as [number[], number[]];
  return {
    title: "Cost of a plain call on a large database",
    rows: [
      {
        "": "new data dir, 20 routes",
        ...costColumns(empty),
        "peak MB": memoryBytes(smallGateway.pid).peak / 1e6,
      },
      {
        "": `${large.keys} keys, ${large.models * large.routesPerModel} routes, ` +
          `${large.usageRows} calls`,
        ...costColumns(full),
        "peak MB": memoryBytes(largeGateway.pid).peak / 1e6,
      },
    ],
    targets: [{
      what: "cost of a call on a large database, ratio to an empty one",
      unit: "",
      atMost: 1.1,
      aim: 1,
      measured: firstQuartile(full) / firstQuartile(empty),
    }],
    notes: [
      `CPU time by the scheduler, ${sizes.slices} slices of 1 s of each, in turn. The load on the ` +
      `large one takes turns between ${keys.length} keys and all models.`,
    ],
  };
}

function costColumns(us: readonly number[]) {
  return { "CPU µs/call, first quartile": firstQuartile(us), "median": median(us) };
}
