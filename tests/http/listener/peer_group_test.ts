/**
 * Who counts as one peer.
 *
 * @module
 */
import assert from "node:assert/strict";
import { isLoopback, peerGroup } from "../../../src/http/listener/peer_group.ts";

for (
  const [address, group] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:db8:1:2::9", "2001:db8:1:2::"],
    ["2001:0DB8:0001:2::", "2001:db8:1:2::"],
    ["2001:db8::7:8", "2001:db8:0:0::"],
    ["fe80::1%eth0", "fe80:0:0:0::"],
    ["::1", "0:0:0:0::"],
    ["unix", "unix"],
  ] as const
) {
  Deno.test(`peerGroup() of ${address} is ${group}`, () => assert.equal(peerGroup(address), group));
}

Deno.test("isLoopback() knows this machine's own addresses", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    assert.equal(isLoopback(address), true, address);
  }
  for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1", "unix"]) {
    assert.equal(isLoopback(address), false, address);
  }
});
