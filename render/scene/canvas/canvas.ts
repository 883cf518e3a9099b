/**
 * Draws filled shapes straight into the planes of a frame, lit and hazed as the moment asks.
 *
 * @module
 */
import type { Frame } from "../../frame.ts";
import { blueDifferenceOf, lumaOf, mixColour, multiplyColour, redDifferenceOf } from "./colour.ts";
import { Coverage } from "../../canvas/coverage.ts";
import { Outline, type Transform } from "./outline.ts";
import { glowIn } from "./glow.ts";
import { BothFills, type Fill, PlaneFill } from "./plane_fill.ts";

/** What falls on everything drawn until it is changed. */
export interface Light {
  /** Multiplies every colour. */
  readonly ambient: number;
  /** What far things fade into. */
  readonly haze: number;
  /** How much of the haze lies before what is drawn, 0 to 1. */
  readonly depth: number;
}

/** How a shape is filled. */
export interface Paint {
  readonly colour: number;
  /** A second colour, reached at `bottom`; `colour` is at `top` (local units of y). */
  readonly to?: number;
  readonly top?: number;
  readonly bottom?: number;
  /** 0 to 1, 1 unless said. */
  readonly alpha?: number;
  /** It shines: the light does not fall on it. */
  readonly shines?: boolean;
  /** Leaves the chroma alone: enough for thin white things, and half the work. */
  readonly lumaOnly?: boolean;
}

/** A canvas for frames of one size; build outlines with `path`, then `fill` them. */
export class Canvas {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** The outlines of the next fill. */
  readonly path = new Outline();
  /** Multiplies the alpha of every fill. */
  opacity = 1;
  #light: Light = { ambient: 0xffffff, haze: 0xffffff, depth: 0 };
  #transform: Transform = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
  readonly #saved: Transform[] = [];
  readonly #coverage: Coverage;
  readonly #luma = new PlaneFill(1);
  readonly #blue = new PlaneFill(2);
  readonly #red = new PlaneFill(2);
  readonly #chroma = new BothFills(this.#blue, this.#red);
  #frame: Frame | undefined;

  /** For frames of `width` by `height` pixels. */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#coverage = new Coverage(width, height);
  }

  /** Draws into `frame` from now on, in pixels. */
  begin(frame: Frame): void {
    this.#frame = frame;
    this.#saved.length = 0;
    this.opacity = 1;
    this.setTransform({ a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 });
  }

  /** Fills the whole frame with one colour, which no light changes. */
  clear(colour: number): void {
    const frame = this.#frame!;
    frame.y.fill(Math.round(lumaOf(colour)));
    frame.u.fill(Math.round(blueDifferenceOf(colour)));
    frame.v.fill(Math.round(redDifferenceOf(colour)));
  }

  /** The light on what is drawn from now on. */
  set light(light: Light) {
    this.#light = light;
  }

  get light(): Light {
    return this.#light;
  }

  /** Replaces the transform. */
  setTransform(transform: Transform): void {
    this.#transform = transform;
    this.path.setTransform(transform);
  }

  /** The transform as it is. */
  get transform(): Transform {
    return this.#transform;
  }

  /** Runs `draw` with the origin moved, the axes scaled and turned (radians), then undoes that. */
  within(
    place: { x?: number; y?: number; scaleX?: number; scaleY?: number; turn?: number },
    draw: () => void,
  ): void {
    const { x = 0, y = 0, scaleX = 1, scaleY = scaleX, turn = 0 } = place;
    const { a, b, c, d, e, f } = this.#transform;
    const cos = Math.cos(turn);
    const sin = Math.sin(turn);
    this.#saved.push(this.#transform);
    this.setTransform({
      a: (a * cos + c * sin) * scaleX,
      b: (b * cos + d * sin) * scaleX,
      c: (c * cos - a * sin) * scaleY,
      d: (d * cos - b * sin) * scaleY,
      e: a * x + c * y + e,
      f: b * x + d * y + f,
    });
    draw();
    this.setTransform(this.#saved.pop()!);
  }

  /** Fills the outlines of `path` and clears it. */
  fill(paint: Paint | number): void {
    const { colour, to, top, bottom, alpha = 1, shines, lumaOnly }: Paint =
      typeof paint === "number" ? { colour: paint } : paint;
    const strength = alpha * this.opacity;
    if (strength > 0.004 && this.path.touches(this.width, this.height)) {
      const from = this.#lit(colour, shines);
      const last = to === undefined ? from : this.#lit(to, shines);
      const { d, f } = this.#transform;
      const start = d * (top ?? 0) + f;
      const length = to === undefined ? 0 : d * (bottom ?? 0) + f - start;
      this.#fillPlanes({ from, last, start, length, strength, lumaOnly: lumaOnly === true });
    }
    this.path.clear();
  }

  /** A soft round light, full at its centre and nothing at `radius` (local units). */
  glow(x: number, y: number, radius: number, paint: { colour: number; alpha: number }): void {
    const frame = this.#frame!;
    const { a, b, c, d, e, f } = this.#transform;
    const cx = a * x + c * y + e;
    const cy = b * x + d * y + f;
    const r = radius * Math.hypot(a, b);
    const strength = paint.alpha * this.opacity;
    const { haze, depth } = this.#light;
    glowIn(frame, { cx, cy, r, strength, colour: mixColour(paint.colour, haze, depth) });
  }

  #lit(colour: number, shines: boolean | undefined): number {
    const { ambient, haze, depth } = this.#light;
    return mixColour(shines ? colour : multiplyColour(colour, ambient), haze, depth);
  }

  #fillPlanes(fill: Fill): void {
    const frame = this.#frame!;
    const { width, height } = frame;
    const coverage = this.#coverage;
    const { from, last } = fill;
    this.path.addTo(coverage, 1, frame);
    this.#luma.prepare(frame.y, width, fill, lumaOf(from), lumaOf(last));
    coverage.emit(width, this.#luma);
    if (fill.lumaOnly) return;
    const half = { width: width / 2, height: height / 2 };
    this.path.addTo(coverage, 0.5, half);
    this.#blue.prepare(frame.u, half.width, fill, blueDifferenceOf(from), blueDifferenceOf(last));
    this.#red.prepare(frame.v, half.width, fill, redDifferenceOf(from), redDifferenceOf(last));
    coverage.emit(half.width, this.#chroma);
  }
}
