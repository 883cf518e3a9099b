/**
 * Whether a call costs more when there are many keys, routes and usage rows.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { fillDatabase } from "../large_database.ts";
import { inTurn } from "../in_turn.ts";
import { type LoadOptions, measureLoad, median, medianRatio } from "../measure_load.ts";
import { memoryBytes } from "../process_stats.ts";
import { makeDataDir, MODEL, SMALL_CATALOGUE, startGateway } from "../servers.ts";

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;

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
  const { path } = await makeDataDir(compared.gateway, {
    path: `${folder}/large`,
    upstream,
    size: large,
  });
  run.log(`Writing ${large.keys} keys and ${large.usageRows} usage rows`);
  const keys = await fillDatabase(path, large);
  await using smallGateway = await startGateway(compared.gateway, small.path);
  await using largeGateway = await startGateway(compared.gateway, path);
  const loadWith = (keys: readonly string[], models: number): LoadOptions => ({
    connections: CONNECTIONS,
    requests: keys.map((key, index) =>
      chatRequest({ model: MODEL.replace("0", String(index % models)), key, stream: false })
    ),
    seconds: sizes.secondsPerLoad,
  });
  const measured = [
    { server: smallGateway, load: loadWith([small.key], 1) },
    { server: largeGateway, load: loadWith(keys, large.models) },
  ];
  for (const { server, load } of measured) {
    await measureLoad(server, { ...load, seconds: WARM_UP_SECONDS });
  }
  const [emptyUs, fullUs] = await inTurn(
    sizes.rounds,
    measured.map(({ server, load }) => async () => (await measureLoad(server, load)).cpuUs),
  );
  return {
    title: "Cost of a plain call on a large database",
    rows: [
      {
        "": "new data dir, 20 routes",
        "CPU µs/call": median(emptyUs!),
        "peak MB": memoryBytes(smallGateway.pid).peak / 1e6,
      },
      {
        "": `${large.keys} keys, ${large.models * large.routesPerModel} routes, ` +
          `${large.usageRows} usage rows`,
        "CPU µs/call": median(fullUs!),
        "peak MB": memoryBytes(largeGateway.pid).peak / 1e6,
      },
    ],
    targets: [{
      what: "cost of a call on a large database, ratio to an empty one",
      unit: "",
      atMost: 1.15,
      measured: medianRatio(fullUs!, emptyUs!),
    }],
    notes: [`The load on the large one takes turns between ${keys.length} keys and all models.`],
  };
}
