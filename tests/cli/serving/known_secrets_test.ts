/**
 * Secrets of a server: what providers may have, and what the log takes out.
 *
 * @module
 */

import assert from "node:assert/strict";
import { KnownSecrets } from "../../../src/cli/serving/known_secrets.ts";

const ADMIN_KEY = "an-admin-key-for-tests";

Deno.test("the admin key is no provider's key, however it is named, and the log takes it out", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, `${ADMIN_KEY}\n`);
    const env = { TOLLGATE_ADMIN_KEY: ADMIN_KEY, UPSTREAM_KEY: "sk-upstream-key" };
    const secrets = new KnownSecrets(env, ["a-metrics-token"], ADMIN_KEY);
    for (const reference of ["env:TOLLGATE_ADMIN_KEY", `file:${file}`]) {
      const result = secrets.resolve(reference);
      assert.equal(result.ok, false);
      assert.match(JSON.stringify(result), /own admin key, which goes nowhere/);
      assert.ok(!JSON.stringify(result).includes(ADMIN_KEY));
    }
    assert.deepEqual(secrets.resolve("env:UPSTREAM_KEY"), { ok: true, value: "sk-upstream-key" });
    assert.deepEqual(secrets.values, ["a-metrics-token", ADMIN_KEY, "sk-upstream-key"]);
  } finally {
    await Deno.remove(file);
  }
});
