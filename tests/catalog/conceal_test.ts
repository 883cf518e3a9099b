import assert from "node:assert/strict";
import { conceal } from "../../src/catalog/change.ts";

Deno.test("conceal() hides what may be a secret, however deep, and tells its names", () => {
  const part = {
    id: "acme",
    headers: { "x-org": "hush", "x-team": "" },
    query: { version: "1" },
    api_key: ["env:KEY"],
    timeouts: { connect_ms: 1 },
  };
  assert.deepEqual(conceal(part), {
    ...part,
    headers: { "x-org": "(hidden)", "x-team": "(hidden)" },
    query: { version: "(hidden)" },
  });
});

Deno.test("conceal() leaves nothing of a kind's own secrets in lists and mappings", () => {
  const own = {
    vault: { door: { key: "hush", spare: ["hush", { key: "hush" }] }, floor: 3 },
    voices: [{ name: "low", key: "hush" }],
    mood: "plain",
  };
  assert.deepEqual(conceal(own, (name) => name === "vault" || name === "voices"), {
    vault: { door: { key: "(hidden)", spare: "(hidden)" }, floor: "(hidden)" },
    voices: "(hidden)",
    mood: "plain",
  });
});
