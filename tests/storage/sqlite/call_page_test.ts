import assert from "node:assert/strict";
import type { StoredCall } from "../../../src/domain/call.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import type { CallPageQuery } from "../../../src/storage/ports/call_pages.ts";
import { type CallPageOptions, readCallPage } from "../../../src/storage/sqlite/call_page.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import {
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const MINUTE_MS = 60_000;
const CALLS = 40;
const ALL: CallPageQuery = { limit: 1000, mostRows: Infinity, withinMs: Infinity };

/** Every fourth id is missing, each call is a minute after the one before, and takes its number in ms. */
function sampleCalls(): readonly StoredCall[] {
  return Array.from({ length: CALLS }, (_, index): StoredCall => {
    const callId = index + 1 + Math.floor(index / 3);
    const openedAt = NOON_ISH + callId * MINUTE_MS;
    const requestId = `req_${String(callId).padStart(4, "0")}`;
    const shared = {
      callId,
      requestId,
      openedAt,
      projectId: "acme",
      unlimited: true,
      heldE8: 0n,
      keyId: callId % 2 === 0 ? "even" : "odd",
      ...(callId % 5 === 0 && { tags: { 'te"am': "x", team: "search" } }),
      ...(callId % 10 === 0 && { batchId: "batch_1" }),
    };
    if (callId === 52) return { ...sampleOpenCall(shared), state: "open" };
    const failed = callId % 7 === 0;
    return sampleClosedCall({
      ...shared,
      state: failed ? "released" : "settled",
      result: failed ? "upstream_failed" : "completed",
      errorCode: failed ? "upstream_error" : undefined,
      model: callId % 3 === 0 ? "large" : "small",
      route: callId % 3 === 0 ? "b/large" : "a/small",
      provider: callId % 3 === 0 ? "b" : "a",
      capability: callId % 4 === 0 ? "messages" : "chat",
      closedAt: openedAt + callId,
      saleE8: failed ? 0n : BigInt(callId),
      costE8: 0n,
      chargedE8: 0n,
      lossE8: 0n,
    });
  });
}

async function withCalls(
  run: (
    page: (query: Partial<CallPageQuery>, options?: CallPageOptions) => ReturnType<
      typeof readCallPage
    >,
    calls: readonly StoredCall[],
  ) => void,
): Promise<void> {
  const calls = sampleCalls();
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const stores = createStores(database, path);
    const entries: Entry[] = [
      { kind: "create_project", project: sampleProject({ unlimited: true }) },
      ...calls.map((call): Entry =>
        call.state === "open" ? { kind: "hold", call } : { kind: "close", call }
      ),
    ];
    assert.deepEqual(stores.commitBatch(entries).filter(({ ok }) => !ok), []);
    run((query, options) => readCallPage(database, { ...ALL, ...query }, options), calls);
    database.close();
  });
}

Deno.test("readCallPage() finds what each filter asks for, newest first, whatever a step holds", async () => {
  await withCalls((page, calls) => {
    const at = (callId: number) => NOON_ISH + callId * MINUTE_MS;
    const closed = (call: StoredCall) => call.state === "open" ? undefined : call;
    const filters: readonly [Partial<CallPageQuery>, (call: StoredCall) => boolean][] = [
      [{}, () => true],
      [{ projectId: "nobody" }, () => false],
      [{ keyId: "odd" }, ({ keyId }) => keyId === "odd"],
      [{ model: "large", route: "b/large", provider: "b" }, ({ model }) => model === "large"],
      [{ capability: "messages" }, ({ capability }) => capability === "messages"],
      [{ outcomes: ["open"] }, ({ state }) => state === "open"],
      [{ outcomes: ["upstream_failed", "open"] }, (call) => closed(call)?.result !== "completed"],
      [{ errorCode: "upstream_error" }, (call) => closed(call)?.errorCode === "upstream_error"],
      [{ tags: { team: "search" } }, ({ tags }) => tags !== undefined],
      [{ tags: { team: "other" } }, () => false],
      [{ batchId: "batch_1" }, ({ batchId }) => batchId === "batch_1"],
      [{ idText: "003" }, ({ requestId }) => requestId.includes("003")],
      [{ slowerThanMs: 20 }, (call) => (closed(call)?.closedAt ?? 0) - call.openedAt > 20],
      [{ dearerThanE8: 30n }, (call) => (closed(call)?.saleE8 ?? 0n) > 30n],
      [{ fromMs: at(20), toMs: at(31) }, ({ callId }) => callId >= 20 && callId < 31],
      [{ beforeCallId: 9 }, ({ callId }) => callId < 9],
    ];
    for (const [query, isAsked] of filters) {
      const expected = calls.filter(isAsked).map(({ callId }) => callId).reverse();
      for (const stepRows of [1, 7, 40, 1000]) {
        const { calls: found, cut } = page(query, { stepRows });
        assert.deepEqual(
          found.map(({ callId }) => callId),
          expected,
          JSON.stringify(Object.keys(query)),
        );
        assert.equal(cut, undefined);
      }
    }
    assert.deepEqual(
      page({ idText: "req_0009" }).calls,
      calls.filter(({ callId }) => callId === 9),
    );
  });
});

Deno.test("readCallPage() stops at its bounds, tells where, and goes on from there", async () => {
  await withCalls((page, calls) => {
    const wanted = { keyId: "odd", limit: 3 };
    const full = page(wanted, { stepRows: 2 });
    assert.deepEqual([full.calls.length, full.cut], [3, undefined]);
    const found: number[] = [];
    let beforeCallId: number | undefined;
    let pages = 0;
    for (;;) {
      const { calls: some, cut } = page(
        { keyId: "odd", mostRows: 4, beforeCallId },
        { stepRows: 2 },
      );
      pages++;
      found.push(...some.map(({ callId }) => callId));
      if (cut === undefined) break;
      assert.equal(cut.rows, 4);
      const last = calls.find(({ callId }) => callId === cut.callId)!;
      assert.deepEqual([cut.requestId, cut.openedAt], [last.requestId, last.openedAt]);
      beforeCallId = cut.callId;
    }
    assert.equal(pages, CALLS / 4);
    assert.deepEqual(found, page({ keyId: "odd" }).calls.map(({ callId }) => callId));
    let ms = 0;
    const late = page({ keyId: "nobody", withinMs: 2 }, { stepRows: 10, now: () => ms++ });
    assert.equal(late.cut?.rows, 20);
  });
});
