/**
 * What a metric is: a family of series that differ by their labels.
 *
 * @module
 */

import type { Histogram } from "./histogram.ts";

/** A family, named and explained as Prometheus and OpenMetrics want it. */
export interface Family {
  /** As it is asked for: of a counter it ends in `_total`, of what has a unit in that. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The base unit that the name ends in (before `_total`), such as `seconds`. */
  readonly unit?: "seconds" | "bytes" | "ratio";
}

/** One series of a family. */
export interface Series {
  /** As it stands between the braces: `a="b",c="d"`; empty for none. */
  readonly labels: string;
  readonly value: number | Histogram;
}

/** A family with its series, as they are now. */
export interface Reading {
  readonly family: Family;
  readonly series: Iterable<Series>;
}

/** A number that counts up: whoever holds it adds to it, which costs an addition. */
export class Counted implements Series {
  readonly labels: string;
  value = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  add(count = 1): void {
    this.value += count;
  }
}

/** Labels as text; values may be any text. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`).join(",");
}

/** As both formats ask for: backslash, quote and line break. */
function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (sign) => sign === "\n" ? "\\n" : `\\${sign}`);
}
