/**
 * Films of an unlimited project hold nothing, and count against its budgets all the same.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "../support/gateway.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes:
      - id: b/v
        provider: builtin
        upstream_model: "video-2:slow-60000"
        sale: { second: "0.25", request: "1" }
projects:
  - { id: free, unlimited: true, budgets: { daily: "3" } }
`;

Deno.test("films that a start goes on with count against a budget until they end", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const before = await startTestGateway({ dataDir, catalogue: CATALOGUE, drainTimeoutMs: 0 });
    const key = await before.key("free");
    const create = (url: string) =>
      fetch(`${url}/v1/videos`, {
        method: "POST",
        headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "video-2", prompt: "x", size: "640x360", seconds: "4" }),
      });
    const first = await (await create(before.url)).json();
    await (await create(before.url)).text();
    const subject = { scope: "project", id: "free" } as const;
    const openE8 = ({ admin }: typeof before) => admin.spending.view(subject).openE8;
    assert.equal(openE8(before), 400_000_000n);
    await before.stop();

    const after = await startTestGateway({ dataDir, drainTimeoutMs: 0 });
    assert.equal(openE8(after), 400_000_000n);
    const refused = await create(after.url);
    assert.equal(refused.status, 402);
    assert.match((await refused.json()).error.message, /calls under way may cost 4\.00000000/);
    const removed = await fetch(`${after.url}/v1/videos/${first.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(removed.status, 200, await removed.text());
    assert.equal(openE8(after), 200_000_000n);
    const admitted = await create(after.url);
    assert.equal(admitted.status, 200, await admitted.text());
    await after.stop();
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
