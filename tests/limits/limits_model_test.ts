/**
 * Limits against a model that keeps every call in a list.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Limits, Route } from "../../src/domain/catalogue.ts";
import { Limiter, type LimitSubject } from "../../src/limits/limiter.ts";
import type { Permit } from "../../src/limits/permit.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import { seededRandom } from "../support/catalogue_parts.ts";
import { sampleRoute } from "../conformance/storage_samples.ts";
import { admit } from "../support/admit.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** One call as the model remembers it. */
interface Counted {
  readonly second: number;
  tokens: number;
  isOpen: boolean;
}

/** Everything of the last 60 one-second buckets, looked through for every question. */
class Model {
  readonly #calls: Counted[] = [];

  admits({ requestsPerMinute, tokensPerMinute, concurrent }: Limits, tokens: number, at: number) {
    const counted = this.#calls.filter(({ second }) => at - second < 60);
    const used = counted.reduce((sum, call) => sum + call.tokens, 0);
    return counted.length + 1 <= (requestsPerMinute ?? Infinity) &&
      used + tokens <= (tokensPerMinute ?? Infinity) &&
      this.#calls.filter(({ isOpen }) => isOpen).length + 1 <= (concurrent ?? Infinity);
  }

  add(tokens: number, second: number): Counted {
    const call = { second, tokens, isOpen: true };
    this.#calls.push(call);
    return call;
  }

  remove(call: Counted): void {
    this.#calls.splice(this.#calls.indexOf(call), 1);
  }
}

Deno.test("request 61 of a project, key or route is refused at 59.999 s and admitted at 60.000 s", () => {
  const limits = { requestsPerMinute: 60 };
  for (const scope of ["project", "key", "route"] as const) {
    const clock = new FakeClock();
    const limiter = new Limiter({ clock });
    const capacity = new RouteCapacity({ clock });
    const route: Route = sampleRoute({ limits });
    const admits = () =>
      scope === "route"
        ? capacity.enter(route, 10) !== undefined
        : admit(limiter, [{ scope, id: "x", limits }], 10).kind === "permit";
    for (let request = 1; request <= 60; request++) assert.equal(admits(), true, scope);
    assert.equal(admits(), false, scope);
    clock.advance(59_999);
    assert.equal(admits(), false, scope);
    clock.advance(1);
    for (let request = 1; request <= 60; request++) assert.equal(admits(), true, scope);
    assert.equal(admits(), false, scope);
  }
});

Deno.test("admit() decides as a list of all calls does, whatever comes, corrects and goes", () => {
  const random = seededRandom(41);
  const upTo = (most: number) => Math.floor(random() * most);
  for (let round = 0; round < 60; round++) {
    const clock = new FakeClock();
    clock.advance(upTo(1_000));
    const limiter = new Limiter({ clock });
    const limits = (): Limits => ({
      ...(random() < 0.8 && { requestsPerMinute: 1 + upTo(20) }),
      ...(random() < 0.8 && { tokensPerMinute: 1 + upTo(3_000) }),
      ...(random() < 0.5 && { concurrent: 1 + upTo(6) }),
    });
    const subjects: LimitSubject[] = [
      { scope: "project", id: "p", limits: { ...limits(), requestsPerMinute: 1 + upTo(25) } },
      { scope: "key", id: "k", limits: { ...limits(), tokensPerMinute: 1 + upTo(2_000) } },
    ];
    const models = subjects.map(() => new Model());
    const running: { readonly permit: Permit; readonly counted: readonly Counted[] }[] = [];
    let admissions = 0;
    for (let step = 0; step < 400; step++) {
      clock.advance(upTo(random() < 0.1 ? 30_000 : 900));
      const second = Math.floor(clock.monotonic() / 1_000);
      const tokens = upTo(400);
      const expected = models.every((model, index) =>
        model.admits(subjects[index]!.limits, tokens, second)
      );
      const admission = admit(limiter, subjects, tokens);
      assert.equal(admission.kind === "permit", expected, `round ${round}, step ${step}`);
      if (admission.kind === "permit") {
        admissions++;
        const counted = models.map((model) => model.add(tokens, second));
        running.push({ permit: admission.permit, counted });
      }
      if (running.length === 0 || random() < 0.4) continue;
      const [{ permit, counted }] = running.splice(upTo(running.length), 1) as [typeof running[0]];
      if (random() < 0.2) {
        permit.withdraw();
        models.forEach((model, index) => model.remove(counted[index]!));
      } else {
        const used = upTo(600);
        permit.correct(used);
        permit.release();
        for (const call of counted) Object.assign(call, { tokens: used, isOpen: false });
      }
    }
    assert.ok(admissions > 0);
  }
});

Deno.test("restore() counts calls of a route by their age, and leaves one without limits alone", () => {
  const clock = new FakeClock();
  const capacity = new RouteCapacity({ clock });
  const route = sampleRoute({ limits: { requestsPerMinute: 3, tokensPerMinute: 100 } });
  const at = clock.now();
  capacity.restore(route, { requests: 1, tokens: 40, at: at - 59_000 });
  capacity.restore(route, { requests: 1, tokens: 50, at: at - 10_000 });
  capacity.restore(route, { requests: 9, tokens: 900, at: at - 60_000 });
  capacity.restore(sampleRoute({ id: "free", limits: {} }), { requests: 1, tokens: 1, at });
  assert.equal(capacity.size, 1);
  assert.equal(capacity.secondsUntilRoom(route, 11), 1);
  assert.equal(capacity.secondsUntilRoom(route, 10), 0);
  clock.advance(1_000);
  assert.notEqual(capacity.enter(route, 50), undefined);
  assert.equal(capacity.enter(route, 1), undefined);
});

Deno.test("room on all routes of a model is room on each, whatever was let in since they were looked at", () => {
  let [found, looked] = [0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const integer = (most: number) => Math.floor(random() * (most + 1));
    const clock = new FakeClock();
    const capacity = new RouteCapacity({ clock });
    const limited = (id: string) =>
      sampleRoute({
        id,
        limits: {
          ...(random() < 0.7 && { requestsPerMinute: 20 + integer(60) }),
          ...(random() < 0.7 && { tokensPerMinute: 1_000 + integer(4_000) }),
          ...(random() < 0.4 && { concurrent: 3 + integer(10) }),
        },
      });
    const models = ["a", "b"].map((name) => [1, 2, 3].map((index) => limited(`${name}${index}`)));
    const permits: Permit[] = [];
    for (let step = 0; step < 400; step++) {
      const tokens = integer(80);
      for (const routes of models) {
        const each = routes.every((one) => capacity.secondsUntilRoom(one, tokens) === 0);
        const all = capacity.hasRoomOnAll(routes, tokens, clock.monotonic());
        assert.ok(!all || each, `seed ${seed}, step ${step}`);
        if (all) found++;
        if (each) looked++;
      }
      const { length } = permits;
      const some = permits[integer(Math.max(0, length - 1))];
      const act = random();
      if (act < 0.6) {
        const permit = capacity.enter(models[integer(1)]![integer(2)]!, tokens);
        if (permit !== undefined) permits.push(permit);
      } else if (act < 0.75) some?.correct(integer(300));
      else if (act < 0.9) some?.release();
      else if (act < 0.92) some?.withdraw();
      else if (act < 0.93) {
        const past = { requests: integer(5), tokens: integer(500), at: clock.now() };
        capacity.restore(models[0]![integer(2)]!, past);
      } else clock.advance(integer(5_000));
    }
  }
  // It need not be known, but mostly is.
  assert.ok(found > looked * 0.8, `${found} of ${looked}`);
});
