/**
 * How fast the last calls were, against the same figures worked out of the calls themselves.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { StoredCall } from "../../../src/domain/call.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import type { LatencyGroup, LatencyQuery } from "../../../src/storage/ports/latency.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { readLatencyReport } from "../../../src/storage/sqlite/latency_report.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import {
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const MINUTE_MS = 60_000;
const CALLS = 120;
const ALL: LatencyQuery = {
  by: "model",
  fromMs: NOON_ISH,
  toMs: NOON_ISH + (CALLS + 1) * MINUTE_MS,
  parts: 11,
  mostRows: 1_000,
  mostLines: 100,
};

/** A call a minute, that takes ten times its number in ms: some fail, some are left, some are films. */
function sampleCalls(): readonly StoredCall[] {
  return Array.from({ length: CALLS }, (_, index): StoredCall => {
    const callId = index + 1;
    const openedAt = NOON_ISH + callId * MINUTE_MS;
    const shared = {
      callId,
      requestId: `req_${String(callId).padStart(4, "0")}`,
      openedAt,
      projectId: callId % 4 === 0 ? "other" : "acme",
      unlimited: true,
      heldE8: 0n,
    };
    if (callId === CALLS) return { ...sampleOpenCall(shared), state: "open" };
    const result = callId % 7 === 0
      ? "upstream_failed"
      : callId % 11 === 0
      ? "client_aborted"
      : callId % 13 === 0
      ? "gateway_stopped"
      : "completed";
    return sampleClosedCall({
      ...shared,
      state: result === "completed" ? "settled" : "released",
      result,
      errorCode: result === "completed" ? undefined : "some_error",
      model: callId % 3 === 0 ? "large" : "small",
      route: callId % 3 === 0 ? "b/large" : "a/small",
      provider: callId % 3 === 0 ? "b" : "a",
      capability: callId % 17 === 0 ? "videos" : "chat",
      firstByteMs: callId % 2 === 0 ? callId : undefined,
      closedAt: openedAt + callId * 10,
      saleE8: 0n,
      costE8: 0n,
      chargedE8: 0n,
      lossE8: 0n,
    });
  });
}

async function withCalls(
  run: (
    report: (query?: Partial<LatencyQuery>) => ReturnType<typeof readLatencyReport>,
    calls: readonly StoredCall[],
  ) => void,
): Promise<void> {
  const calls = sampleCalls();
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const stores = createStores(database, path);
    const entries: Entry[] = [
      { kind: "create_project", project: sampleProject({ id: "acme", unlimited: true }) },
      { kind: "create_project", project: sampleProject({ id: "other", unlimited: true }) },
      ...calls.map((call): Entry =>
        call.state === "open" ? { kind: "hold", call } : { kind: "close", call }
      ),
    ];
    assert.deepEqual(stores.commitBatch(entries).filter(({ ok }) => !ok), []);
    run((query) => readLatencyReport(database, { ...ALL, ...query }), calls);
    database.close();
  });
}

/** The figures, worked out in another way. */
function figuresOf(calls: readonly StoredCall[]) {
  const closed = calls.flatMap((call) => call.state === "open" ? [] : [call]);
  const whole = closed.filter(({ result, capability }) =>
    result === "completed" && capability !== "videos"
  );
  const rank = (values: readonly number[], percent: number) =>
    [...values].sort((one, other) => one - other).find((value) =>
      values.filter((other) => other <= value).length * 100 >= percent * values.length
    );
  const times = whole.map(({ closedAt, openedAt }) => closedAt - openedAt);
  const bytes = whole.flatMap(({ firstByteMs }) => firstByteMs === undefined ? [] : [firstByteMs]);
  return {
    calls: closed.length,
    failed: closed.filter(({ result }) => /failed|stopped/.test(result)).length,
    p50Ms: rank(times, 50),
    p95Ms: rank(times, 95),
    firstByteP50Ms: rank(bytes, 50),
    firstByteP95Ms: rank(bytes, 95),
  };
}

Deno.test("readLatencyReport() adds up what the calls say, by whatever is asked for", async () => {
  await withCalls((report, calls) => {
    const groups: readonly [LatencyGroup, (call: StoredCall) => string][] = [
      ["model", ({ model }) => model],
      ["route", ({ route }) => route],
      ["provider", ({ provider }) => provider],
      ["project", ({ projectId }) => projectId],
      ["key", ({ keyId }) => keyId],
      ["endpoint", ({ capability }) => capability],
    ];
    for (const [by, nameOf] of groups) {
      const { all, lines, cutAtMs } = report({ by });
      assert.deepEqual([all, cutAtMs], [figuresOf(calls), undefined]);
      const closed = calls.filter(({ state }) => state !== "open");
      const expected = [...Map.groupBy(closed, nameOf)].map(([name, own]) => ({
        name,
        ...figuresOf(own),
      }));
      assert.deepEqual(lines, expected.sort((one, other) => other.calls - one.calls), by);
    }
  });
});

Deno.test("readLatencyReport() keeps to a project, a span and its bounds, and says where it stopped", async () => {
  await withCalls((report, calls) => {
    const own = calls.filter(({ projectId }) => projectId === "other");
    assert.deepEqual(report({ projectId: "other" }).all, figuresOf(own));
    assert.deepEqual(report({ projectId: "nobody" }).all, figuresOf([]));
    const fromMs = NOON_ISH + 40 * MINUTE_MS;
    const toMs = NOON_ISH + 60 * MINUTE_MS;
    const within = calls.filter(({ openedAt }) => openedAt >= fromMs && openedAt < toMs);
    assert.deepEqual(report({ fromMs, toMs }).all, figuresOf(within));
    const { parts } = report();
    assert.equal(parts.length, ALL.parts);
    const partMs = (ALL.toMs - ALL.fromMs) / ALL.parts;
    for (const [at, { fromMs: from, ...figures }] of parts.entries()) {
      assert.equal(from, ALL.fromMs + at * partMs);
      const inPart = calls.filter(({ openedAt }) =>
        openedAt >= from && (openedAt < from + partMs || at === parts.length - 1)
      );
      assert.deepEqual(figures, figuresOf(inPart));
    }
    const cut = report({ mostRows: 10 });
    assert.equal(cut.cutAtMs, NOON_ISH + (CALLS - 9) * MINUTE_MS);
    assert.deepEqual(cut.all, figuresOf(calls.slice(-10)));
    assert.equal(report({ mostRows: 10, fromMs: cut.cutAtMs! }).cutAtMs, undefined);
    assert.equal(report({ mostLines: 1 }).lines.length, 1);
  });
});
