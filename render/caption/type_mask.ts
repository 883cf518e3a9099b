/**
 * Draws lines of type, centred, as a mask: how much of each pixel is ink.
 *
 * @module
 */

import { Coverage, type SpanSink } from "../canvas/coverage.ts";
import type { FittedText } from "./fit_lines.ts";
import type { Glyph } from "./glyph_source.ts";

/** Where type goes in a mask. Lengths in pixels. */
export interface TypePlace {
  readonly width: number;
  readonly height: number;
  /** The baseline of the first line, from the top. */
  readonly firstBaseline: number;
  /** From one baseline to the next. */
  readonly lineHeight: number;
}

/** Ink of each pixel, row by row: 0 none, 255 all. What lies outside the mask is cut off. */
export function typeMask({ lines, typeSize }: FittedText, place: TypePlace): Uint8Array {
  const { width, height } = place;
  const mask = new Uint8Array(width * height);
  const coverage = new Coverage(width, height);
  const ink: SpanSink = {
    span(row, from, to, cover) {
      const start = row * width;
      for (let i = start + from; i < start + to; i++) {
        mask[i] = Math.min(255, mask[i]! + Math.round(cover * 255));
      }
    },
  };
  lines.forEach((line, index) => {
    const baseline = Math.round(place.firstBaseline + index * place.lineHeight);
    let x = (width - line.width * typeSize) / 2;
    for (const glyph of line.clusters.flatMap(({ glyphs }) => glyphs)) {
      const scale = typeSize / glyph.unitsPerEm;
      traceGlyph(glyph, (fromX, fromY, toX, toY) => {
        const [x0, y0, x1, y1] = [
          x + fromX * scale,
          baseline - fromY * scale,
          x + toX * scale,
          baseline - toY * scale,
        ];
        if (y0 < y1) coverage.edge(x0, y0, x1, y1, 1, width, height);
        else if (y1 < y0) coverage.edge(x1, y1, x0, y0, -1, width, height);
      }, 1 / scale);
      coverage.emit(width, ink);
      x += glyph.advance * typeSize;
    }
  });
  return mask;
}

type Edge = (x0: number, y0: number, x1: number, y1: number) => void;

/** Hands out the outline as straight edges in font units; `pixel` is the size of a pixel in them. */
function traceGlyph(glyph: Glyph, edge: Edge, pixel: number): void {
  let [x, y, startX, startY] = [0, 0, 0, 0];
  const lineTo = (nextX: number, nextY: number) => {
    edge(x, y, nextX, nextY);
    [x, y] = [nextX, nextY];
  };
  for (const { command, args } of glyph.outline) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args;
    if (command === "moveTo") [x, y, startX, startY] = [a, b, a, b];
    else if (command === "lineTo") lineTo(a, b);
    else if (command === "closePath") lineTo(startX, startY);
    else if (command === "bezierCurveTo") cubic([x, y, a, b, c, d, e, f], pixel, lineTo);
    else {
      const [x0, y0] = [x, y];
      const third = (from: number, to: number) => from + (to - from) * 2 / 3;
      const controls = [third(x0, a), third(y0, b), third(c, a), third(d, b)] as const;
      cubic([x0, y0, ...controls, c, d], pixel, lineTo);
    }
  }
}

type CubicPoints = readonly [number, number, number, number, number, number, number, number];

/** Walks a cubic Bézier curve in steps of about a pixel and a half. */
function cubic(points: CubicPoints, pixel: number, lineTo: (x: number, y: number) => void): void {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = points;
  const length = Math.hypot(x1 - x0, y1 - y0) + Math.hypot(x2 - x1, y2 - y1) +
    Math.hypot(x3 - x2, y3 - y2);
  const steps = Math.max(2, Math.min(24, Math.ceil(length / pixel / 1.5)));
  for (let step = 1; step <= steps; step++) {
    const t = step / steps;
    const s = 1 - t;
    const [p, q, r, u] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    lineTo(p * x0 + q * x1 + r * x2 + u * x3, p * y0 + q * y1 + r * y2 + u * y3);
  }
}
