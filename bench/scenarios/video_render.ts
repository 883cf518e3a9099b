/**
 * How long the built-in renderer takes for a film, with one Worker and nothing else to do.
 *
 * @module
 */

import type { BenchRun, Findings, Row, Target } from "../bench_run.ts";
import { median } from "../measure_load.ts";
import { cpuMicroseconds, memoryBytes, untilQuiet } from "../process_stats.ts";
import { type StartedVideos, startVideos } from "../started_videos.ts";
import { RENDERED_MODEL } from "../video_catalogue.ts";
import { showVideo } from "../video_client.ts";

const SECONDS = 4;
const SIZES = [{ size: "640x360", atMost: 4 }, { size: "1280x720", atMost: 12 }];

/** Scenes with little and much in them, in type of several lengths. */
const PROMPTS = [
  "A red fox runs through falling snow in a pine forest at dawn, the camera follows",
  "Rain over a neon city at night, reflections on wet streets, slow pan to the left",
  "Three yellow balloons rise over green hills on a sunny summer morning",
  "A lighthouse on a cliff in a thunderstorm, big waves, lightning, zoom in",
  "Autumn leaves fall on a quiet lake with mountains and a small blue boat",
  "Stars",
];

/** What one film took. */
interface Film {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
}

/** Renders films one after the other; the slowest counts. */
export async function measureVideoRender(run: BenchRun): Promise<Findings> {
  await using started = await startVideos(run, { workers: 1 });
  await untilQuiet(started.gateway.pid);
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const { size, atMost } of SIZES) {
    const films: Film[] = [];
    for (const prompt of PROMPTS.slice(0, run.sizes.videos.prompts)) {
      films.push(await renderFilm(run, started, { size, prompt }));
    }
    const slowest = Math.max(...films.map(({ seconds }) => seconds));
    rows.push({
      "": `${size}, ${SECONDS} s`,
      "films": films.length,
      "median s": median(films.map(({ seconds }) => seconds)),
      "slowest s": slowest,
      "CPU s": median(films.map(({ cpuSeconds }) => cpuSeconds)),
      "film MB": median(films.map(({ bytes }) => bytes / 1e6)),
      "peak MB": memoryBytes(started.gateway.pid).peak / 1e6,
    });
    targets.push({
      what: `${size}, ${SECONDS} s at 24 frames/s, rendered by one Worker, slowest`,
      unit: "s",
      atMost,
      measured: slowest,
    });
  }
  return {
    title: "Rendering of films",
    rows,
    targets,
    notes: ["From a task's first claim to its completion, each film of another prompt."],
  };
}

async function renderFilm(
  { compared }: BenchRun,
  { gateway, client, dataDir }: StartedVideos,
  { size, prompt }: { readonly size: string; readonly prompt: string },
): Promise<Film> {
  const cpuBeforeUs = cpuMicroseconds(gateway.pid);
  const { id } = await client.create({ model: RENDERED_MODEL, prompt, size, seconds: SECONDS });
  await client.until(id, ({ status }) => status === "completed");
  const cpuSeconds = (cpuMicroseconds(gateway.pid) - cpuBeforeUs) / 1e6;
  const shown = await showVideo(compared.gateway, { dataDir, id });
  const tookMs = Date.parse(shown.completed_at) - Date.parse(shown.started_at);
  return { seconds: tookMs / 1000, cpuSeconds, bytes: shown.file.bytes };
}
