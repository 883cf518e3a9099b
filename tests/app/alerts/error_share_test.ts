import assert from "node:assert/strict";
import { ErrorShare } from "../../../src/app/alerts/error_share.ts";

Deno.test("the share of failed calls is of five minutes, and of twenty calls at least", () => {
  const share = new ErrorShare();
  const add = (count: number, status: number) => {
    for (let at = 0; at < count; at++) share.add(status);
  };
  add(19, 503);
  assert.equal(share.read(0), undefined);
  add(1, 200);
  assert.deepEqual(share.read(10_000), { calls: 20, failed: 19 });
  add(30, 429);
  assert.deepEqual(share.read(200_000), { calls: 50, failed: 19 });
  for (let at = 210_000; at <= 490_000; at += 10_000) share.read(at);
  assert.deepEqual(share.read(495_000), { calls: 30, failed: 0 });
  for (let at = 500_000; at <= 900_000; at += 10_000) share.read(at);
  assert.equal(share.read(900_000), undefined);
});
