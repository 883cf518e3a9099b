/**
 * How fast calls were, from their rows, the newest first.
 *
 * @module
 */

import type {
  LatencyFigures,
  LatencyGroup,
  LatencyQuery,
  LatencyReport,
} from "../ports/latency.ts";

/** The columns that calls are told apart by. */
export const LATENCY_COLUMNS: Readonly<Record<LatencyGroup, string>> = {
  project: "project_id",
  key: "key_id",
  endpoint: "capability",
  model: "model",
  provider: "provider",
  route: "route",
};

/** What is read of a call; `name` is the column of its group. */
export interface LatencyRow {
  readonly project_id: string;
  readonly name: string;
  readonly capability: string;
  readonly result: string | null;
  readonly opened_at: number;
  readonly closed_at: number | null;
  readonly first_byte_ms: number | null;
}

/**
 * The report from rows, the newest first, of which {@linkcode LatencyQuery.mostRows} were asked for.
 * Stops reading where calls are too old.
 */
export function tallyLatency(rows: Iterable<LatencyRow>, query: LatencyQuery): LatencyReport {
  const { projectId, fromMs, toMs, parts: count, mostRows, mostLines } = query;
  const partMs = (toMs - fromMs) / count;
  const all = new Sample();
  const lines = new Map<string, Sample>();
  const parts = Array.from({ length: count }, () => new Sample());
  let looked = 0;
  let oldest = toMs;
  for (const row of rows) {
    looked++;
    oldest = Math.min(oldest, row.opened_at);
    // Calls are numbered when they arrive: a body that took long puts one a little out of its place.
    if (row.opened_at < fromMs - LATEST_BODY_MS) break;
    const isAsked = row.opened_at >= fromMs && row.opened_at < toMs && row.result !== null &&
      (projectId === undefined || row.project_id === projectId);
    if (!isAsked) continue;
    let line = lines.get(row.name);
    if (line === undefined) lines.set(row.name, line = new Sample());
    const part = parts[Math.min(count - 1, Math.floor((row.opened_at - fromMs) / partMs))]!;
    for (const sample of [all, line, part]) sample.add(row);
  }
  return {
    all: all.figures(),
    lines: [...lines].sort(([, one], [, other]) => other.calls - one.calls).slice(0, mostLines)
      .map(([name, sample]) => ({ name, ...sample.figures() })),
    parts: parts.map((sample, at) => ({ fromMs: fromMs + at * partMs, ...sample.figures() })),
    cutAtMs: looked === mostRows && oldest > fromMs ? oldest : undefined,
  };
}

const LATEST_BODY_MS = 15 * 60_000;

/** A film takes what it takes: that is no latency. */
const FILMS = "videos";

class Sample {
  calls = 0;
  #failed = 0;
  readonly #milliseconds: number[] = [];
  readonly #firstBytes: number[] = [];

  add({ capability, result, opened_at, closed_at, first_byte_ms }: LatencyRow): void {
    this.calls++;
    if (result === "upstream_failed" || result === "gateway_stopped") this.#failed++;
    if (result !== "completed" || capability === FILMS) return;
    this.#milliseconds.push(Math.max(0, closed_at! - opened_at));
    if (first_byte_ms !== null) this.#firstBytes.push(first_byte_ms);
  }

  figures(): LatencyFigures {
    const times = this.#milliseconds.sort(rising);
    const firstBytes = this.#firstBytes.sort(rising);
    return {
      calls: this.calls,
      failed: this.#failed,
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      firstByteP50Ms: quantile(firstBytes, 0.5),
      firstByteP95Ms: quantile(firstBytes, 0.95),
    };
  }
}

function rising(one: number, other: number): number {
  return one - other;
}

/** By nearest rank: a time that a call has had. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
