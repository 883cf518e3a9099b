/**
 * Admission: exact at the edges, all or nothing, true about when to come back.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Limits } from "../../src/domain/catalogue.ts";
import { Limiter, type LimitRefusal, type LimitSubject } from "../../src/limits/limiter.ts";
import type { Permit } from "../../src/limits/permit.ts";
import { seededRandom } from "../support/catalogue_parts.ts";
import { admit } from "../support/admit.ts";
import { FakeClock } from "../support/fake_clock.ts";

function project(limits: Limits, id = "p"): LimitSubject {
  return { scope: "project", id, limits };
}

function key(limits: Limits, id = "k"): LimitSubject {
  return { scope: "key", id, limits };
}

function bench() {
  const clock = new FakeClock();
  return { clock, limiter: new Limiter({ clock }) };
}

function admitted(limiter: Limiter, subjects: readonly LimitSubject[], tokens = 0): Permit {
  const admission = admit(limiter, subjects, tokens);
  if (admission.kind !== "permit") assert.fail(JSON.stringify(admission));
  return admission.permit;
}

function refused(limiter: Limiter, subjects: readonly LimitSubject[], tokens = 0): LimitRefusal {
  const admission = admit(limiter, subjects, tokens);
  if (admission.kind !== "refused") assert.fail("The call was admitted");
  return admission;
}

Deno.test("admit() admits without limits and remembers nothing", () => {
  const { limiter } = bench();
  const permit = admitted(limiter, [project({}), key({ openVideoTasks: 1 })], 1e9);
  permit.correct(5);
  permit.release();
  admitted(limiter, []);
  assert.equal(limiter.size, 0);
});

Deno.test("admit() refuses the call after the last one of a minute, until its second is past", () => {
  const { clock, limiter } = bench();
  clock.advance(500);
  const subjects = [project({ requestsPerMinute: 3 })];
  admitted(limiter, subjects);
  clock.advance(10_000);
  admitted(limiter, subjects);
  admitted(limiter, subjects);
  // The first was taken in second 5; it counts through second 64.
  assert.deepEqual(refused(limiter, subjects), {
    kind: "refused",
    scope: "project",
    id: "p",
    limit: "requests_per_minute",
    max: 3,
    retryAfterSeconds: 50,
  });
  clock.advance(49_499);
  assert.equal(refused(limiter, subjects).retryAfterSeconds, 1);
  clock.advance(1);
  admitted(limiter, subjects);
  assert.equal(refused(limiter, subjects).retryAfterSeconds, 10);
});

Deno.test("admit() takes tokens up to the limit exactly", () => {
  const { limiter } = bench();
  const subjects = [key({ tokensPerMinute: 1_000 })];
  admitted(limiter, subjects, 600);
  admitted(limiter, subjects, 400);
  admitted(limiter, subjects, 0);
  assert.deepEqual(refused(limiter, subjects, 1), {
    kind: "refused",
    scope: "key",
    id: "k",
    limit: "tokens_per_minute",
    max: 1_000,
    retryAfterSeconds: 60,
  });
});

Deno.test("admit() says a minute where a call alone exceeds the limit", () => {
  const { limiter } = bench();
  assert.equal(refused(limiter, [key({ tokensPerMinute: 10 })], 11).retryAfterSeconds, 60);
  const none = refused(limiter, [key({ requestsPerMinute: 0 })]);
  assert.equal(none.retryAfterSeconds, 60);
});

Deno.test("admit() limits how many run at once; release() makes room, once", () => {
  const { limiter } = bench();
  const subjects = [project({ concurrent: 2 })];
  const first = admitted(limiter, subjects);
  admitted(limiter, subjects);
  const refusal = refused(limiter, subjects);
  assert.deepEqual([refusal.limit, refusal.max, refusal.retryAfterSeconds], ["concurrent", 2, 1]);
  first.release();
  first.release();
  admitted(limiter, subjects);
  assert.equal(refused(limiter, subjects).limit, "concurrent");
});

Deno.test("a running call outlasts the window and still counts as running", () => {
  const { clock, limiter } = bench();
  const subjects = [project({ concurrent: 1 })];
  const permit = admitted(limiter, subjects);
  clock.advance(600_000);
  // Other subjects come and go meanwhile, so that idle ones are swept.
  for (let other = 0; other < 50; other++) {
    admitted(limiter, [project({ concurrent: 1 }, `o${other}`)]);
  }
  assert.equal(refused(limiter, subjects).limit, "concurrent");
  permit.release();
  admitted(limiter, subjects);
});

Deno.test("a refusal by one subject leaves no trace on the other", () => {
  const { limiter } = bench();
  const wide = project({ requestsPerMinute: 100, tokensPerMinute: 1_000, concurrent: 10 });
  const narrow = key({ requestsPerMinute: 1 });
  admitted(limiter, [wide, narrow], 100);
  for (let tries = 0; tries < 50; tries++) {
    assert.equal(refused(limiter, [wide, narrow], 100).scope, "key");
    assert.equal(refused(limiter, [narrow, wide], 100).scope, "key");
  }
  const left = limiter.remaining(wide);
  assert.equal(left.requests?.remaining, 99);
  assert.equal(left.tokens?.remaining, 900);
  assert.equal(left.concurrent?.remaining, 9);
});

Deno.test("a refusal names the limit that has room last, so that Retry-After is enough", () => {
  const { clock, limiter } = bench();
  const subjects = [
    project({ requestsPerMinute: 1 }),
    key({ tokensPerMinute: 100, concurrent: 9 }),
  ];
  admitted(limiter, [key({ tokensPerMinute: 100 })], 60);
  clock.advance(20_000);
  const permit = admitted(limiter, [project({ requestsPerMinute: 1 })]);
  const refusal = refused(limiter, subjects, 50);
  assert.deepEqual([refusal.limit, refusal.retryAfterSeconds], ["requests_per_minute", 60]);
  permit.release();
  clock.advance(60_000);
  admitted(limiter, subjects, 50);
});

Deno.test("of several limits without room the longest wait is told, wherever it is", () => {
  const { clock, limiter } = bench();
  const requests = { requestsPerMinute: 2 };
  const tokens = { tokensPerMinute: 100 };
  admitted(limiter, [project(requests), key(requests)], 0);
  clock.advance(20_000);
  // The first request makes room in 40 s, the tokens only in 60 s.
  admitted(limiter, [project(tokens), key(tokens)], 100);
  const both = { ...requests, ...tokens, concurrent: 9 };
  const orders = [
    [project(both)],
    [project(requests), key(tokens)],
    [key(tokens), project(requests)],
  ];
  for (const subjects of orders) {
    const refusal = refused(limiter, subjects, 1);
    assert.deepEqual([refusal.limit, refusal.retryAfterSeconds], ["tokens_per_minute", 60]);
  }
});

Deno.test("Retry-After is true: a second earlier is refused, then admitted", () => {
  const random = seededRandom(23);
  for (let round = 0; round < 300; round++) {
    const { clock, limiter } = bench();
    const subjects = [
      project({ requestsPerMinute: 5, tokensPerMinute: 1_000 }),
      key({ requestsPerMinute: 3, tokensPerMinute: 2_000 }),
    ];
    for (let step = 0; step < 30; step++) {
      clock.advance(Math.floor(random() * 12_000));
      const tokens = Math.floor(random() * 500);
      const admission = admit(limiter, subjects, tokens);
      if (admission.kind === "permit") continue;
      const { retryAfterSeconds } = admission;
      assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1);
      clock.advance((retryAfterSeconds - 1) * 1_000);
      assert.equal(
        admit(limiter, subjects, tokens).kind,
        "refused",
        `round ${round}, step ${step}`,
      );
      clock.advance(1_000);
      assert.equal(admit(limiter, subjects, tokens).kind, "permit", `round ${round}, step ${step}`);
    }
  }
});

Deno.test("correct() replaces the reserved tokens, down and up, in their own second", () => {
  const { clock, limiter } = bench();
  const subject = project({ tokensPerMinute: 1_000 });
  const left = () => limiter.remaining(subject).tokens?.remaining;
  const permit = admitted(limiter, [subject], 600);
  clock.advance(10_000);
  permit.correct(100);
  assert.equal(left(), 900);
  permit.correct(700);
  permit.correct(700);
  assert.equal(left(), 300);
  // More than was reserved may exceed the limit, which is then honest about it.
  permit.correct(1_500);
  assert.equal(left(), 0);
  assert.equal(refused(limiter, [subject], 1).retryAfterSeconds, 50);
  clock.advance(50_000);
  assert.equal(left(), 1_000);
  permit.correct(0);
  assert.equal(left(), 1_000);
});

Deno.test("correct() works after release(), and neither touches the other's part", () => {
  const { limiter } = bench();
  const subject = project({ tokensPerMinute: 1_000, concurrent: 1 });
  const permit = admitted(limiter, [subject], 600);
  permit.release();
  permit.correct(50);
  assert.equal(limiter.remaining(subject).tokens?.remaining, 950);
  assert.equal(limiter.remaining(subject).concurrent?.remaining, 1);
  admitted(limiter, [subject], 900).correct(10);
  assert.equal(limiter.remaining(subject).concurrent?.remaining, 0);
});

Deno.test("project and key of the same id are counted apart", () => {
  const { limiter } = bench();
  admitted(limiter, [project({ requestsPerMinute: 1 }, "same")]);
  admitted(limiter, [key({ requestsPerMinute: 1 }, "same")]);
  assert.equal(refused(limiter, [key({ requestsPerMinute: 1 }, "same")]).scope, "key");
});

Deno.test("a limit that changes finds true counts", () => {
  const { limiter } = bench();
  const permit = admitted(limiter, [project({ concurrent: 5 })], 400);
  const tokensLeft = () => limiter.remaining(project({ tokensPerMinute: 1_000 })).tokens?.remaining;
  assert.equal(tokensLeft(), 600);
  permit.correct(100);
  assert.equal(tokensLeft(), 900);
  assert.equal(refused(limiter, [project({ requestsPerMinute: 1 })]).limit, "requests_per_minute");
});

Deno.test("of many calls at once exactly as many are admitted as the limit allows", () => {
  for (
    const limits of [{ requestsPerMinute: 100 }, { concurrent: 100 }, { tokensPerMinute: 700 }]
  ) {
    const { limiter } = bench();
    const subjects = [project(limits), key({ requestsPerMinute: 1_000 })];
    const answers = Array.from({ length: 1_000 }, () => admit(limiter, subjects, 7));
    assert.equal(answers.filter(({ kind }) => kind === "permit").length, 100);
    assert.equal(limiter.remaining(subjects[1]!).requests?.remaining, 900);
  }
});

Deno.test("remaining() tells what is left and when it is whole again", () => {
  const { clock, limiter } = bench();
  const subject = project({ requestsPerMinute: 10, tokensPerMinute: 100 });
  assert.deepEqual(limiter.remaining(subject), {
    requests: { limit: 10, remaining: 10, resetMs: 0 },
    tokens: { limit: 100, remaining: 100, resetMs: 0 },
    concurrent: undefined,
  });
  assert.equal(limiter.size, 0);
  admitted(limiter, [subject], 30);
  clock.advance(15_000);
  admitted(limiter, [subject], 0);
  assert.deepEqual(limiter.remaining(subject), {
    requests: { limit: 10, remaining: 8, resetMs: 60_000 },
    tokens: { limit: 100, remaining: 70, resetMs: 45_000 },
    concurrent: undefined,
  });
  // A limit lowered below what is used is used up, not negative.
  assert.equal(limiter.remaining(project({ requestsPerMinute: 1 })).requests?.remaining, 0);
});

Deno.test("restore() counts calls by their age, and nothing older than the window", () => {
  const { clock, limiter } = bench();
  const subject = project({ requestsPerMinute: 10, tokensPerMinute: 1_000 });
  const at = clock.now();
  limiter.restore(subject, { requests: 2, tokens: 300, at: at - 40_000 });
  limiter.restore(subject, { requests: 1, tokens: 100, at: at - 10_000 });
  limiter.restore(subject, { requests: 5, tokens: 500, at: at - 60_000 });
  // The machine's clock was set back since: not into the future.
  limiter.restore(subject, { requests: 1, tokens: 50, at: at + 3_600_000 });
  limiter.restore(project({}, "free"), { requests: 1, tokens: 1, at });
  assert.equal(limiter.size, 1);
  assert.equal(limiter.remaining(subject).requests?.remaining, 6);
  assert.equal(limiter.remaining(subject).tokens?.remaining, 550);
  clock.advance(20_000);
  assert.equal(limiter.remaining(subject).requests?.remaining, 8);
  clock.advance(40_000);
  assert.equal(limiter.remaining(subject).requests?.remaining, 10);
});

Deno.test("setting the machine's clock neither empties nor fills a window", () => {
  const { clock, limiter } = bench();
  const subjects = [project({ requestsPerMinute: 1 })];
  admitted(limiter, subjects);
  clock.setWall(Date.UTC(2050, 0, 1));
  assert.equal(refused(limiter, subjects).retryAfterSeconds, 60);
  clock.setWall(0);
  clock.advance(60_000);
  admitted(limiter, subjects);
});

Deno.test("idle subjects are forgotten while others call", () => {
  const { clock, limiter } = bench();
  const limits = { requestsPerMinute: 5, concurrent: 5 };
  for (let id = 0; id < 5_000; id++) {
    admitted(limiter, [project(limits, `p${id}`), key(limits, `k${id}`)]).release();
  }
  assert.equal(limiter.size, 10_000);
  clock.advance(60_000);
  for (let calls = 0; calls < 5_010; calls++) admit(limiter, [project(limits), key(limits)], 0);
  assert.equal(limiter.size, 2);
});

Deno.test("a subject in steady use is not forgotten", () => {
  const { clock, limiter } = bench();
  const limits = { requestsPerMinute: 6 };
  for (let step = 0; step < 60; step++) {
    admitted(limiter, [project(limits)]).release();
    assert.equal(limiter.remaining(project(limits)).requests?.remaining, Math.max(0, 5 - step));
    // Enough other calls to sweep the book a few times over.
    for (let other = 0; other < 5; other++) admit(limiter, [project(limits, `o${other}`)], 0);
    clock.advance(10_000);
  }
});

Deno.test("uncount() takes back a request, which keeps its place and may be counted again", () => {
  const { limiter } = bench();
  const subject = project({ requestsPerMinute: 2, tokensPerMinute: 100, concurrent: 1 });
  const permit = admitted(limiter, [subject], 60);
  permit.uncount();
  permit.uncount();
  assert.equal(limiter.remaining(subject).requests?.remaining, 2);
  assert.equal(limiter.remaining(subject).tokens?.remaining, 100);
  assert.equal(limiter.enter([subject]).kind, "refused", "its place is taken");
  assert.equal(limiter.count(permit, [subject], 40), undefined);
  assert.equal(limiter.remaining(subject).requests?.remaining, 1);
  assert.equal(limiter.remaining(subject).tokens?.remaining, 60);
  permit.uncount();
  permit.release();
  assert.equal(limiter.remaining(subject).requests?.remaining, 2);
  assert.equal(limiter.enter([subject]).kind, "permit");
});

Deno.test("withdraw() leaves no trace of a call that was not made after all", () => {
  const { clock, limiter } = bench();
  const subject = project({ requestsPerMinute: 2, tokensPerMinute: 100, concurrent: 1 });
  const untouched = limiter.remaining(subject);
  const permit = admitted(limiter, [subject], 60);
  clock.advance(3_000);
  permit.withdraw();
  permit.withdraw();
  permit.release();
  assert.deepEqual(limiter.remaining(subject), untouched);
  const kept = admitted(limiter, [subject], 60);
  kept.release();
  kept.withdraw();
  assert.equal(limiter.remaining(subject).requests?.remaining, 1);
});
