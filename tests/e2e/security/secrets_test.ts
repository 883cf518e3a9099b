/**
 * Keys are nowhere among the bytes that the program writes, and prompts only where
 * somebody asked to keep them; nobody but its owner may open any of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { keyAsAsked, PERMISSIVE, trySecrets } from "../../support/security/corpora/secrets.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";
import { needlesIn } from "../../support/security/written_bytes.ts";

for (const format of ["json", "pretty"]) {
  Deno.test(`no byte that is written has a key, nor a prompt that was not to be kept (${format})`, async () => {
    await using world = await SecurityWorld.start({
      args: ["--log-level", "debug", "--log-format", format],
      through: PERMISSIVE,
      upstream: keyAsAsked,
    });
    const { tried, broken } = await trySecrets(world, { folder: world.gateway.server.cwd });
    assert.deepEqual(broken, []);
    assert.ok(tried > 40, `only ${tried} cases were tried`);
  });
}

Deno.test("needlesIn() finds a text in every thin disguise", () => {
  const text = "canary-0123456789-abcdefghij";
  const needle = { name: "it", text };
  const disguises = [
    text,
    btoa(text),
    btoa(`Bearer ${text}`),
    btoa(`Basic ${text} and more`),
    [...text].map((one) => one.charCodeAt(0).toString(16)).join(""),
    [...text].join("\0"),
    [...text].reverse().join(""),
  ];
  for (const disguise of disguises) {
    const bytes = new TextEncoder().encode(`before ${disguise}\0 after`);
    assert.notDeepEqual(needlesIn([{ name: "/x", bytes }], [needle]), [], disguise);
    assert.deepEqual(needlesIn([{ name: "/x", bytes }], [{ ...needle, allowed: /x/ }]), []);
  }
});
