/**
 * Closed outlines in the pixels of a picture, built from points, curves and ellipses under a
 * transform.
 *
 * @module
 */
import type { Coverage, PlaneSize } from "../../canvas/coverage.ts";

/** A 2D affine transform, as the canvas of browsers has it: x' = a x + c y + e, y' = b x + d y + f. */
export interface Transform {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

/** The outlines of one fill: contours of points, each turned the same way round. */
export class Outline {
  #points = new Float64Array(4096);
  #length = 0;
  readonly #starts: number[] = [];
  readonly #circles: (Float64Array | undefined)[] = Array(80).fill(undefined);
  #transform: Transform = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
  /** Pixels of one local unit, roughly: small shapes need fewer points. */
  #scale = 1;
  #left = Infinity;
  #right = -Infinity;
  #top = Infinity;
  #bottom = -Infinity;

  /** Puts the points that follow under `transform`. */
  setTransform(transform: Transform): void {
    this.#transform = transform;
    this.#scale = Math.max(
      Math.hypot(transform.a, transform.b),
      Math.hypot(transform.c, transform.d),
    );
  }

  /** Whether any of it may lie in a picture of this size in pixels. */
  touches(width: number, height: number): boolean {
    return this.#right > 0 && this.#left < width && this.#bottom > 0 && this.#top < height;
  }

  /** Opens a contour; the one before is complete. */
  begin(): void {
    this.#starts.push(this.#length);
  }

  /** Adds a point to the open contour. */
  point(x: number, y: number): void {
    if (this.#length + 2 > this.#points.length) {
      const larger = new Float64Array(this.#points.length * 2);
      larger.set(this.#points);
      this.#points = larger;
    }
    const { a, b, c, d, e, f } = this.#transform;
    const px = a * x + c * y + e;
    const py = b * x + d * y + f;
    this.#points[this.#length++] = px;
    this.#points[this.#length++] = py;
    if (px < this.#left) this.#left = px;
    if (px > this.#right) this.#right = px;
    if (py < this.#top) this.#top = py;
    if (py > this.#bottom) this.#bottom = py;
  }

  /** A contour through `points` (x, y, x, y, ...), straight between them. */
  polygon(points: readonly number[]): void {
    this.begin();
    for (let i = 0; i + 1 < points.length; i += 2) this.point(points[i]!, points[i + 1]!);
  }

  /** A contour through `points` (x, y, x, y, ...), rounded (Catmull-Rom), up to `most` steps each. */
  smooth(points: readonly number[], most = 8): void {
    this.begin();
    const count = points.length >> 1;
    for (let i = 0; i < count; i++) {
      const p = (i + count - 1) % count * 2;
      const q = i * 2;
      const r = (i + 1) % count * 2;
      const s = (i + 2) % count * 2;
      const dx = points[r]! - points[q]!;
      const dy = points[r + 1]! - points[q + 1]!;
      const length = Math.sqrt(dx * dx + dy * dy) * this.#scale;
      const steps = Math.max(1, Math.min(most, Math.ceil(0.9 * Math.sqrt(length))));
      for (let step = 0; step < steps; step++) {
        const t = step / steps;
        this.point(
          catmullRom(points[p]!, points[q]!, points[r]!, points[s]!, t),
          catmullRom(points[p + 1]!, points[q + 1]!, points[r + 1]!, points[s + 1]!, t),
        );
      }
    }
  }

  /** An ellipse turned by `turn` radians. */
  ellipse(x: number, y: number, rx: number, ry: number, turn = 0): void {
    this.begin();
    const radius = Math.max(Math.abs(rx), Math.abs(ry)) * this.#scale;
    const sides = Math.max(6, Math.min(72, Math.ceil(5.5 * Math.sqrt(radius))));
    const cos = Math.cos(turn);
    const sin = Math.sin(turn);
    const circle = this.#circleOf(sides);
    for (let i = 0; i < circle.length; i += 2) {
      const ex = circle[i]! * rx;
      const ey = circle[i + 1]! * ry;
      this.point(x + ex * cos - ey * sin, y + ex * sin + ey * cos);
    }
  }

  /** A limb from one point to another, as wide as said at each end, with round ends. */
  limb(from: readonly [number, number, number], to: readonly [number, number, number]): void {
    const [x0, y0, w0] = from;
    const [x1, y1, w1] = to;
    const along = Math.atan2(y1 - y0, x1 - x0);
    const steps = Math.max(1, Math.min(7, Math.ceil(Math.sqrt(Math.max(w0, w1) * this.#scale))));
    this.begin();
    for (let i = 0; i <= steps; i++) {
      const angle = along + Math.PI / 2 + i / steps * Math.PI;
      this.point(x0 + Math.cos(angle) * w0 / 2, y0 + Math.sin(angle) * w0 / 2);
    }
    for (let i = 0; i <= steps; i++) {
      const angle = along - Math.PI / 2 + i / steps * Math.PI;
      this.point(x1 + Math.cos(angle) * w1 / 2, y1 + Math.sin(angle) * w1 / 2);
    }
  }

  /** Adds every edge to `coverage`, scaled by `scale`; each contour runs the same way round. */
  addTo(coverage: Coverage, scale: number, plane: PlaneSize): void {
    const points = this.#points;
    const { width, height } = plane;
    for (let contour = 0; contour < this.#starts.length; contour++) {
      const start = this.#starts[contour]!;
      const end = this.#starts[contour + 1] ?? this.#length;
      if (end - start < 6) continue;
      const turn = turnOf(points, start, end) < 0 ? -1 : 1;
      let x0 = points[end - 2]! * scale;
      let y0 = points[end - 1]! * scale;
      for (let i = start; i < end; i += 2) {
        const x1 = points[i]! * scale;
        const y1 = points[i + 1]! * scale;
        if (y0 < y1) coverage.edge(x0, y0, x1, y1, turn, width, height);
        else if (y1 < y0) coverage.edge(x1, y1, x0, y0, -turn, width, height);
        x0 = x1;
        y0 = y1;
      }
    }
  }

  /** Forgets all contours. */
  clear(): void {
    this.#length = 0;
    this.#starts.length = 0;
    this.#left = this.#top = Infinity;
    this.#right = this.#bottom = -Infinity;
  }

  /** The corners of a regular polygon of radius 1; asked for thousands of times in a frame. */
  #circleOf(sides: number): Float64Array {
    const known = this.#circles[sides];
    if (known !== undefined) return known;
    const circle = new Float64Array(sides * 2);
    for (let i = 0; i < sides; i++) {
      circle[i * 2] = Math.cos(i / sides * Math.PI * 2);
      circle[i * 2 + 1] = Math.sin(i / sides * Math.PI * 2);
    }
    this.#circles[sides] = circle;
    return circle;
  }
}

function turnOf(points: Float64Array, start: number, end: number): number {
  let area = 0;
  let x0 = points[end - 2]!;
  let y0 = points[end - 1]!;
  for (let i = start; i < end; i += 2) {
    const x1 = points[i]!;
    const y1 = points[i + 1]!;
    area += x0 * y1 - x1 * y0;
    x0 = x1;
    y0 = y1;
  }
  return area;
}

function catmullRom(p: number, q: number, r: number, s: number, t: number): number {
  return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
}
