import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { runCommand } from "./run_in_process.ts";

const BODY = { messages: [{ role: "user", content: "Hi" }] };

function answer(reasoning: number, cacheWrite?: number): object {
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
      ...(cacheWrite !== undefined && {
        prompt_tokens_details: { cache_write_tokens: cacheWrite },
      }),
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  };
}

for (
  const [reasoning, cacheWrite, words, units] of [
    [80, undefined, "160 completion (80 reasoning)", undefined],
    [0, 4, "160 completion", "4 cache_write"],
  ] as const
) {
  Deno.test(`calls show names ${reasoning} tokens of thoughts and ${cacheWrite ?? 0} written to a cache, if any`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answer(reasoning, cacheWrite)));
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
    const told = (name: string) => new RegExp(`^${name} +(.*)$`, "m").exec(stdout)?.[1];
    assert.equal(told("usage"), `9 prompt (0 cached), ${words}, reported`);
    assert.equal(told("units"), units);
  });
}

Deno.test("nobody is told to keep prompts of a project that a refused request does not name", async () => {
  await using gateway = await startTestGateway({
    catalogue: "projects:\n  - { id: default, unlimited: true }\n",
  });
  const run = (...args: string[]) => runCommand([...args, "--data-dir", gateway.dataDir]);
  const refusalOf = async (key: string) => {
    const response = await gateway.chat({ ...BODY, model: "m" }, { key });
    assert.ok(!response.ok);
    await response.body?.cancel();
    return (await run("calls", "show", response.headers.get("x-request-id")!, "--prompts")).stderr;
  };
  const nobodys = await refusalOf("sk-tg-nobodys");
  assert.match(nobodys, /Nothing is kept .*: it was refused before anybody knew whose it is/);
  assert.doesNotMatch(nobodys, /prompt-days/);
  const { stdout } = await run("keys", "create", "--project", "default", "--json");
  assert.match(
    await refusalOf(JSON.parse(stdout).key),
    /`tollgate projects set default --prompt-days DAYS` was given on/,
  );
});
