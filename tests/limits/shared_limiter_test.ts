/**
 * Limiters of several nodes that share limits: who waits, and what those are told who are refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Limits } from "../../src/domain/catalogue.ts";
import { type Admission, Limiter, type LimitSubject } from "../../src/limits/limiter.ts";
import type { Permit } from "../../src/limits/permit.ts";
import { FakeLater } from "../support/fake_later.ts";
import { LimitingNodes } from "../support/limiting_nodes.ts";

class Nodes extends LimitingNodes {
  async place(node: number, limits: Limits, withinMs?: number): Promise<Admission> {
    return await this.soon(this.limiters[node]!.enterWhenRoom(subject(limits)), withinMs);
  }

  async call(node: number, limits: Limits, { tokens = 0, withinMs = 0 } = {}) {
    const permit = permitOf(await this.place(node, limits));
    const counting = this.limiters[node]!.countWhenRoom(permit, subject(limits), tokens);
    return await this.soon(counting, withinMs);
  }
}

function subject(limits: Limits): readonly [LimitSubject] {
  return [{ scope: "project", id: "p", limits }];
}

function permitOf(admission: Admission): Permit {
  assert.equal(admission.kind, "permit");
  return (admission as Extract<Admission, { kind: "permit" }>).permit;
}

Deno.test("nodes admit as many together as one would, and the next is told of the whole limit", async () => {
  const nodes = new Nodes(2);
  const limits = { requestsPerMinute: 10 };
  for (let call = 0; call < 10; call++) {
    assert.equal(await nodes.call(call % 3 === 0 ? 0 : 1, limits, { withinMs: 280 }), undefined);
  }
  for (const node of [0, 1]) {
    const { retryAfterSeconds, ...refusal } = (await nodes.call(node, limits, { withinMs: 400 }))!;
    assert.deepEqual(refusal, {
      scope: "project",
      id: "p",
      limit: "requests_per_minute",
      max: 10,
    });
    assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60);
    const left = nodes.limiters[node]!.remaining(subject(limits)[0]);
    assert.equal(left.requests!.limit, 10);
    assert.equal(left.requests!.remaining, 0);
  }
  await nodes.time.advance(60_000);
  await nodes.time.advance(250);
  for (let call = 0; call < 10; call++) {
    assert.equal(await nodes.call(1, limits, { withinMs: 600 }), undefined);
  }
});

Deno.test("a call that is short gets what another node can spare", async () => {
  const nodes = new Nodes(2);
  const limits = { tokensPerMinute: 1_000 };
  assert.equal(await nodes.call(0, limits, { tokens: 300 }), undefined);
  await nodes.time.advance(250);
  // It has kept some for calls to come.
  assert.equal(await nodes.call(1, limits, { tokens: 650, withinMs: 310 }), undefined);
  assert.equal((await nodes.call(0, limits, { tokens: 100, withinMs: 400 }))!.max, 1_000);
});

Deno.test("what alone is more than the limit waits for nothing", async () => {
  const nodes = new Nodes(2);
  const limits = { tokensPerMinute: 1_000 };
  const refusal = await nodes.call(0, limits, { tokens: 1_001 });
  assert.equal(refusal!.limit, "tokens_per_minute");
  assert.equal(refusal!.retryAfterSeconds, 60);
});

Deno.test("a place that one node leaves is another's within a moment", async () => {
  const nodes = new Nodes(2);
  const limits = { concurrent: 2 };
  const first = permitOf(await nodes.place(0, limits, 300));
  permitOf(await nodes.place(0, limits, 300));
  const refused = await nodes.place(1, limits, 400);
  assert.deepEqual(refused, {
    ...{ kind: "refused", scope: "project", id: "p" },
    ...{ limit: "concurrent", max: 2, retryAfterSeconds: 1 },
  });
  first.release();
  permitOf(await nodes.place(1, limits, 310));
  assert.equal((await nodes.place(0, limits, 400)).kind, "refused");
});

Deno.test("a node that has heard nothing yet says that all of a limit is left", () => {
  const [limiter] = new Nodes(2).limiters;
  const limits = { requestsPerMinute: 10, tokensPerMinute: 20, concurrent: 3 };
  const { requests, tokens, concurrent } = limiter!.remaining(subject(limits)[0]);
  const left = [requests!.remaining, tokens!.remaining, concurrent!.remaining];
  assert.deepEqual(left, [10, 20, 3]);
});

Deno.test("where a node is alone there is nothing to wait for", () => {
  const limiter = new Limiter({ clock: new FakeLater().clock });
  const limits = { requestsPerMinute: 1, concurrent: 1 };
  const admitted = limiter.enterWhenRoom(subject(limits));
  assert.ok(!(admitted instanceof Promise));
  assert.ok(!(limiter.enterWhenRoom(subject(limits)) instanceof Promise));
  const permit = permitOf(admitted);
  assert.equal(limiter.countWhenRoom(permit, subject(limits), 0), undefined);
  assert.ok(!(limiter.countWhenRoom(permit, subject(limits), 0) instanceof Promise));
});
