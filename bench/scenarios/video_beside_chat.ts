/**
 * Whether chat calls wait while a film renders in the same process.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { inTurn } from "../in_turn.ts";
import { type MeasuredLoad, measureLoad, median, medianRatio } from "../measure_load.ts";
import { untilQuiet } from "../process_stats.ts";
import { MODEL } from "../servers.ts";
import { startVideos } from "../started_videos.ts";
import { RENDERED_MODEL } from "../video_catalogue.ts";

const CALLS_PER_SECOND = 50;
/** Enough that no call waits for another's connection. */
const CONNECTIONS = 8;
const WARM_UP_SECONDS = 2;
/** Takes longer than any load lasts. */
const FILM = {
  model: RENDERED_MODEL,
  prompt: "A lighthouse on a cliff in a thunderstorm, big waves, lightning, zoom in",
  size: "1792x1024",
  seconds: 12,
};

/** Loads with and without a film that renders, in turn. */
export async function measureVideoBesideChat(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  await using started = await startVideos(run, { workers: 1 });
  const { gateway, client, key } = started;
  const load = (seconds: number) =>
    measureLoad(gateway, {
      connections: CONNECTIONS,
      requests: [chatRequest({ model: MODEL, key, stream: false })],
      seconds,
      perSecond: CALLS_PER_SECOND,
    });
  const loadBesideFilm = async () => {
    const { id } = await client.create(FILM);
    await client.until(id, ({ progress }) => progress > 0);
    const measured = await load(sizes.secondsPerLoad);
    const { status } = await client.show(id);
    if (status !== "in_progress") throw new Error(`Cannot measure: the film is ${status} already`);
    await client.delete(id);
    await untilQuiet(gateway.pid);
    return measured;
  };
  await load(WARM_UP_SECONDS);
  const [alone, beside] = await inTurn(sizes.rounds, [
    () => load(sizes.secondsPerLoad),
    loadBesideFilm,
  ]);
  const p50s = (loads: readonly MeasuredLoad[]) => loads.map(({ latency }) => latency.p50Ms);
  const row = (name: string, loads: readonly MeasuredLoad[]) => ({
    "": name,
    "calls/s": median(loads.map(({ perSecond }) => perSecond)),
    "p50 ms": median(p50s(loads)),
    "p99 ms": median(loads.map(({ latency }) => latency.p99Ms)),
  });
  return {
    title: `${CALLS_PER_SECOND} chat calls per second while a film renders`,
    rows: [row("no film", alone), row(`${FILM.size} renders`, beside)],
    targets: [{
      what: `${CALLS_PER_SECOND} chat calls/s while a film renders: p50, ratio to without`,
      unit: "",
      atMost: 2,
      measured: medianRatio(p50s(beside), p50s(alone)),
    }],
    notes: [],
  };
}
