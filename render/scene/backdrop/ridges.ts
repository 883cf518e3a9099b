/**
 * Ridges of land against the sky: hills, mountains, dunes, treetops.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { noiseAt, roughNoiseAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** One ridge and all that is below it. */
export interface Ridge {
  /** As for a layer. */
  readonly depth: number;
  readonly seed: number;
  /** World y of its foot and how far it rises above. */
  readonly base: number;
  readonly height: number;
  /** World width of its features. */
  readonly length: number;
  readonly kind: "hill" | "mountain" | "dune" | "treetops";
  readonly colour: number;
  /** The colour at its foot; darker than `colour` unless said. */
  readonly foot?: number;
  /** White above this share of its height. */
  readonly snowLine?: number;
}

/** Draws a ridge over the whole width of the view. */
export function drawRidge(stage: Stage, ridge: Ridge): void {
  const { canvas } = stage;
  const foot = ridge.foot ?? shadeColour(ridge.colour, -0.18);
  stage.layer(ridge.depth, (view) => {
    const step = Math.max(0.006, 5 / stage.unit);
    const first = Math.floor(view.left / step) - 1;
    const end = Math.ceil(view.right / step) + 1;
    const crest: number[] = [];
    for (let i = first; i <= end; i++) {
      const x = i * step;
      crest.push(x, ridge.base - ridge.height * heightAt(ridge, x));
    }
    const right = end * step;
    const left = first * step;
    canvas.path.polygon([...crest, right, view.bottom, left, view.bottom]);
    canvas.fill({
      colour: ridge.colour,
      to: foot,
      top: ridge.base - ridge.height,
      bottom: ridge.base + 0.1,
    });
    if (ridge.kind === "mountain") drawFaces(stage, ridge, crest);
  });
}

/** The world y of a ridge's crest. */
export function crestAt(ridge: Ridge, x: number): number {
  return ridge.base - ridge.height * heightAt(ridge, x);
}

function heightAt(ridge: Ridge, x: number): number {
  const at = x / ridge.length;
  switch (ridge.kind) {
    case "hill":
      return 0.25 + 0.75 * roughNoiseAt(ridge.seed, at, 2);
    case "dune": {
      // A slow rise and a sharp lee, as wind shapes sand.
      const wave = at + 0.4 * noiseAt(ridge.seed + 5, at * 0.7);
      const part = wave - Math.floor(wave);
      const profile = part < 0.72 ? (part / 0.72) ** 1.5 : (1 - part) / 0.28;
      return 0.2 + 0.8 * profile * (0.5 + 0.5 * noiseAt(ridge.seed, Math.floor(wave) * 3.7));
    }
    case "treetops":
      return 0.45 + 0.35 * noiseAt(ridge.seed, at) +
        0.2 * Math.abs(Math.sin(at * 9 + 3 * noiseAt(ridge.seed + 3, at * 4)));
    case "mountain": {
      const peaks = 1 - Math.abs(noiseAt(ridge.seed, at) * 2 - 1);
      return 0.12 + 0.5 * peaks + 0.38 * roughNoiseAt(ridge.seed + 9, at * 1.7, 5) * (0.4 + peaks);
    }
  }
}

/** Snow on the heights, and the shaded side of each peak. */
function drawFaces(stage: Stage, ridge: Ridge, crest: readonly number[]): void {
  const { canvas } = stage;
  const count = crest.length / 2;
  for (let i = 2; i + 2 < count; i++) {
    const y = crest[i * 2 + 1]!;
    if (y >= crest[i * 2 - 1]! || y > crest[i * 2 + 3]!) continue;
    const reach = (ridge.base - y) * 0.62;
    if (reach < ridge.height * 0.18) continue;
    const x = crest[i * 2]!;
    const points = [x, y];
    const step = crest[2]! - crest[0]!;
    for (let k = i + 1; k < count && crest[k * 2]! < x + reach * 0.75; k++) {
      if (crest[k * 2 + 1]! < y) break;
      points.push(crest[k * 2]!, crest[k * 2 + 1]!);
    }
    const lean = noiseAt(ridge.seed + 77, x * 3) - 0.5;
    points.push(x + reach * 0.34, y + reach * 0.72, x + reach * (0.1 + lean * 0.3), y + reach);
    points.push(x + step * lean * 6, y + reach * 0.45);
    canvas.path.polygon(points);
  }
  canvas.fill({ colour: shadeColour(ridge.colour, -0.34), alpha: 0.55 });
  if (ridge.snowLine === undefined) return;
  const line = ridge.base - ridge.height * ridge.snowLine;
  const lower: number[] = [];
  const upper: number[] = [];
  const flush = (): void => {
    if (upper.length >= 4) canvas.path.polygon([...upper, ...pairsReversed(lower)]);
    upper.length = 0;
    lower.length = 0;
  };
  for (let i = 0; i < count; i++) {
    const x = crest[i * 2]!;
    const y = crest[i * 2 + 1]!;
    const jag = 0.5 + roughNoiseAt(ridge.seed + 33, x * 16 / ridge.length, 2);
    const depth = (line - y) * 0.75 * jag;
    if (depth <= 0) {
      flush();
      continue;
    }
    upper.push(x, y);
    lower.push(x, y + depth);
  }
  flush();
  canvas.fill({ colour: mixColour(0xffffff, 0xdce8f6, 0.3), alpha: 0.92 });
}

function pairsReversed(points: readonly number[]): number[] {
  const reversed: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) reversed.push(points[i]!, points[i + 1]!);
  return reversed;
}
