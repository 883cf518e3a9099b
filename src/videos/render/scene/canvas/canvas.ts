/**
 * Draws filled shapes straight into the planes of a frame, lit and hazed as the moment asks.
 *
 * @module
 */
import type { Frame } from "../../frame.ts";
import { blueDifferenceOf, lumaOf, mixColour, multiplyColour, redDifferenceOf } from "./colour.ts";
import { Coverage } from "./coverage.ts";
import { Outline, type Transform } from "./outline.ts";

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

/** Values of one plane at the top and bottom of a fill. */
interface Ramp {
  readonly from: number;
  readonly to: number;
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
    if (strength > 0.004) {
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
    const strength = paint.alpha * this.opacity * 256;
    const colour = mixColour(paint.colour, this.#light.haze, this.#light.depth);
    glowPlane(frame.y, frame.width, frame.height, { cx, cy, r, strength }, lumaOf(colour));
    const half = { cx: cx / 2, cy: cy / 2, r: r / 2, strength };
    const width = frame.width / 2;
    glowPlane(frame.u, width, frame.height / 2, half, blueDifferenceOf(colour));
    glowPlane(frame.v, width, frame.height / 2, half, redDifferenceOf(colour));
  }

  #lit(colour: number, shines: boolean | undefined): number {
    const { ambient, haze, depth } = this.#light;
    return mixColour(shines ? colour : multiplyColour(colour, ambient), haze, depth);
  }

  #fillPlanes(
    fill: {
      from: number;
      last: number;
      start: number;
      length: number;
      strength: number;
      lumaOnly: boolean;
    },
  ): void {
    const frame = this.#frame!;
    const { from, last, start, length, strength } = fill;
    const coverage = this.#coverage;
    const { width, height } = frame;
    const luma = { from: lumaOf(from), to: lumaOf(last) };
    this.path.forEachEdge(1, (x0, y0, x1, y1) => coverage.edge(x0, y0, x1, y1, width, height));
    coverage.emit(width, (row, x0, x1, cover) => {
      const value = rampAt(luma, row, start, length);
      fillSpan(frame.y, row * width + x0, row * width + x1, value, cover * strength);
    });
    if (fill.lumaOnly) return;
    const half = width / 2;
    const blue = { from: blueDifferenceOf(from), to: blueDifferenceOf(last) };
    const red = { from: redDifferenceOf(from), to: redDifferenceOf(last) };
    this.path.forEachEdge(
      0.5,
      (x0, y0, x1, y1) => coverage.edge(x0, y0, x1, y1, half, height / 2),
    );
    coverage.emit(half, (row, x0, x1, cover) => {
      const at = row * half;
      const share = cover * strength;
      fillSpan(frame.u, at + x0, at + x1, rampAt(blue, row * 2, start, length), share);
      fillSpan(frame.v, at + x0, at + x1, rampAt(red, row * 2, start, length), share);
    });
  }
}

function rampAt(ramp: Ramp, row: number, start: number, length: number): number {
  if (length === 0 || ramp.from === ramp.to) return ramp.from;
  const share = (row + 0.5 - start) / length;
  return ramp.from + (ramp.to - ramp.from) * (share < 0 ? 0 : share > 1 ? 1 : share);
}

function fillSpan(plane: Uint8Array, from: number, to: number, value: number, share: number): void {
  const level = value + 0.5 | 0;
  if (share > 0.996) {
    if (to - from > 24) plane.fill(level, from, to);
    else for (let i = from; i < to; i++) plane[i] = level;
    return;
  }
  const weight = share * 256 + 0.5 | 0;
  for (let i = from; i < to; i++) {
    const old = plane[i]!;
    plane[i] = old + ((level - old) * weight + 128 >> 8);
  }
}

function glowPlane(
  plane: Uint8Array,
  width: number,
  height: number,
  glow: { cx: number; cy: number; r: number; strength: number },
  value: number,
): void {
  const { cx, cy, r, strength } = glow;
  const firstRow = Math.max(0, Math.floor(cy - r));
  const endRow = Math.min(height, Math.ceil(cy + r));
  const squared = r * r;
  for (let row = firstRow; row < endRow; row++) {
    const dy = row + 0.5 - cy;
    const reach = squared - dy * dy;
    if (reach <= 0) continue;
    const half = Math.sqrt(reach);
    const end = Math.min(width, Math.ceil(cx + half));
    for (let x = Math.max(0, Math.floor(cx - half)); x < end; x++) {
      const dx = x + 0.5 - cx;
      const near = 1 - (dx * dx + dy * dy) / squared;
      if (near <= 0) continue;
      const weight = near * near * near * strength | 0;
      const at = row * width + x;
      const old = plane[at]!;
      plane[at] = old + ((value - old) * weight + 128 >> 8);
    }
  }
}
