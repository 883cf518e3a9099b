/**
 * The stage of one film: world coordinates, the camera over time, and layers at depths.
 *
 * World units: 1 is about the shorter side of the picture; x is 0 at the middle, y is 0 at the
 * horizon and grows downwards.
 *
 * @module
 */
import { FRAMES_PER_SECOND } from "../../film_order.ts";
import { Canvas } from "../canvas/canvas.ts";
import type { Frame } from "../../frame.ts";
import type { Transform } from "../canvas/outline.ts";
import { mixColour } from "../canvas/colour.ts";
import type { Scene } from "../scene.ts";
import { type Palette, paletteOf } from "./palette.ts";

/** The world rectangle that a layer shows. */
export interface View {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The moment a frame shows. */
export interface Moment {
  /** Seconds since the film's start. */
  readonly seconds: number;
  /** 0 at the first frame, 1 at the last. */
  readonly progress: number;
}

/** Where and how the camera looks. */
interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Everything a drawing needs to know about where, when and how it draws. */
export class Stage {
  readonly canvas: Canvas;
  readonly scene: Scene;
  readonly palette: Palette;
  /** Pixels of one world unit. */
  readonly unit: number;
  /** World y of the subject's feet. */
  readonly ground: number;
  /** World x of the picture's right edge while the camera rests. */
  readonly halfWidth: number;
  /** World y of the picture's edges while the camera rests. */
  readonly top: number;
  readonly bottom: number;
  readonly #film: { readonly width: number; readonly height: number; readonly frames: number };
  readonly #horizon: number;
  #moment: Moment = { seconds: 0, progress: 0 };
  #camera: Camera = { x: 0, y: 0, zoom: 1 };

  /** For one film. */
  constructor(
    scene: Scene,
    film: { readonly width: number; readonly height: number; readonly frames: number },
  ) {
    this.scene = scene;
    this.#film = film;
    this.canvas = new Canvas(film.width, film.height);
    this.palette = paletteOf(scene);
    this.unit = Math.min(film.height, film.width * 1.2);
    const portrait = film.height > film.width;
    const aerial = scene.camera.distance === "aerial";
    this.#horizon = film.height * (aerial ? 0.3 : portrait ? 0.57 : 0.6);
    this.halfWidth = film.width / 2 / this.unit;
    this.top = -this.#horizon / this.unit;
    this.bottom = (film.height - this.#horizon) / this.unit;
    this.ground = (film.height * (portrait ? 0.77 : 0.8) - this.#horizon) / this.unit;
  }

  /** The moment being drawn. */
  get moment(): Moment {
    return this.#moment;
  }

  /** World units that tracked subjects have come since the start; the camera goes with them. */
  get travel(): number {
    const { camera, subjects } = this.scene;
    if (camera.move !== "track") return 0;
    const main = subjects.find(({ on }) => on === undefined);
    const still = main === undefined || main.motion === "still" || main.motion === "idle";
    const speed = (still ? 0.12 : main.motion === "run" ? 0.55 : 0.24) * (main?.pace ?? 1);
    const along = main?.direction === "left" ? -1 : 1;
    return along * speed * this.#moment.seconds;
  }

  /** Starts frame `index` in `frame`. */
  begin(index: number, frame: Frame): void {
    const last = Math.max(1, this.#film.frames - 1);
    const at = this.scene.frozen ? 0 : index;
    this.#moment = { seconds: at / FRAMES_PER_SECOND, progress: Math.min(1, at / last) };
    this.#camera = this.#cameraNow();
    this.canvas.begin(frame);
    this.canvas.clear(this.palette.sky[2]);
  }

  /** World coordinates while the camera rests. */
  get rest(): Transform {
    return {
      a: this.unit,
      b: 0,
      c: 0,
      d: this.unit,
      e: this.#film.width / 2,
      f: this.#horizon,
    };
  }

  /** Draws at a depth: 0 is infinitely far, 1 is where the subject stands, more is nearer. */
  layer(depth: number, draw: (view: View) => void): void {
    const { x, y, zoom } = this.#camera;
    const { width, height } = this.#film;
    const scale = this.unit * (1 + (zoom - 1) * (0.25 + 0.75 * depth));
    const focus = height * 0.6;
    const e = width / 2 - x * depth * scale;
    const f = focus + (this.#horizon - focus) * scale / this.unit -
      y * this.unit * (0.55 + 0.45 * depth);
    this.canvas.setTransform({ a: scale, b: 0, c: 0, d: scale, e, f });
    const { ambient, haze, hazeDepth } = this.palette;
    this.canvas.light = { ambient, haze, depth: hazeDepth * hazeShare(depth) };
    draw({
      left: -e / scale,
      right: (width - e) / scale,
      top: -f / scale,
      bottom: (height - f) / scale,
    });
  }

  /** Fills the view's whole width between two world heights, from one colour to another. */
  band(
    view: View,
    from: { readonly y: number; readonly colour: number },
    to: { readonly y: number; readonly colour: number },
    paint: { readonly alpha?: number; readonly shines?: boolean } = {},
  ): void {
    const { path } = this.canvas;
    // A pixel further than it ends: two half-covered edges would let through what is behind them.
    const end = to.y + 1.5 / this.unit;
    path.polygon([view.left, from.y, view.right, from.y, view.right, end, view.left, end]);
    this.canvas.fill({ ...paint, colour: from.colour, to: to.colour, top: from.y, bottom: to.y });
  }

  /** The light that subjects stand in, `depth` as for a layer. */
  lightSubjects(depth: number): void {
    const { subjectLight, haze, hazeDepth } = this.palette;
    this.canvas.light = {
      ambient: subjectLight,
      haze,
      depth: hazeDepth * hazeShare(depth) * 0.8,
    };
  }

  /** A place's own colour, coloured as the words say. */
  placeColour(own: number, share = 0.75): number {
    const { placeColour } = this.scene;
    return placeColour === undefined ? own : mixColour(own, placeColour, share);
  }

  #cameraNow(): Camera {
    const { progress } = this.#moment;
    const { move, distance } = this.scene.camera;
    const near = distance === "close" ? 1.4 : distance === "wide" ? 0.96 : 1;
    const along = progress - 0.5;
    const way = this.scene.seed & 1 ? 1 : -1;
    switch (move) {
      case "still":
        return { x: 0, y: 0, zoom: near };
      case "pan_left":
        return { x: -along * this.halfWidth * 1.1, y: 0, zoom: near };
      case "pan_right":
        return { x: along * this.halfWidth * 1.1, y: 0, zoom: near };
      case "zoom_in":
        return { x: 0, y: 0, zoom: near * (1 + 0.42 * progress) };
      case "zoom_out":
        return { x: 0, y: 0, zoom: near * (1.42 - 0.42 * progress) };
      case "tilt_up":
        return { x: 0, y: 0.16 - 0.3 * progress, zoom: near };
      case "tilt_down":
        return { x: 0, y: -0.14 + 0.3 * progress, zoom: near };
      case "track":
        return { x: this.travel, y: 0, zoom: near };
      case "drift":
        return { x: way * along * 0.1, y: 0, zoom: near * (1 + 0.05 * progress) };
    }
  }
}

/** How much of the air lies before a layer. */
function hazeShare(depth: number): number {
  return depth >= 1 ? 0 : (1 - depth) * (1 - depth);
}
