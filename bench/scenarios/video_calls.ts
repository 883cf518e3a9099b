/**
 * What creating a task and asking after it cost.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import type { Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
import { type MeasuredLoad, measureLoad, median, medianRatio } from "../measure_load.ts";
import { memoryBytes } from "../process_stats.ts";
import { startVideos } from "../started_videos.ts";
import { QUEUED_MODEL } from "../video_catalogue.ts";
import { createRequest, videoRequest } from "../video_client.ts";

const POLL_CONNECTIONS = 32;
/** Far beyond what the requests need: they are bounded by their number. */
const TIME_LIMIT_SECONDS = 300;
const WARM_UP_SECONDS = 2;
const FILM = {
  model: QUEUED_MODEL,
  prompt: "A red fox runs through falling snow in a pine forest at dawn",
  size: "640x360",
  seconds: 4,
};

/** One connection, one create after the other; the upstream begins none of the films. */
export async function measureVideoCreate(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  await using started = await startVideos(run, { filmBytes: 0 });
  const { gateway, client, key } = started;
  const requests = [createRequest(FILM, key)];
  const createFor = (seconds: number) =>
    measureLoad(gateway, { connections: 1, requests, seconds });
  const deleteAll = async () => {
    const ids = await client.ids();
    return await measureLoad(gateway, {
      connections: 1,
      requests: ids.map((id) => videoRequest("DELETE", id, key)),
      seconds: TIME_LIMIT_SECONDS,
      maxRequests: ids.length,
    });
  };
  await createFor(WARM_UP_SECONDS);
  await deleteAll();
  const [creates, deletes] = await inTurn(sizes.rounds, [
    () => createFor(sizes.secondsPerLoad),
    deleteAll,
  ]);
  const row = (name: string, loads: readonly MeasuredLoad[]) => ({
    "": name,
    "p50 ms": median(loads.map(({ latency }) => latency.p50Ms)),
    "p99 ms": median(loads.map(({ latency }) => latency.p99Ms)),
    "CPU µs": median(loads.map(({ cpuUs }) => cpuUs)),
  });
  const created = row("create → queued", creates);
  return {
    title: "Creating and deleting video tasks, one connection",
    rows: [created, row("delete", deletes)],
    targets: [{
      what: "create → `queued` answer, p50 at one connection",
      unit: "ms",
      atMost: 3,
      measured: created["p50 ms"],
    }],
    notes: [
      `${creates.reduce((sum, { answered }) => sum + answered, 0)} creates as JSON, each on disk ` +
      "with its hold before it is answered; the upstream's jobs stay queued.",
    ],
  };
}

/** A task that waits at its upstream, asked after as fast as the answers come. */
export async function measureVideoPolls(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  await using started = await startVideos(run, { filmBytes: 0 });
  const { gateway, client, dataDir, key } = started;
  const { id } = await client.create(FILM);
  const task = await client.until(id, ({ status }) => status === "in_progress");
  const file = `${dataDir}.answer.json`;
  await Deno.writeTextFile(file, JSON.stringify(task));
  const bare = await started.startBare("json", file);
  const requests = [videoRequest("GET", id, key)];
  const load = (server: Server, seconds = sizes.secondsPerLoad) =>
    measureLoad(server, { connections: POLL_CONNECTIONS, requests, seconds });
  for (const server of [bare, gateway]) await load(server, WARM_UP_SECONDS);
  const [bareLoads, loads] = await inTurn(sizes.rounds, [() => load(bare), () => load(gateway)]);
  return {
    title: `Polls of a video task, ${POLL_CONNECTIONS} connections`,
    rows: [
      { name: "bare Deno.serve", server: bare, loads: bareLoads },
      { name: "gateway", server: gateway, loads },
    ].map(({ name, server, loads }) => ({
      "": name,
      "polls/s": median(loads.map(({ perSecond }) => perSecond)),
      "p50 ms": median(loads.map(({ latency }) => latency.p50Ms)),
      "CPU µs/poll": median(loads.map(({ cpuUs }) => cpuUs)),
      "peak MB": memoryBytes(server.pid).peak / 1e6,
    })),
    targets: [{
      what: "CPU per status poll, ratio to a bare Deno.serve that answers the same JSON",
      unit: "",
      atMost: 3,
      measured: medianRatio(
        loads.map(({ cpuUs }) => cpuUs),
        bareLoads.map(({ cpuUs }) => cpuUs),
      ),
    }],
    notes: [],
  };
}
