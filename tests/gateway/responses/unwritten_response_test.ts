/**
 * Answers in the background that storage does not take.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Caller } from "../../../src/accounts/key_directory.ts";
import type { StoredResponse } from "../../../src/domain/stored_response.ts";
import type { CallEngine } from "../../../src/gateway/call_engine.ts";
import type { AnswerKind, CallRequest } from "../../../src/gateway/call_request.ts";
import { BackgroundResponses } from "../../../src/gateway/responses/background_responses.ts";
import { reapAnswers } from "../../../src/gateway/responses/fail_unfinished.ts";
import type { ResponsePlan } from "../../../src/gateway/responses/own_response.ts";
import type { Ask, Provider, ProviderCall } from "../../../src/providers/contract/provider.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import type { Entry, EntryResult } from "../../../src/storage/ports/entry.ts";
import type { ResponseStore } from "../../../src/storage/ports/storage.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import { commitsBy } from "../../support/commits_by.ts";
import { chatRoute } from "../../support/provider_parts.ts";

const FULL: EntryResult = { ok: false, reason: "full", message: "disk is full at /secret/path" };

const PLAN: ResponsePlan = {
  takeRoom: () => undefined,
  promiseRoom: () => ({ left: 0, spend() {}, end() {} }),
  id: "resp_1",
  call: {
    model: "m",
    body: { model: "m", input: [] },
    bodyBytes: 10,
    identity: { requestId: "req_1", callId: 1 },
    caller: { project: { id: "acme" } } as Caller,
  } as unknown as CallRequest,
  own: { store: true, background: true, previous_response_id: null },
  input: [],
  sealSummary: (summary) => summary,
  conversation: [],
  earlierItems: 0,
  previousId: undefined,
  isStored: true,
  isBackground: true,
  createdAt: 0,
};

/** A storage that answers as told, and notes what it was given. */
function commitsThat(answer: (entry: Entry) => EntryResult) {
  const entries: Entry[] = [];
  return {
    entries,
    commits: commitsBy((entry) => {
      entries.push(entry);
      return Promise.resolve(answer(entry));
    }),
  };
}

/** An engine that lets everything in, and asks a provider. */
function engineWith(answer: Ask): CallEngine {
  const provider = { speaks: { openai_responses: { answer } } } as unknown as Provider;
  const call: ProviderCall = { route: chatRoute(), body: {}, outputTokensCap: undefined };
  const serve = async ({ signal }: CallRequest, kind: AnswerKind): Promise<JsonObject> =>
    (await kind.invoke(provider, call, signal)).body;
  return { answer: serve } as unknown as CallEngine;
}

const NO_RESPONSES: ResponseStore = {
  find: () => Promise.resolve(undefined),
  size: () => Promise.resolve(undefined),
  conversationSize: () => Promise.resolve(0),
  owners: () => Promise.resolve([]),
  unfinished: () => Promise.resolve([]),
};

