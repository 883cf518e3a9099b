/**
 * The render Worker: an order in, progress and a film out. It opens neither the database nor the
 * network.
 *
 * @module
 */

import { parentPort, workerData } from "node:worker_threads";
import { ownCaptionFont } from "./caption/caption_font.ts";
import type { FilmOrder } from "./film_order.ts";
import { ImageError } from "./images/image_error.ts";
import { decodeImage } from "./images/decode_image.ts";
import { RenderError } from "./render_error.ts";
import { renderFilm } from "./render_film.ts";
import type { RenderJob, RenderReply, RenderWorkerStart } from "./worker_protocol.ts";

const port = parentPort!;
const start = workerData as RenderWorkerStart;
const stop = new Int32Array(start.stop);

port.on("message", async (job: RenderJob) => {
  try {
    if ("render" in job) await render(job.job, job.render);
    else await check(job.check);
  } catch (error) {
    reply(refusal(error));
  }
});

async function render(job: number, order: FilmOrder): Promise<void> {
  const film = await renderFilm(order, {
    onProgress: reply,
    stopped: () => Atomics.load(stop, 0) === job,
    font: start.font && ownCaptionFont(start.font),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  });
  reply({ film }, [film.film.buffer, film.thumbnail.buffer]);
}

async function check(image: Uint8Array): Promise<void> {
  await decodeImage(image);
  reply({ usable: true });
}

function refusal(error: unknown): RenderReply {
  if (error instanceof ImageError) return { badImage: error.kind };
  if (error instanceof RenderError && error.kind === "stopped") return { stopped: true };
  if (error instanceof RenderError) return { failed: error.message };
  return { crash: error instanceof Error ? error.stack ?? error.message : String(error) };
}

function reply(message: RenderReply, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}
