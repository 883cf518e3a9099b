import assert from "node:assert/strict";
import type { BatchLine } from "../../../src/domain/batch.ts";
import type { Entry, EntryResult } from "../../../src/storage/ports/entry.ts";
import {
  decodeBatch,
  decodeResults,
  encodeBatch,
  encodeResults,
} from "../../../src/storage/sqlite/batch_message.ts";
import { DONE, REPEATED } from "../../../src/storage/entries/entry_results.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import {
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  sampleProject,
} from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  sampleAnswer,
  sampleMessage,
  sampleTask,
  taskCall,
} from "../../conformance/storage_video_samples.ts";

/** A closed call in which no two neighbours could be swapped unseen. */
const DISTINCT = sampleClosedCall({
  requestId: "request",
  keyId: "key",
  model: "model",
  provider: "provider",
  route: "route",
  priceVersion: 7,
  unlimited: false,
  stream: true,
  firstByteMs: 31,
  attempts: 2,
  work: { input: 33, cachedInput: 34, output: 35, reasoning: 36, image: 3 },
  costE8: 41n,
  saleE8: 42n,
  chargedE8: 43n,
  lossE8: 44n,
  errorCode: "error",
  terms: { serviceTier: "tier" },
  tags: { team: "tag" },
  batchId: "batch_1",
  sticky: { route: "sticky/route", seal: "…end" },
  decision: { preference: "asked", ranked: [["route", "place"]], leftOut: [["out", "reason"]] },
  failedAttempts: [{ route: "failed", failure: "broken", status: 503, ms: 45, message: "words" }],
});

/** A kept answer in which no two neighbours could be swapped unseen. */
const KEPT = sampleResponse({
  callId: 71,
  projectId: "kept",
  status: "incomplete",
  previousId: "resp_before",
});

const LONG = "long ".repeat(2_000);

const LINE: BatchLine = {
  batchId: "batch_1",
  line: 7,
  isFailed: false,
  text: "line",
  usage: { inputTokens: 1, cachedTokens: 2, outputTokens: 3, reasoningTokens: 4 },
};

const ENTRIES: readonly Entry[] = [
  { kind: "hold", call: sampleOpenCall({ unlimited: true, heldE8: 0n }) },
  { kind: "rehold", call: sampleOpenCall({ callId: 2, stream: true }) },
  { kind: "close", call: DISTINCT },
  { kind: "close", call: sampleClosedCall({ firstByteMs: undefined }) },
  { kind: "hold", call: taskCall(sampleTask({ callId: 5 })) },
  { kind: "rehold", call: taskCall(sampleTask({ callId: 6, size: "640x360", seconds: 12 })) },
  { kind: "close", call: closedTaskCall(sampleTask({ callId: 7 })) },
  createEntry(sampleTask({ fields: { a: [1, "x", null] } })),
  {
    kind: "change_video",
    task: completedTask(claimedTask(sampleTask())),
    move: taskCall(sampleTask()),
    close: closedTaskCall(sampleTask()),
    webhook: sampleMessage(),
  },
  { kind: "delete_video", taskId: "video_1", revision: 3, close: closedTaskCall(sampleTask()) },
  { kind: "store_answer", record: sampleAnswer() },
  { kind: "close", call: DISTINCT, response: KEPT },
  { kind: "close", call: DISTINCT, response: sampleResponse() },
  { kind: "close", call: sampleClosedCall({ callId: 8 }) },
  { kind: "close", call: DISTINCT, idempotency: sampleAnswer({ key: "alone" }) },
  { kind: "store_answer", record: sampleAnswer({ body: undefined }), responseId: "resp_1" },
  {
    kind: "close",
    call: DISTINCT,
    response: KEPT,
    idempotency: sampleAnswer({ key: "both", stream: { provider: "p", route: "r" } }),
  },
  {
    kind: "close",
    call: DISTINCT,
    response: sampleResponse({ input: LONG, body: `${LONG} body` }),
    idempotency: sampleAnswer({ key: "long", body: LONG }),
  },
  { kind: "close", call: DISTINCT, response: sampleResponse({ body: LONG }) },
  { kind: "close", call: DISTINCT, batchLine: LINE },
  {
    kind: "close",
    call: DISTINCT,
    response: sampleResponse({ body: LONG }),
    idempotency: sampleAnswer({ key: "line" }),
    batchLine: { ...LINE, line: 8, isFailed: true, text: `${LONG} line` },
  },
  { kind: "put_response", response: sampleResponse({ isBackground: true, status: "queued" }) },
  { kind: "change_response", response: KEPT },
  { kind: "delete_response", responseId: "resp_1", projectId: "acme" },
  { kind: "credit", projectId: "acme", amountE8: 1n << 59n, reference: undefined, at: NOON_ISH },
  { kind: "create_project", project: sampleProject() },
  { kind: "update_project", project: sampleProject() },
  { kind: "create_key", key: sampleKey() },
  { kind: "update_key", key: sampleKey({ models: ["a"] }) },
  { kind: "delete_key", keyId: "k" },
  { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
  { kind: "switch_route", routeId: "r", enabled: true, maintenance: false },
];

Deno.test("encodeBatch() puts no long text into the text of values", () => {
  const entry: Entry = {
    kind: "close",
    call: DISTINCT,
    response: sampleResponse({ input: LONG, body: LONG }),
  };
  const [values, ...beside] = encodeBatch([entry]);
  assert.ok(!values.includes("long "));
  assert.deepEqual(beside, [LONG, LONG]);
});

Deno.test("decodeBatch() gives back every kind of entry that encodeBatch() took", () => {
  assert.deepEqual(decodeBatch(structuredClone(encodeBatch(ENTRIES))), ENTRIES);
  assert.deepEqual(decodeBatch(structuredClone(encodeBatch([]))), []);
});

Deno.test("decodeResults() gives back every result that encodeResults() took", () => {
  const results: EntryResult[] = [
    DONE,
    REPEATED,
    { ok: true, catalogue: sampleCatalogue() },
    { ok: false, reason: "conflict", message: "no" },
  ];
  assert.deepEqual(decodeResults(structuredClone(encodeResults(results))), results);
  const successes = [DONE, DONE, DONE];
  assert.deepEqual(decodeResults(structuredClone(encodeResults(successes))), successes);
});
