/**
 * Official clients over Google's cloud: a service account's token, Gemini and Claude side by side.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Anthropic } from "anthropic1";
import OpenAI from "openai7";
import { jsonReply, type RecordedRequest, startFakeUpstream } from "../support/fake_upstream.ts";
import { geminiReply, responseOf, THOUGHTS_STREAM } from "../support/gemini_bodies.ts";
import { messageBody, messageEvents, messageReply } from "../support/message_bodies.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { serviceAccount } from "../support/service_account.ts";

const TOKEN = "ya29.secret-token-0123456789";
const CATALOGUE = (url: string, file: string) => `
currency: USD
providers:
  - id: cloud
    kind: vertex
    base_url: "${url}"
    project: shop-1
    location: europe-west4
    credentials: "file:${file}"
models:
  - id: gemini
    kind: chat
    routes:
      - { id: cloud/gemini, provider: cloud, upstream_model: gemini-3.1-pro, sale: { free: true } }
  - id: claude
    kind: chat
    routes:
      - { id: cloud/claude, provider: cloud, upstream_model: claude-opus-4-5, sale: { free: true } }
projects:
  - { id: shop, models: ["*"] }
`;
const HELLO = [{ role: "user" as const, content: "Hello" }];

function reply({ target }: RecordedRequest) {
  const content = [{ type: "text", text: "Hi from Claude" }];
  if (target === "/token") return jsonReply({ access_token: TOKEN, expires_in: 3_599 });
  if (target.endsWith(":countTokens")) return jsonReply({ totalTokens: 12 });
  if (target.endsWith("count-tokens:rawPredict")) return jsonReply({ input_tokens: 34 });
  if (target.endsWith(":rawPredict")) return jsonReply(messageBody(content));
  if (target.endsWith(":streamRawPredict")) return messageReply(messageEvents(content));
  if (target.includes(":stream")) return geminiReply(THOUGHTS_STREAM);
  if (target.includes("pageSize")) return jsonReply({ publisherModels: [{ name: "x" }] });
  return jsonReply(responseOf([{ text: "Hi from Gemini" }]));
}

Deno.test("official clients over Google's cloud", async (test) => {
  await using upstream = await startFakeUpstream(reply);
  const origin = upstream.url.replace(/\/v1$/, "");
  const account = serviceAccount(`${origin}/token`);
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, account.file);
  await using gateway = await serveGateway({ catalogue: CATALOGUE(origin, file) });
  const apiKey = await gateway.key("shop");
  await gateway.credit("shop", "1");
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });

  await test.step("chat and Messages reach both vendors' models", async () => {
    for (const model of ["gemini", "claude"]) {
      const name = model === "gemini" ? "Gemini" : "Claude";
      const chat = await openai.chat.completions.create({ model, messages: HELLO });
      assert.equal(chat.choices[0]!.message.content, `Hi from ${name}`);
      const message = await anthropic.messages.create({ model, messages: HELLO, max_tokens: 50 });
      assert.deepEqual(message.content.map((block) => block.type === "text" && block.text), [
        `Hi from ${name}`,
      ]);
      const streamed = await openai.chat.completions.stream({ model, messages: HELLO })
        .finalChatCompletion();
      assert.equal(
        streamed.choices[0]!.message.content,
        model === "gemini" ? "hello" : "Hi from Claude",
      );
    }
    assert.equal(upstream.requests.filter(({ target }) => target === "/token").length, 1);
    for (const { target, headers } of upstream.requests) {
      if (target !== "/token") assert.equal(headers.get("authorization"), `Bearer ${TOKEN}`);
    }
  });

  await test.step("prompts of both are counted", async () => {
    for (const [model, count] of [["gemini", 12], ["claude", 34]] as const) {
      const { input_tokens } = await anthropic.messages.countTokens({ model, messages: HELLO });
      assert.equal(input_tokens, count);
    }
    const asked = upstream.requests.at(-1)!;
    assert.match(
      asked.target,
      /^\/v1\/.*\/publishers\/anthropic\/models\/count-tokens:rawPredict$/,
    );
    assert.equal(asked.json().model, "claude-opus-4-5");
  });

  await test.step("it is tested, and no secret is shown", async () => {
    const [{ ok, checked }] = await gateway.cli("providers", "test");
    assert.deepEqual([ok, checked], [true, true]);
    const shown = JSON.stringify(await gateway.cli("providers", "list")) + gateway.server.stderr;
    assert.ok(!shown.includes(TOKEN) && !shown.includes("PRIVATE KEY"));
  });
  await Deno.remove(file);
});
