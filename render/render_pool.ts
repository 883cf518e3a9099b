/**
 * The renderer as the rest of the gateway sees it: films and checks of images, made in Workers.
 *
 * @module
 */

import { attachedCaptionFont } from "./caption/caption_font.ts";
import type { FilmOrder, RenderedFilm } from "./film_order.ts";
import { ImageError } from "./images/image_error.ts";
import { type ImageFacts, MAX_IMAGE_PIXELS } from "./images/image_facts.ts";
import { inspectImage } from "./images/inspect_image.ts";
import { RenderError } from "./render_error.ts";
import type { RenderOutcome, RenderRun } from "./render_worker.ts";
import { WorkerLane } from "./worker_lane.ts";

/** Makes films and checks images without holding up this thread. */
export interface RenderPool {
  /** Films that would be started at once. */
  readonly free: number;
  /** Workers that were given up on so far. */
  readonly abandoned: number;
  /** Those among them whose threads have not ended since, and may use a processor for ever. */
  readonly lingering: number;
  /**
   * Renders one film; waits for a free Worker if need be.
   *
   * @throws the signal's reason once it is aborted.
   * @throws {ImageError} when the reference cannot be used.
   * @throws {RenderError} when the film was not made for another reason.
   */
  render(order: FilmOrder, run?: RenderRun): Promise<RenderedFilm>;
  /**
   * Decodes an image to see that a film can use it. Films do not hold it up; checks wait for each
   * other, in the order they come.
   *
   * @throws {ImageError} when a film cannot use it.
   * @throws {RenderError} when that could not be found out.
   */
  check(bytes: Uint8Array): Promise<ImageFacts>;
  /** Stops every film and ends the Workers. */
  close(): Promise<void>;
}

/** How many Workers there are and how they are watched. */
export interface RenderPoolOptions {
  /** Films made at one time. */
  readonly workers: number;
  /** Told with a sentence for the log whenever a Worker is given up on. */
  readonly onAbandoned: (reason: string) => void;
  /** A Worker that sends nothing for so long while it works is abandoned. */
  readonly silenceMs?: number;
  /** So is one that goes on for so long after it was told to stop. */
  readonly stopMs?: number;
  /** An idle Worker is ended after so long, and its memory given back. */
  readonly idleMs?: number;
  /** The Workers' module; by default the renderer's own. */
  readonly entry?: URL;
}

/** A pool without a single Worker yet: they are started when there is work. */
export function createRenderPool(options: RenderPoolOptions): RenderPool {
  let abandoned = 0;
  let ended = 0;
  const worker = {
    entry: options.entry ?? workerAddress(),
    silenceMs: options.silenceMs ?? 20_000,
    stopMs: options.stopMs ?? 5_000,
    onAbandoned(reason: string) {
      abandoned++;
      options.onAbandoned(reason);
    },
    onEnded: () => void ended++,
  };
  const idleMs = options.idleMs ?? 30_000;
  const films = new WorkerLane({
    ...{ workers: options.workers, idleMs },
    worker: { ...worker, font: attachedCaptionFont },
  });
  const checks = new WorkerLane({ workers: 1, idleMs, worker });
  return {
    get free() {
      return films.free;
    },
    get abandoned() {
      return abandoned;
    },
    get lingering() {
      return abandoned - ended;
    },
    async render(order, run) {
      const outcome = await films.run({ render: order }, run);
      if ("film" in outcome) return outcome.film;
      throw refusal(outcome);
    },
    async check(bytes) {
      const facts = inspectImage(bytes);
      if (facts === undefined) throw new ImageError("not_an_image");
      if (facts.width * facts.height > MAX_IMAGE_PIXELS) throw new ImageError("too_large");
      // A message carries the whole buffer that a view lies in: here perhaps a whole upload.
      const outcome = await checks.run({ check: bytes.slice() });
      if ("usable" in outcome) return facts;
      throw refusal(outcome);
    },
    async close() {
      await Promise.all([films.close(), checks.close()]);
    },
  };
}

/** The bundler names a Worker's file after its path, and puts it beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./render_worker.js", import.meta.url);
}

function refusal(outcome: RenderOutcome): Error {
  if ("badImage" in outcome) return new ImageError(outcome.badImage);
  if ("failed" in outcome) return new RenderError("failed", outcome.failed);
  return new RenderError("stopped", "The film was stopped");
}