Deno.test("nobody is asked for an answer in the background that cannot be kept", async () => {
  let asked = 0;
  const errors: unknown[] = [];
  const { commits, entries } = commitsThat(() => FULL);
  const background = new BackgroundResponses({
    engine: engineWith(() => {
      asked++;
      return Promise.resolve({ body: {}, usage: undefined, text: () => "" });
    }),
    responses: NO_RESPONSES,
    commits,
    onError: (error) => errors.push(error),
  });
  await assert.rejects(background.start(PLAN), (error: Error & { code?: string }) => {
    assert.equal(error.code, "storage_full");
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  assert.equal(asked, 0);
  // Its call came to nothing too, and that is no trouble of the gateway's.
  assert.deepEqual(entries.map(({ kind }) => kind), ["put_response"]);
  assert.deepEqual(errors.filter((error) => !(error instanceof UpstreamError)), []);
  await background.stop();
});

Deno.test("an answer in the background is given up when its row cannot even be tried", async () => {
  const defect = new TypeError("a defect");
  const background = new BackgroundResponses({
    engine: engineWith(() => assert.fail("somebody was asked")),
    responses: NO_RESPONSES,
    commits: commitsBy(() => Promise.reject(defect)),
    onError: (error) => assert.ok(error instanceof UpstreamError, String(error)),
  });
  await assert.rejects(background.start(PLAN), defect);
  // There is nothing left to wait for.
  await background.stop();
});

Deno.test("an answer whose end was not written is failed by who looks at it, and no other", async () => {
  const queued = sampleResponse({ isBackground: true, status: "queued" });
  const completed: StoredResponse = { ...queued, status: "completed" };
  const lookAt = async (
    { now, result, kept = queued }: {
      readonly now: StoredResponse | undefined;
      readonly result: EntryResult;
      readonly kept?: StoredResponse;
    },
  ) => {
    const { commits, entries } = commitsThat(() => result);
    const errors: unknown[] = [];
    const seen = await new BackgroundResponses({
      engine: engineWith(() => assert.fail("somebody was asked")),
      responses: { ...NO_RESPONSES, find: () => Promise.resolve(now) },
      commits,
      onError: (error) => errors.push(error),
    }).look(kept);
    return { seen, entries, errors };
  };
  for (const result of [{ ok: true }, FULL] as const) {
    const { seen, entries, errors } = await lookAt({ now: queued, result });
    assert.equal(seen!.status, "failed");
    const { status, error } = JSON.parse(seen!.body);
    assert.deepEqual([status, error.code], ["failed", "server_error"]);
    assert.match(error.message, /could not write/);
    assert.deepEqual(entries, [{ kind: "change_response", response: seen }]);
    assert.equal(errors.length, result.ok ? 0 : 1);
  }
  // Written after it was read, deleted meanwhile, or at its end before.
  const ok = { ok: true } as const;
  for (const now of [completed, undefined]) {
    assert.deepEqual(await lookAt({ now, result: ok }), { seen: now, entries: [], errors: [] });
  }
  assert.deepEqual(
    await lookAt({ now: undefined, result: ok, kept: completed }),
    { seen: completed, entries: [], errors: [] },
  );
});

Deno.test("an end that cannot be written is told to the operator", async () => {
  const told = Promise.withResolvers<unknown>();
  const { commits, entries } = commitsThat(({ kind }) =>
    kind === "put_response" ? { ok: true } : FULL
  );
  const background = new BackgroundResponses({
    engine: engineWith(() => Promise.reject(new UpstreamError("broken", "gone"))),
    responses: NO_RESPONSES,
    commits,
    onError: told.resolve,
  });
  assert.equal(JSON.parse(await background.start(PLAN)).status, "queued");
  assert.match(String(await told.promise), /Cannot store the end of resp_1: disk is full/);
  assert.deepEqual(entries.map(({ kind }) => kind), ["put_response", "change_response"]);
});

Deno.test("reapAnswers() ends every unfinished answer of a session once, thousands too, and no deleted one", async () => {
  const unfinished = Array.from(
    { length: 2_500 },
    (_, index) => sampleResponse({ callId: index + 1, isBackground: true, status: "queued" }),
  );
  const { commits, entries } = commitsThat((entry) => {
    assert.ok(entry.kind === "change_response");
    unfinished.shift();
    return entry.response.callId === 7
      ? { ok: false, reason: "missing", message: "deleted" }
      : { ok: true };
  });
  const responses: ResponseStore = {
    ...NO_RESPONSES,
    unfinished: (session, limit) =>
      Promise.resolve(session === 7 ? unfinished.slice(0, limit) : []),
  };
  await reapAnswers(6, { responses, commits });
  assert.equal(entries.length, 0);
  await reapAnswers(7, { responses, commits });
  assert.equal(entries.length, 2_500);
  const [first] = entries as Extract<Entry, { readonly kind: "change_response" }>[];
  assert.equal(first!.response.status, "failed");
  const body = JSON.parse(first!.response.body);
  assert.equal(body.status, "failed");
  assert.deepEqual([body.error.code, body.error.type], ["server_error", "server_error"]);
  assert.match(body.error.message, /gateway was stopped/);

  unfinished.push(sampleResponse({ isBackground: true, status: "queued" }));
  const broken = commitsThat(() => FULL);
  await assert.rejects(
    reapAnswers(7, { responses, commits: broken.commits }),
    /Cannot store the end of resp_1/,
  );
});
