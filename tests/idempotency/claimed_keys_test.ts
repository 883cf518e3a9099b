/**
 * Requests with a key at several processes that use one database: its claims and its answers are in
 * memory here, and each process waits by steps that the test gives.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { IdempotencyRecord, IdempotencyScope } from "../../src/domain/idempotency.ts";
import { GatewayError } from "../../src/errors.ts";
import { ClaimedKeys } from "../../src/idempotency/claimed_keys.ts";
import type { Lead } from "../../src/idempotency/repeated_requests.ts";
import type { KeyClaim } from "../../src/storage/ports/key_claims.ts";
import {
  isError,
  readAll,
  repeatedRequestsBench,
  settled,
} from "../support/repeated_requests_bench.ts";

/** Processes that share claims and answers. */
function cluster() {
  const claims = new Map<string, KeyClaim & { readonly owner: string; isWanted: boolean }>();
  const stored = new Map<string, IdempotencyRecord>();
  const ended = new Set<string>();
  const placeOf = ({ projectId, path, key }: IdempotencyScope) => `${projectId} ${path} ${key}`;
  let waiting: (() => void)[] = [];
  function node(owner: string) {
    const claimed = new ClaimedKeys({
      claims: {
        claim(claim) {
          const other = claims.get(placeOf(claim.scope));
          if (other !== undefined && other.owner !== owner && !ended.has(other.owner)) {
            return Promise.resolve(other);
          }
          claims.set(placeOf(claim.scope), { ...claim, owner, isWanted: false });
          return Promise.resolve(undefined);
        },
        want(scope) {
          const claim = claims.get(placeOf(scope));
          if (claim !== undefined && claim.owner !== owner) claim.isWanted = true;
          return Promise.resolve();
        },
        isWanted({ scope, requestId }) {
          const claim = claims.get(placeOf(scope));
          return Promise.resolve(claim?.requestId === requestId && claim.isWanted);
        },
        free({ scope, requestId }) {
          if (claims.get(placeOf(scope))?.requestId === requestId) claims.delete(placeOf(scope));
          return Promise.resolve();
        },
      },
      delay: (_ms, signal) =>
        new Promise((resolve) => {
          waiting.push(resolve);
          signal.addEventListener("abort", () => resolve());
        }),
    });
    const bench = repeatedRequestsBench({ stored, claimed });
    let number = 0;
    const request = (changes: { fingerprint?: string } = {}) => ({
      ...bench.request(changes),
      requestId: `${owner}_${++number}`,
    });
    return { ...bench, request };
  }
  return {
    node,
    claims,
    end: (owner: string) => ended.add(owner),
    /** Lets everyone who waits look again. */
    async look() {
      await settled();
      const due = waiting;
      waiting = [];
      for (const resolve of due) resolve();
      await settled();
    },
    /** Nobody waits for what is going on elsewhere any more. */
    unwant() {
      for (const claim of claims.values()) claim.isWanted = false;
    },
  };
}

/** Work that ends when the test says so, with what its signal has said. */
function heldWork({ stored }: Pick<ReturnType<typeof repeatedRequestsBench>, "stored">) {
  const gate = Promise.withResolvers<void>();
  const leads: Lead[] = [];
  const lead = async (one: Lead) => {
    leads.push(one);
    await Promise.race([
      gate.promise,
      new Promise((_, reject) => one.signal.addEventListener("abort", () => reject(gone()))),
    ]);
    const body = '{"held":1}';
    const record = one.toRecord(body);
    stored.set(`${record.projectId} ${record.path} ${record.key}`, record);
    return body;
  };
  return { lead, leads, finish: () => gate.resolve() };
}

const gone = () => new GatewayError("client_closed_request", "gone");

Deno.test("a request with a key is answered by one process, and those elsewhere get its answer", async () => {
  const nodes = cluster();
  const [first, second] = [nodes.node("a"), nodes.node("b")];
  const work = heldWork(first);
  const leading = first.requests.answer(first.request(), work.lead);
  await settled();
  const following = second.requests.answer(second.request(), second.lead);
  await nodes.look();
  await nodes.look();
  assert.equal(second.led(), 0);
  work.finish();
  assert.equal((await leading).isRepeated, false);
  await nodes.look();
  const answer = await following;
  assert.deepEqual(answer, {
    status: 200,
    requestId: "a_1",
    body: '{"held":1}',
    isRepeated: true,
  });
  assert.equal(second.led(), 0);
  await settled();
  assert.equal(nodes.claims.size, 0);
});

