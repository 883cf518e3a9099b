/**
 * Downloads of a large film against a bare file server, and what they leave in memory.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { type MeasuredLoad, measureLoad, median, medianRatio } from "../measure_load.ts";
import { leastMemoryDuring, memoryBytes } from "../process_stats.ts";
import { startVideos } from "../started_videos.ts";
import { LARGE_MODEL } from "../video_catalogue.ts";
import { showVideo, videoRequest } from "../video_client.ts";

const FILM_BYTES = 100_000_000;
const CONNECTIONS = 4;
/** After which memory is looked at, and after as many again. */
const MEMORY_DOWNLOADS = 64;
const REST_MS = 2_000;
/** Far beyond what the downloads need: they are bounded by their number. */
const TIME_LIMIT_SECONDS = 300;

/** Both servers send the same file, in turn. */
export async function measureVideoContent(run: BenchRun): Promise<Findings> {
  const { compared, sizes } = run;
  await using started = await startVideos(run, { filmBytes: FILM_BYTES });
  const { gateway, client, dataDir, key } = started;
  const wish = { model: LARGE_MODEL, prompt: "A long film", size: "640x360", seconds: 4 };
  const { id } = await client.create(wish);
  await client.until(id, ({ status }) => status === "completed");
  const { file } = await showVideo(compared.gateway, { dataDir, id });
  if (file.bytes !== FILM_BYTES) {
    throw new Error(`Cannot measure: the film has ${file.bytes} bytes`);
  }
  const bare = await started.startBare("film", file.path);
  const servers = [
    { name: "bare file server", server: bare, loads: [] as MeasuredLoad[] },
    { name: "gateway", server: gateway, loads: [] as MeasuredLoad[] },
  ];
  const download = (server: typeof bare, count: number) =>
    measureLoad(server, {
      connections: CONNECTIONS,
      requests: [videoRequest("GET", `${id}/content`, key)],
      seconds: TIME_LIMIT_SECONDS,
      maxRequests: count,
    });
  for (const { server } of servers) await download(server, CONNECTIONS);
  for (let round = 0; round < sizes.rounds; round++) {
    for (const { server, loads } of servers) {
      loads.push(await download(server, sizes.videos.downloads));
    }
  }
  const [bareRate, gatewayRate] = servers.map(({ loads }) => loads.map(bytesPerSecond));

  const rest = () =>
    leastMemoryDuring(gateway.pid, new Promise((resolve) => setTimeout(resolve, REST_MS)));
  const before = await rest();
  await download(gateway, MEMORY_DOWNLOADS);
  const between = await rest();
  await download(gateway, MEMORY_DOWNLOADS);
  const after = await rest();
  const loads = servers.flatMap(({ loads }) => loads);
  const generatorShare = Math.max(...loads.map((load) => load.generatorShare));
  return {
    title: `Downloads of a film of ${FILM_BYTES / 1e6} MB, ${CONNECTIONS} connections`,
    rows: servers.map(({ name, server, loads }) => ({
      "": name,
      "MB/s": median(loads.map(bytesPerSecond)) / 1e6,
      "CPU ms/download": median(loads.map(({ cpuUs }) => cpuUs / 1000)),
      "peak MB": memoryBytes(server.pid).peak / 1e6,
    })),
    targets: [
      {
        what: "content download: bytes/s, share of a bare Deno file server's",
        unit: "%",
        atLeast: 50,
        measured: 100 * medianRatio(gatewayRate!, bareRate!),
      },
      {
        what: `memory, growth from ${MEMORY_DOWNLOADS} to ${2 * MEMORY_DOWNLOADS} downloads`,
        unit: "MB",
        atMost: 10,
        measured: (after - between) / 1e6,
      },
    ],
    notes: [
      `Resident memory at rest was ${megabytes(before)} before these downloads, ` +
      `${megabytes(between)} after ${MEMORY_DOWNLOADS} and ${megabytes(after)} after ` +
      `${2 * MEMORY_DOWNLOADS}. The load generator worked ${Math.round(100 * generatorShare)} % ` +
      "of the time.",
    ],
  };
}

function bytesPerSecond({ perSecond }: MeasuredLoad): number {
  return perSecond * FILM_BYTES;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
