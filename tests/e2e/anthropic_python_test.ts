/**
 * Anthropic's Python client, unmodified, both majors: over its own dialect and over chat. It comes
 * from the folders that `TOLLGATE_TEST_ANTHROPIC_PYTHONPATH` names, separated by colons, one version
 * in each, else from where Python finds it by itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { foldersOf, python, versionIn } from "../support/python_client.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { answerTo } from "./anthropic_python/answers.ts";
import { nativeCatalogue } from "./anthropic_sdk/scene.ts";

const SCRIPT = fileURLToPath(new URL("anthropic_python/client.py", import.meta.url));

interface Told {
  readonly [name: string]: unknown;
  readonly usage: readonly number[];
}

interface Story {
  readonly [name: string]: unknown;
  readonly plain: Told;
}

/** What 40 tokens of prompt, 60 cached ones and 20 of answer are sold for. */
const SOLD = { sonnet: "0.00042900", glm: "0.00008600" };

function told(model: keyof typeof SOLD, more: object): object {
  return {
    model,
    stop: "end_turn",
    types: ["text"],
    text: "Hello!",
    thinking: "",
    sealed: true,
    inputs: [],
    usage: [40, 60, 20],
    route: model === "glm" ? "box/glm" : "claude/sonnet",
    price: SOLD[model],
    ...more,
  };
}

/** What its program has to tell, whatever the upstream speaks. */
function storyOf(model: keyof typeof SOLD, refused: string | null): object {
  const called = {
    stop: "tool_use",
    types: ["text", "tool_use"],
    text: "I look.",
    inputs: [{ where: "up" }],
  };
  const thought = { types: ["thinking", "text"], text: "So it is.", thinking: "Hm." };
  const tools = [told(model, called), told(model, { text: "A cat." })];
  return {
    plain: told(model, {}),
    tools,
    streamed_tools: tools.map(({ ...one }) => ({ ...one, route: null, price: null })),
    thinking: told(model, thought),
    shown: told(model, {}),
    left: "content_block_delta",
    errors: [
      ["AuthenticationError", 401, "PROJECT_KEY_INVALID", true],
      ["NotFoundError", 404, "model_not_found", true],
      ["BadRequestError", 400, "invalid_value", true],
      ["BadRequestError", 400, refused, true],
      ["BadRequestError", 400, refused, true],
    ],
  };
}

for (const folder of foldersOf("TOLLGATE_TEST_ANTHROPIC_PYTHONPATH")) {
  const version = await versionIn(folder, "anthropic");
  Deno.test(`the Python client ${version ?? "anthropic"} gets messages`, {
    ignore: version === undefined && Deno.env.get("CI") !== "true",
  }, async (test) => {
    assert.ok(version !== undefined, "Python has no anthropic: name its folder, as .ci/run does");
    await using upstream = await startFakeUpstream(answerTo);
    await using gateway = await serveGateway({
      env: { CLAUDE_KEY: "sk-ant-upstream-secret" },
      catalogue: nativeCatalogue(upstream.url.replace(/\/v1$/, "")),
    });
    await gateway.credit("paying", "100");
    const key = await gateway.key("paying", { models: ["sonnet", "glm"] });
    const before = upstream.requests.length;
    for (const model of ["sonnet", "glm"] as const) {
      await test.step(model === "glm" ? "over chat" : "over its own dialect", async () => {
        const { success, stdout, stderr } = await python([SCRIPT, gateway.url, key, model], folder);
        assert.ok(success, stderr);
        const { stream, streamed_thinking: thinking, count, models, ...story }: Story = JSON.parse(
          stdout,
        );
        assert.deepEqual(story, storyOf(model, model === "glm" ? "invalid_request" : null));
        const kinds = ["message_start", "content_block_start", "content_block_delta", "text"];
        for (const kind of [...kinds, "content_block_stop", "message_delta", "message_stop"]) {
          assert.ok((stream as { kinds: string[] }).kinds.includes(kind), kind);
        }
        assert.ok((thinking as { kinds: string[] }).kinds.includes("signature"));
        assert.equal((thinking as Told).thinking, "Hm.");
        assert.deepEqual(models, ["glm", "sonnet"]);
        if (model === "sonnet") assert.equal(count, 7);
        else assert.ok((count as number) > 0);
      });
    }
    assert.ok(upstream.requests.length > before);
    for (const { head, body } of upstream.requests) assert.ok(!(head + body).includes(key));
    assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  });
}