Deno.test("a key that another process answers is refused to another request at once", async () => {
  const nodes = cluster();
  const [first, second] = [nodes.node("a"), nodes.node("b")];
  const work = heldWork(first);
  const leading = first.requests.answer(first.request(), work.lead);
  await settled();
  await assert.rejects(
    second.requests.answer(second.request({ fingerprint: "f2" }), second.lead),
    isError("idempotency_key_reused"),
  );
  work.finish();
  await leading;
});

Deno.test("a key is free for others when its request fails, and when its process ends", async () => {
  const nodes = cluster();
  const [first, second] = [nodes.node("a"), nodes.node("b")];
  const gate = Promise.withResolvers<void>();
  const failing = first.requests.answer(first.request(), async () => {
    await gate.promise;
    throw new GatewayError("storage_full", "full");
  });
  await settled();
  const following = second.requests.answer(second.request(), second.lead);
  await nodes.look();
  gate.resolve();
  await assert.rejects(failing, GatewayError);
  await nodes.look();
  assert.equal((await following).requestId, "b_1");

  const [third, fourth] = [nodes.node("c"), nodes.node("d")];
  const other = { scope: { projectId: "p", path: "/videos", key: "k2" } };
  const work = heldWork(third);
  const dying = third.requests.answer({ ...third.request(), ...other }, work.lead);
  await settled();
  const heir = fourth.requests.answer({ ...fourth.request(), ...other }, fourth.lead);
  await nodes.look();
  nodes.end("c");
  await nodes.look();
  assert.equal((await heir).isRepeated, false);
  work.finish();
  await dying;
});

Deno.test("work goes on for those who wait elsewhere, and is given up when they have left too", async () => {
  const nodes = cluster();
  const [first, second] = [nodes.node("a"), nodes.node("b")];
  const work = heldWork(first);
  const request = first.request();
  const leading = first.requests.answer(request, work.lead);
  const failed = assert.rejects(leading, isError("client_closed_request"));
  await settled();
  const waiting = second.request();
  const following = second.requests.answer(waiting, second.lead);
  const left = assert.rejects(following, isError("client_closed_request"));
  await nodes.look();
  request.leave();
  await nodes.look();
  assert.equal(work.leads[0]!.signal.aborted, false, "somebody waits elsewhere");
  waiting.leave();
  await left;
  nodes.unwant();
  await nodes.look();
  assert.equal(work.leads[0]!.signal.aborted, true);
  await failed;
  await settled();
  assert.equal(nodes.claims.size, 0);
});

Deno.test("work that nobody waits for is given up at once, as with one process", async () => {
  const nodes = cluster();
  const first = nodes.node("a");
  const work = heldWork(first);
  const request = first.request();
  const failed = assert.rejects(
    first.requests.answer(request, work.lead),
    isError("client_closed_request"),
  );
  await settled();
  request.leave();
  await settled();
  assert.equal(work.leads[0]!.signal.aborted, true);
  await failed;
});

Deno.test("a stream whose client has left is read to its end for those who wait elsewhere", async () => {
  const nodes = cluster();
  const [first, second] = [nodes.node("a"), nodes.node("b")];
  const source = first.source();
  const request = first.request();
  const { body } = await first.requests.stream(request, source.open);
  source.give("one ");
  assert.equal(await body.next(), "one ");
  const following = second.requests.stream(second.request(), second.source().open);
  await nodes.look();
  request.leave();
  await body.cancel();
  await nodes.look();
  source.give("two ");
  source.end("three");
  await settled();
  await nodes.look();
  const repeated = await following;
  assert.deepEqual([repeated.isRepeated, repeated.requestId], [true, "a_1"]);
  assert.equal(await readAll(repeated.body), "one two three");
  await settled();
  assert.equal(nodes.claims.size, 0);
});
