/**
 * Wrapped seals: what they name, and whom they are believed of.
 *
 * @module
 */

import assert from "node:assert/strict";
import { isOwnSeal } from "../../../src/dialects/turns/own_seal.ts";
import { ThoughtSeals, unwrapSeal } from "../../../src/dialects/turns/thought_seals.ts";

const SEALS = new ThoughtSeals(new Uint8Array(32).fill(7));
const SEAL = { of: "anthropic_messages", value: "Eq.QB+/=\n" };

Deno.test("a wrapped seal names its route and keeps the upstream's", () => {
  const wrapped = SEALS.wrap("claude/sonnet ü", SEAL);
  assert.ok(isOwnSeal(wrapped));
  assert.deepEqual(unwrapSeal(wrapped), SEAL);
  assert.equal(SEALS.routeOf(wrapped), "claude/sonnet ü");
  const plain = SEALS.wrap("claude/sonnet ü");
  assert.equal(unwrapSeal(plain), undefined);
  assert.equal(SEALS.routeOf(plain), "claude/sonnet ü");
});

Deno.test("a seal of somebody else's making names no route", () => {
  const wrapped = SEALS.wrap("cheap", SEAL);
  const [prefix, route, mac] = wrapped.split(".");
  const other = btoa("dear").replaceAll("=", "");
  for (
    const forged of [
      `${prefix}.${other}.${mac}.${SEAL.of}.${SEAL.value}`,
      `${prefix}.${route}.${mac}`,
      `${prefix}.${route}.${mac}.${SEAL.of}.more`,
      `${prefix}.${route}`,
      "tg1.thoughts",
      "tg1.",
      new ThoughtSeals(new Uint8Array(32)).wrap("cheap", SEAL),
    ]
  ) {
    assert.equal(SEALS.routeOf(forged), undefined, forged);
    assert.ok(isOwnSeal(forged));
  }
});
