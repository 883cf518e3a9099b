/**
 * Whose wrong keys keep whom from signing in.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Attempts } from "../../src/console/sign_in/attempts.ts";
import { FakeClock } from "../support/fake_clock.ts";

function attempts() {
  const clock = new FakeClock();
  clock.advance(3_600_000);
  const counted = new Attempts(clock);
  const fail = (address: string, times = 1) => {
    for (let time = 0; time < times; time++) {
      counted.secondsToWait(address);
      counted.noteFailure(address);
    }
  };
  return { clock, fail, waits: (address: string) => counted.secondsToWait(address) };
}

Deno.test("an address has ten wrong keys a minute, and keeps no other one waiting", () => {
  const { clock, fail, waits } = attempts();
  fail("192.0.2.1", 9);
  assert.equal(waits("192.0.2.1"), 0);
  fail("192.0.2.1");
  assert.ok(waits("192.0.2.1") > 0 && waits("192.0.2.1") <= 60);
  assert.equal(waits("192.0.2.2"), 0);
  clock.advance(60_000);
  assert.equal(waits("192.0.2.1"), 0);
});

Deno.test("however many strangers fail, who has not failed may try", () => {
  const { fail, waits } = attempts();
  for (let index = 0; index < 2_000; index++) fail(`198.51.${index >> 8}.${index & 255}`);
  assert.equal(waits("192.0.2.7"), 0);
  // Those who have failed wait, though each has failed but once.
  assert.ok(waits("198.51.7.1") > 0);
  // One's own typing error counts only while others try by the thousand.
  fail("192.0.2.7");
  assert.ok(waits("192.0.2.7") > 0);
});

Deno.test("addresses of one network of IPv6 are one guest's", () => {
  const { fail, waits } = attempts();
  for (let index = 0; index < 10; index++) fail(`2001:db8:0:7::${index.toString(16)}`);
  for (const same of ["2001:DB8::7:1:2:3:4", "2001:0db8:0000:0007:ffff::1"]) {
    assert.ok(waits(same) > 0, same);
  }
  for (const other of ["2001:db8:0:8::1", "2001:db8::1", "::1", "::ffff:192.0.2.1"]) {
    assert.equal(waits(other), 0, other);
  }
});

Deno.test("what is known of addresses is bounded", () => {
  const { fail, waits } = attempts();
  fail("192.0.2.1", 10);
  for (let index = 0; index < 10_000; index++) fail(`10.${index >> 8}.${index & 255}.1`);
  assert.equal(waits("192.0.2.1"), 0, "the one that failed first is forgotten");
  assert.ok(waits("10.39.15.1") > 0);
});
