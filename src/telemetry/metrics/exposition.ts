/**
 * Writes metrics as Prometheus reads them: its text format 0.0.4, and OpenMetrics 1.0.
 *
 * @module
 */

import type { Family, Reading, Series } from "./family.ts";
import { Histogram } from "./histogram.ts";

/** The formats, by what they are called in `Content-Type`. */
export const EXPOSITION_TYPES = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
} as const;

/** See {@linkcode EXPOSITION_TYPES}. */
export type ExpositionFormat = keyof typeof EXPOSITION_TYPES;

/** Writes all of it. A family without series is there all the same: its name is to be known. */
export function writeMetrics(readings: Iterable<Reading>, format: ExpositionFormat): string {
  const isOpen = format === "openmetrics";
  let text = "";
  for (const { family, series } of readings) {
    text += head(family, isOpen);
    for (const one of series) text += lines(family.name, one);
  }
  return isOpen ? text + "# EOF\n" : text;
}

/** OpenMetrics knows a counter by its name without `_total`, which its samples have. */
function head({ name, help, type, unit }: Family, isOpen: boolean): string {
  const called = isOpen && type === "counter" ? name.replace(/_total$/, "") : name;
  const unitLine = isOpen && unit !== undefined ? `# UNIT ${called} ${unit}\n` : "";
  return `# HELP ${called} ${help}\n# TYPE ${called} ${type}\n${unitLine}`;
}

function lines(name: string, { labels, value }: Series): string {
  if (!(value instanceof Histogram)) return `${name}${braced(labels)} ${number(value)}\n`;
  const before = labels === "" ? "" : `${labels},`;
  let text = "";
  let count = 0;
  value.counts.forEach((more, index) => {
    count += more;
    const bound = value.bounds[index] ?? Infinity;
    text += `${name}_bucket{${before}le="${number(bound)}"} ${count}\n`;
  });
  return `${text}${name}_sum${braced(labels)} ${number(value.sum)}\n` +
    `${name}_count${braced(labels)} ${count}\n`;
}

function braced(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
