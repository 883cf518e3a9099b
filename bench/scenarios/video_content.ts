/**
 * Downloads of a large film against a bare file server, and what they leave in memory.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import type { Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
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
  const download = (server: Server, count = sizes.videos.downloads) =>
    measureLoad(server, {
      connections: CONNECTIONS,
      requests: [videoRequest("GET", `${id}/content`, key)],
      seconds: TIME_LIMIT_SECONDS,
      maxRequests: count,
    });
  for (const server of [bare, gateway]) await download(server, CONNECTIONS);
  const [bareLoads, loads] = await inTurn(sizes.rounds, [
    () => download(bare),
    () => download(gateway),
  ]);

  const rest = () =>
    leastMemoryDuring(gateway.pid, new Promise((resolve) => setTimeout(resolve, REST_MS)));
  const before = await rest();
  await download(gateway, MEMORY_DOWNLOADS);
  const between = await rest();
  await download(gateway, MEMORY_DOWNLOADS);
  const after = await rest();
  const generatorShare = Math.max(
    ...[...bareLoads, ...loads].map((load) => load.generatorShare),
  );
  return {
    title: `Downloads of a film of ${FILM_BYTES / 1e6} MB, ${CONNECTIONS} connections`,
    rows: [
      { name: "bare file server", server: bare, loads: bareLoads },
      { name: "gateway", server: gateway, loads },
    ].map(({ name, server, loads }) => ({
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
        measured: 100 * medianRatio(loads.map(bytesPerSecond), bareLoads.map(bytesPerSecond)),
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
