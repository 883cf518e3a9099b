/**
 * A hash over a renderer's packages notices every one that is another.
 *
 * @module
 */

import assert from "node:assert/strict";
import { lockedPackages, type Lockfile } from "../../build/locked_packages.ts";

const LOCK: Lockfile = {
  specifiers: {
    "npm:@a/one@1.0.0": "1.0.0",
    "npm:two@^2.0.0": "2.1.0",
    "npm:other@3.0.0": "3.0.0",
  },
  npm: {
    "@a/one@1.0.0": { integrity: "sha512-one", dependencies: ["shared", "@b/deep@5.0.0"] },
    "@b/deep@5.0.0": { integrity: "sha512-deep", dependencies: ["shared"] },
    "other@3.0.0": { integrity: "sha512-other" },
    "shared@4.0.0": { integrity: "sha512-shared", dependencies: ["@b/deep@5.0.0"] },
    "two@2.1.0": { integrity: "sha512-two" },
  },
};

Deno.test("lockedPackages() gives what imports bring, with what those bring, and nothing else", () => {
  assert.deepEqual(lockedPackages(LOCK, ["npm:/@a/one@1.0.0/", "npm:two@^2.0.0"]), [
    "@a/one@1.0.0 sha512-one",
    "@b/deep@5.0.0 sha512-deep",
    "shared@4.0.0 sha512-shared",
    "two@2.1.0 sha512-two",
  ]);
});

Deno.test("lockedPackages() refuses what is not locked", () => {
  assert.throws(() => lockedPackages(LOCK, ["npm:two@2.1.0"]), /Cannot find two@undefined/);
});
