/**
 * Makes films here, with the built-in renderer.
 *
 * @module
 */

import {
  type FilmOrder,
  ImageError,
  type RenderedFilm,
  RenderError,
  type RenderPool,
} from "@tollgate/render";
import { parseFilmFaults } from "@tollgate/render/faults";
import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import { readVideoSize } from "../../domain/video_size.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Attempt } from "../task/attempt.ts";
import type { ContentFiles } from "../files/content_files.ts";
import type { FilmStore } from "../files/film_store.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";
import { type AttemptEnd, type Executor, STOPPED } from "./executor.ts";

/** What rendering needs. */
export interface LocalExecutorOptions {
  readonly pool: Pick<RenderPool, "render">;
  readonly files: Pick<ContentFiles, "openPart" | "writeThumbnail">;
  readonly films: Pick<FilmStore, "readReference">;
  readonly catalogue: CatalogueHolder;
  readonly onEvent: OnRunnerEvent;
}

/** The pool gives up a Worker that is silent much sooner: this is for a pool that is. */
const SILENCE_MS = 120_000;

/** An executor over a pool of Workers. */
export function createLocalExecutor(options: LocalExecutorOptions): Executor {
  return { run: (attempt) => render(options, attempt) };
}

async function render(options: LocalExecutorOptions, attempt: Attempt): Promise<AttemptEnd> {
  const { pool, catalogue, files, films } = options;
  const { task, signal } = attempt;
  const route = catalogue.current.route(task.route);
  if (route === undefined) return { kind: "postponed", waitMs: 1_000, why: "route_gone" };
  attempt.expectSigns(SILENCE_MS);
  let rendered: RenderedFilm;
  try {
    const order = await orderOf(task, { films, upstreamModel: route.upstreamModel });
    rendered = await pool.render(order, {
      signal,
      onProgress: (fraction) => attempt.progress(fraction * 100),
    });
  } catch (error) {
    if (attempt.stopped !== undefined) return STOPPED;
    return endOf(error, { attempt, onEvent: options.onEvent });
  }
  if (attempt.stopped !== undefined) return STOPPED;
  return await write(rendered, { attempt, files });
}

/** @throws {RangeError} When the route names a fault, or the task a size, that does not exist. */
async function orderOf(
  { id, prompt, size, seconds, referenceType }: VideoTask,
  { films, upstreamModel }: Pick<LocalExecutorOptions, "films"> & {
    readonly upstreamModel: string;
  },
): Promise<FilmOrder> {
  const read = readVideoSize(size);
  if (read === undefined) throw new RangeError(`Cannot make a film of size '${size}'`);
  return {
    prompt,
    ...read,
    seconds,
    faults: parseFilmFaults(upstreamModel),
    ...(referenceType === undefined ? {} : { reference: await films.readReference(id) }),
  };
}

async function write(
  { film, thumbnail }: RenderedFilm,
  { attempt, files }: Pick<LocalExecutorOptions, "files"> & { readonly attempt: Attempt },
): Promise<AttemptEnd> {
  const { task: { id } } = attempt;
  using undo = new DisposableStack();
  const part = undo.adopt(await files.openPart(id), (opened) => opened.close());
  await part.write(film);
  const hasThumbnail = thumbnail.length > 0;
  if (hasThumbnail) await files.writeThumbnail(id, thumbnail);
  undo.move();
  return { kind: "content", part, hasThumbnail };
}

/** A film that broke the renderer once will do so again: it is not tried a second time. */
function endOf(
  error: unknown,
  { attempt, onEvent }: { readonly attempt: Attempt; readonly onEvent: OnRunnerEvent },
): AttemptEnd {
  if (error instanceof ImageError) {
    return { kind: "hopeless", code: "invalid_value", message: error.message };
  }
  if (!(error instanceof RenderError)) throw error;
  const code = "video_generation_failed";
  switch (error.kind) {
    case "failed":
      return { kind: "hopeless", code, message: error.message };
    case "crashed":
      onEvent({
        kind: "attempt_failed",
        failures: attempt.task.failures + 1,
        error: new UpstreamError("broken", error.message, { cause: error.cause }),
        ...attempt.name,
      });
      return {
        kind: "hopeless",
        code,
        message: "The renderer crashed while it made this film: create it again, or change it",
      };
    case "abandoned":
      onEvent({ kind: "abandoned_worker", message: error.message, ...attempt.name });
      return {
        kind: "hopeless",
        code,
        message: "The renderer stopped answering while it made this film and was given up on: " +
          "create it again, or change it",
      };
    case "stopped":
      return {
        kind: "broken",
        error: new UpstreamError("broken", "The renderer was closed", { cause: error }),
        dropsJob: false,
      };
  }
}
