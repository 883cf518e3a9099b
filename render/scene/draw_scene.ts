/**
 * Draws a scene as the frames of a film.
 *
 * @module
 */
import type { Frame } from "../frame.ts";
import { drawForeground, drawPlace } from "./backdrop/draw_place.ts";
import type { Scene } from "./scene.ts";
import { Stage } from "./stage/stage.ts";
import { castOf } from "./subjects/cast.ts";
import { drawSubjects } from "./subjects/draw_subjects.ts";
import { drawWeather } from "./weather/draw_weather.ts";

/** Draws the frames of one film, in any order; every pixel of the frame is written. */
export interface SceneDrawer {
  /**
   * Draws frame `index`, 0 to `frames - 1`.
   *
   * @throws {RangeError} when the frame has not the film's size
   */
  draw(index: number, frame: Frame): void;
}

/** Prepares to draw `scene` as a film of so many frames, each `width` by `height` pixels. */
export function createSceneDrawer(
  scene: Scene,
  film: { readonly width: number; readonly height: number; readonly frames: number },
): SceneDrawer {
  const stage = new Stage(scene, film);
  const actors = castOf(stage);
  return {
    draw(index: number, frame: Frame): void {
      if (frame.width !== film.width || frame.height !== film.height) {
        throw new RangeError(
          `Cannot draw a ${film.width}x${film.height} film into a frame of ` +
            `${frame.width}x${frame.height}: give a frame of the film's size`,
        );
      }
      stage.begin(index, frame);
      drawPlace(stage);
      drawSubjects(stage, actors);
      drawForeground(stage);
      drawWeather(stage);
    },
  };
}
