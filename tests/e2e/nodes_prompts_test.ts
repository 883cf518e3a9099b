/**
 * What calls said, of two executables over one database and a bucket: each shows and forgets what the
 * other has kept.
 *
 * @module
 */

import assert from "node:assert/strict";
import { FakeS3 } from "../support/fake_s3.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, free: true }]
projects:
  - { id: shop, unlimited: true, quotas: { prompt_days: 30 } }
`;

/** Says something; gives the request's id. */
async function say(node: ServedGateway, key: string, content: string): Promise<string> {
  const response = await node.chat(key, { model: "echo-1", messages: [{ role: "user", content }] });
  await response.text();
  assert.equal(response.status, 200);
  return response.headers.get("x-request-id")!;
}

Deno.test(
  "what a call said through one node is shown and forgotten through another",
  NEEDS_POSTGRES,
  async () => {
    await using s3 = await FakeS3.start();
    await server.create("prompts");
    const env = { TOLLGATE_DATABASE_URL: server.url("prompts"), ...s3.env() };
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
    await using first = await serveGateway({ env, catalogue: CATALOGUE });
    const key = await first.key("shop");
    await using second = await serveGateway({ dataDir, env, expectKey: false });
    const said = [
      await say(first, key, "A walrus of ada@example.com"),
      await say(second, key, "A penguin"),
    ];
    const kept = () => [...s3.objects.keys()].filter((name) => name.endsWith(".gz"));
    await until("both are kept", () => kept().length === 2);

    for (const node of [first, second]) {
      const shown = await Promise.all(
        said.map((id) => node.admin("GET", `/calls/${id}/content`)),
      );
      assert.deepEqual(shown.map(({ request }) => request.messages[0].content), [
        "A walrus of [email]",
        "A penguin",
      ]);
    }
    const byCommand = await second.cli("calls", "show", said[0]!, "--prompts");
    assert.match(JSON.stringify(byCommand), /A walrus of \[email\]/);
    for (const { body } of s3.objects.values()) assert.ok(!body.includes("ada@example.com"));

    const { bytes } = await second.admin("POST", "/projects/shop/forget-prompts");
    assert.equal(bytes, 2 * 4_096);
    assert.deepEqual(kept(), []);
    for (const node of [first, second]) {
      await assert.rejects(node.admin("GET", `/calls/${said[0]}/content`), /Nothing is kept/);
      await assert.rejects(Deno.stat(`${node.server.dataDir}/prompts`), Deno.errors.NotFound);
    }
  },
);
