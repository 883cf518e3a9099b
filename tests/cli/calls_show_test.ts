import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { runCommand } from "./run_in_process.ts";

const BODY = { messages: [{ role: "user", content: "Hi" }] };

function answer(reasoning: number): object {
  return {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "Hello" },
      finish_reason: "stop",
    }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 160,
      total_tokens: 169,
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  };
}

for (
  const [reasoning, words] of [[80, "160 completion (80 reasoning)"], [
    0,
    "160 completion",
  ]] as const
) {
  Deno.test(`calls show names ${reasoning} tokens of thoughts, where there are any`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answer(reasoning)));
    await using gateway = await startTestGateway({
      catalogue: `
providers:
  - { id: up, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: up/m, provider: up, sale: { free: true } }]
projects:
  - { id: default, unlimited: true }
`,
    });
    const run = (...args: string[]) => runCommand([...args, "--data-dir", gateway.dataDir]);
    const made = await run("keys", "create", "--project", "default", "--json");
    const { key } = JSON.parse(made.stdout);
    const response = await gateway.chat({ ...BODY, model: "m" }, { key });
    assert.equal(response.status, 200, await response.text());
    const { stdout } = await run("calls", "show", response.headers.get("x-request-id")!);
    const usage = stdout.split("\n").find((line) => line.startsWith("usage "));
    assert.equal(usage?.replace(/^usage +/, ""), `9 prompt (0 cached), ${words}, reported`);
  });
}
