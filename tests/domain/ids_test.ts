/**
 * Request ids.
 *
 * @module
 */
import assert from "node:assert/strict";
import { countCallsFrom, RequestIds } from "../../src/domain/ids.ts";

const KEY = new Uint8Array(16).fill(7);

Deno.test("RequestIds.next() makes ids that lead to their calls, at this start and the next", () => {
  for (const last of [0, 41, 2 ** 32 - 2, 2 ** 52]) {
    const ids = new RequestIds(countCallsFrom(last), KEY);
    for (let more = 1; more <= 3; more++) {
      const { requestId, callId } = ids.next();
      assert.equal(callId, last + more);
      assert.match(requestId, /^req_[a-z2-7]{26}$/);
      assert.equal(ids.callIdOf(requestId), callId);
      assert.equal(new RequestIds(countCallsFrom(9), KEY).callIdOf(requestId), callId);
    }
  }
});

Deno.test("RequestIds.next() tells nobody how many requests there were", () => {
  const ids = new RequestIds(countCallsFrom(0), KEY);
  const made = Array.from({ length: 2000 }, () => ids.next().requestId.slice("req_".length));
  assert.equal(new Set(made).size, made.length);
  // Neither in order nor alike: of the 14 characters behind the prefix any two ids share few.
  assert.notDeepEqual([...made].sort(), made);
  const tails = made.map((id) => id.slice(12));
  for (let at = 1; at < tails.length; at++) {
    const alike = [...tails[at]!].filter((character, index) => character === tails[at - 1]![index]);
    assert.ok(alike.length < 8, `${tails[at - 1]} ${tails[at]}`);
  }
  // With another key the same numbers look otherwise: nobody can count them out.
  const others = new RequestIds(countCallsFrom(0), new Uint8Array(16).fill(8));
  const foreign = new Set(tails);
  for (let more = 0; more < 2000; more++) {
    assert.equal(foreign.has(others.next().requestId.slice(16)), false);
  }
});

Deno.test("RequestIds.callIdOf() reads earlier ids, and nothing that is none", () => {
  const ids = new RequestIds(countCallsFrom(0), KEY);
  assert.equal(ids.callIdOf("req_aaaaaaaaaaaa1"), 1);
  assert.equal(ids.callIdOf("req_abcdefghijkl7pr"), Number.parseInt("7pr", 36));
  for (const other of ["", "1", "req_", "req_aaaaaaaaaaaa", "req_AAAAAAAAAAAA1", "req_1", "x"]) {
    assert.equal(ids.callIdOf(other), undefined, other);
  }
});
