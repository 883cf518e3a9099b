/**
 * Writes spans of one fill into a plane: a flat value or one that changes from row to row.
 *
 * @module
 */
import type { SpanSink } from "../../canvas/coverage.ts";

/** A fill, in pixels of the whole picture. */
export interface Fill {
  /** The lit colours at its start and after `length` rows, 0xRRGGBB. */
  readonly from: number;
  readonly last: number;
  readonly start: number;
  /** 0 for a flat fill. */
  readonly length: number;
  /** 0 to 1. */
  readonly strength: number;
  readonly lumaOnly: boolean;
}

/** Fills spans of one plane. */
export class PlaneFill implements SpanSink {
  readonly #rowScale: number;
  #plane: Uint8Array = new Uint8Array(0);
  #width = 0;
  #from = 0;
  #change = 0;
  #start = 0;
  #length = 0;
  #strength = 1;

  /** For a plane with one row for so many rows of the picture. */
  constructor(rowScale: number) {
    this.#rowScale = rowScale;
  }

  /** Takes the next fill, with its values in this plane. */
  prepare(plane: Uint8Array, width: number, fill: Fill, from: number, to: number): void {
    this.#plane = plane;
    this.#width = width;
    this.#from = from;
    this.#change = fill.length === 0 ? 0 : to - from;
    this.#start = fill.start;
    this.#length = fill.length;
    this.#strength = fill.strength;
  }

  /** Blends one span. */
  span(row: number, from: number, to: number, cover: number): void {
    let value = this.#from;
    if (this.#change !== 0) {
      const share = (row * this.#rowScale + 0.5 - this.#start) / this.#length;
      value += this.#change * (share < 0 ? 0 : share > 1 ? 1 : share);
    }
    const level = value + 0.5 | 0;
    const plane = this.#plane;
    const base = row * this.#width;
    const end = base + to;
    const share = cover * this.#strength;
    if (share > 0.996) {
      if (to - from > 24) plane.fill(level, base + from, end);
      else for (let i = base + from; i < end; i++) plane[i] = level;
      return;
    }
    const weight = share * 256 + 0.5 | 0;
    for (let i = base + from; i < end; i++) {
      const old = plane[i]!;
      plane[i] = old + ((level - old) * weight + 128 >> 8);
    }
  }
}

/** Fills spans of the two chroma planes, which share their cover. */
export class BothFills implements SpanSink {
  readonly #one: PlaneFill;
  readonly #other: PlaneFill;

  /** Hands every span to both. */
  constructor(one: PlaneFill, other: PlaneFill) {
    this.#one = one;
    this.#other = other;
  }

  /** Blends one span in both planes. */
  span(row: number, from: number, to: number, cover: number): void {
    this.#one.span(row, from, to, cover);
    this.#other.span(row, from, to, cover);
  }
}
