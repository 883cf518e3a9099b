/**
 * The program as systemd starts it: its log in the journal, its secrets as credentials.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTollgate } from "../../support/executable.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { serveGateway } from "../../support/served_gateway.ts";

/** What systemd does for a service whose stderr is the journal. */
const AS_JOURNAL = [
  "bash",
  "-c",
  'export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec "$0" "$@"',
];

Deno.test("lines in the journal begin with their priority, and are JSON behind it", async () => {
  await using server = await startTollgate({
    through: AS_JOURNAL,
    args: ["--log-level", "debug"],
    expectKey: false,
  });
  const health = await fetch(`${server.baseUrl}/v1/models`);
  assert.equal(health.status, 401);
  await health.body?.cancel();
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  const lines = stderr.trimEnd().split("\n").filter((line) => line !== "Stopping");
  assert.ok(lines.length >= 2, stderr);
  for (const line of lines) {
    const [, priority, text = ""] = /^<([3467])>(\{.*\})$/.exec(line) ?? [];
    const expected = { debug: "7", info: "6", warn: "4", error: "3" };
    assert.equal(priority, expected[JSON.parse(text).level as "info"], line);
  }
  assert.match(stdout, /Project key +in .*\/first-key\n/);
});

Deno.test("lines elsewhere have no priority, also when the variable is inherited", async () => {
  await using server = await startTollgate({ env: { JOURNAL_STREAM: "1:2" }, expectKey: false });
  const answer = await fetch(`${server.baseUrl}/v1/models`);
  await answer.body?.cancel();
  const { stderr } = await server.stop();
  assert.match(stderr, /^\{"time"/m);
  assert.doesNotMatch(stderr, /^</m);
});

Deno.test("secrets handed over as credentials reach the upstream and the admin API, and no log", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-credentials-" });
  try {
    await Deno.writeTextFile(`${folder}/openai`, "hidden-upstream-key\n");
    await Deno.writeTextFile(`${folder}/admin_key`, "hidden-admin-key-0123\n");
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await serveGateway({
      env: {
        CREDENTIALS_DIRECTORY: folder,
        TOLLGATE_ADMIN_KEY: "credential:admin_key",
      },
      catalogue: `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${upstream.url}", api_key: "credential:openai" }
models:
  - { id: m, kind: chat, routes: [{ id: remote/m, provider: remote, free: true }] }
`,
    });
    const ask = { model: "m", messages: [{ role: "user", content: "Hello" }] };
    const answer = await gateway.chat(gateway.server.key, ask);
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    assert.equal(upstream.requests[0]?.headers.get("authorization"), "Bearer hidden-upstream-key");
    const admin = await fetch(`${gateway.url}/admin/v1/projects`, {
      headers: { authorization: "Bearer hidden-admin-key-0123" },
    });
    assert.equal(admin.status, 200);
    await admin.body?.cancel();
    const { stdout, stderr } = await gateway.server.stop();
    assert.doesNotMatch(stdout + stderr, /hidden-/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
