/**
 * A data dir in which a newer version has stored a provider of a kind that this one does not know.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { until } from "../support/until.ts";
import { startTestGateway } from "../support/gateway.ts";

const CATALOGUE = `
providers:
  - { id: here, kind: builtin }
  - { id: far, kind: openai_compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  - id: echo-1
    kind: chat
    routes:
      - { id: here/echo, provider: here, free: true }
      - { id: far/echo, provider: far, free: true }
  - { id: gone, kind: chat, routes: [{ id: far/gone, provider: far, free: true }] }
projects:
  - { id: default, unlimited: true }
`;

Deno.test("a gateway starts with a provider of an unknown kind, says so, and serves by the others", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  try {
    let key: string;
    {
      await using older = await startTestGateway({ dataDir, catalogue: CATALOGUE });
      key = await older.key("default");
    }
    using database = new DatabaseSync(`${dataDir}/tollgate.db`);
    database.exec(
      `UPDATE providers SET document = json_set(document, '$.kind', 'telepathy') WHERE id = 'far'`,
    );
    database.close();
    await using gateway = await startTestGateway({ dataDir });
    const told = /"provider_kind_unknown".*'far' serves nothing.*'telepathy'/;
    await until("the log to say so", () => told.test(gateway.log()));
    const ask = { messages: [{ role: "user", content: "Hi" }] };
    const served = await (await gateway.chat({ ...ask, model: "echo-1" }, { key })).json();
    assert.equal(served.route, "here/echo");
    const refused = await gateway.chat({ ...ask, model: "gone" }, { key });
    assert.equal(refused.status, 404);
    const { error } = await refused.json();
    assert.equal(error.code, "NO_AVAILABLE_ROUTE");
    assert.deepEqual(error.routes, [{
      route: "far/gone",
      provider: "far",
      reason: "provider_kind_unknown",
      detail: "this version knows no providers of kind 'telepathy'",
    }]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
