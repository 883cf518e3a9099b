/**
 * Whose word is taken on who asks.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseNetworks } from "../../../src/config/trusted_networks.ts";
import { createClientAddress } from "../../../src/http/listener/trusted_proxies.ts";

const of = createClientAddress(["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);

const ROWS: readonly (readonly [peer: string, forwarded: string | null, client: string])[] = [
  ["10.1.2.3", null, "10.1.2.3"],
  ["10.1.2.3", "198.51.100.9", "198.51.100.9"],
  // What is in front of whom a proxy was asked by may be made up.
  ["10.1.2.3", "1.1.1.1, 198.51.100.9", "198.51.100.9"],
  ["10.1.2.3", "1.1.1.1, 198.51.100.9, 192.0.2.7", "198.51.100.9"],
  ["10.1.2.3", "198.51.100.9:4711", "198.51.100.9"],
  ["fd00::1", "[2001:db8::1]:4711", "2001:db8::1"],
  ["::ffff:10.1.2.3", "198.51.100.9", "198.51.100.9"],
  ["10.1.2.3", "198.51.100.9, unknown", "10.1.2.3"],
  ["10.1.2.3", "10.9.9.9", "10.9.9.9"],
  // Nobody else is believed.
  ["198.51.100.1", "1.1.1.1", "198.51.100.1"],
  ["192.0.2.8", "1.1.1.1", "192.0.2.8"],
  ["unix", "1.1.1.1", "unix"],
  ["batch", "1.1.1.1", "batch"],
];

for (const [peer, forwarded, client] of ROWS) {
  Deno.test(`createClientAddress() takes ${client} for who asks by ${peer} with ${forwarded}`, () => {
    assert.equal(of(peer, forwarded), client);
  });
}

Deno.test("parseNetworks() takes addresses and networks, and nothing else", () => {
  assert.deepEqual(parseNetworks("10.0.0.0/8, ::1,"), ["10.0.0.0/8", "::1"]);
  assert.deepEqual(parseNetworks(["127.0.0.1"]), ["127.0.0.1"]);
  for (
    const wrong of ["", "10.0.0.0/33", "fd00::/129", "300.1.1.1", "10.1", "proxy.example", "*"]
  ) {
    assert.equal(parseNetworks(wrong), undefined, wrong);
  }
});
