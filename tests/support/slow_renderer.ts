/**
 * A renderer whose films are finished when a test says so.
 *
 * @module
 */

import { RenderError } from "@tollgate/render";
import { fakeFilm } from "./fake_video_upstream.ts";
import type { VideoWorld } from "./video_world.ts";

/** What was begun, in order, and how to go on with it. */
export interface SlowRenderer {
  /** Prompts. */
  readonly started: readonly string[];
  readonly finish: (() => void)[];
  readonly progress: readonly ((fraction: number) => void)[];
}

/** A film as the renderer gives it. */
export function renderedFilm() {
  return { film: fakeFilm(), thumbnail: new Uint8Array([1]), frames: 96 };
}

/** Makes a world's renderer wait for the test, or for being told to stop. */
export function slowRenderer(world: VideoWorld): SlowRenderer {
  const started: string[] = [];
  const finish: (() => void)[] = [];
  const progress: ((fraction: number) => void)[] = [];
  world.onRender = (order, run) =>
    new Promise((resolve, reject) => {
      started.push(order.prompt);
      progress.push((fraction) => run?.onProgress?.(fraction));
      finish.push(() => resolve(renderedFilm()));
      run?.signal?.addEventListener("abort", () => reject(new RenderError("stopped", "told to")));
    });
  return { started, finish, progress };
}
