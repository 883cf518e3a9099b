/**
 * OpenAI's and Anthropic's official clients over Azure: by key and by token, at both of its kinds of
 * paths, and what only Azure says.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Anthropic } from "anthropic1";
import type OpenAI from "openai7";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import {
  cloudModel,
  type CloudScene,
  HELLO,
  openCloudScene,
  PRICE,
  priceOf,
} from "../support/cloud_scene.ts";
import { sseReply } from "../support/fake_upstream.ts";
import { Azure, AZURE_KEY, ENTRA_SECRET, filteredBy, STREAM } from "./azure/fake_azure.ts";
import { MAJORS } from "./openai_sdk/majors.ts";

/** Models of each provider; one that has failed rests, so that troubles have spare ones. */
const MODELS = ["v1", "old", "entra", "gone", "withdrawn", "expired"];

const catalogue = (origin: string) => `
currency: USD
providers:
  - { id: keyed, kind: azure, base_url: "${origin}", api_key: env:AZURE_KEY }
  - { id: older, kind: azure, base_url: "${origin}", api_key: env:AZURE_KEY, azure_paths: deployments }
  - id: tokens
    kind: azure
    base_url: "${origin}"
    entra: { tenant: t-1, client_id: c-1, client_secret: env:ENTRA_SECRET, authority: "${origin}" }
models:${cloudModel("keyed", "v1", "my-gpt")}${cloudModel("older", "old", "my gpt/4")}${
  MODELS.slice(2).map((id) => cloudModel("tokens", id, id === "gone" ? "nowhere" : "my-gpt")).join(
    "",
  )
}
projects:
  - { id: paying, models: ["*"] }
`;

async function newScene(secret = ENTRA_SECRET): Promise<CloudScene & { readonly azure: Azure }> {
  const azure = new Azure();
  // Its tokens are counted here, and every serving thread gets its own.
  const env = { AZURE_KEY, ENTRA_SECRET: secret, TOLLGATE_THREADS: "1" };
  return { ...await openCloudScene(azure.reply, { env, catalogue }), azure };
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`${name} and Anthropic's client over Azure`, async (test) => {
    await using scene = await newScene();
    const { azure, upstream, gateway, apiKey } = scene;
    const openai = new sdk.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
    const ask = (model: string) => openai.chat.completions.create({ model, messages: HELLO });
    const lastTarget = () => upstream.requests.at(-1)!.target;

    await test.step("both kinds of paths answer, plain and as streams, at the same price", async () => {
      for (
        const [model, path] of [
          ["v1", "/openai/v1/chat/completions"],
          ["old", "/openai/deployments/my%20gpt%2F4/chat/completions?api-version=2024-10-21"],
          ["entra", "/openai/v1/chat/completions"],
        ] as const
      ) {
        const answer = await ask(model);
        assert.equal(answer.choices[0]!.message.content, "Hello!");
        assert.equal(priceOf(answer), PRICE);
        assert.equal(lastTarget(), path);
        const stream = openai.chat.completions.stream({
          model,
          messages: HELLO,
          stream_options: { include_usage: true },
        });
        const { choices, usage } = await stream.finalChatCompletion();
        assert.equal(choices[0]!.message.content, "Hello!");
        assert.equal(choices[0]!.finish_reason, "stop");
        assert.equal(usage!.total_tokens, 110);
        const message = await anthropic.messages.create({
          model,
          max_tokens: 50,
          messages: HELLO,
        });
        assert.deepEqual(
          message.content.map((block) => block.type === "text" && block.text),
          ["Hello!"],
        );
        assert.deepEqual(
          [message.usage.input_tokens, message.usage.cache_read_input_tokens],
          [60, 40],
        );
        const streamed = await anthropic.messages.stream({
          model,
          max_tokens: 50,
          messages: HELLO,
        }).finalText();
        assert.equal(streamed, "Hello!");
      }
      assert.deepEqual([...new Set(azure.seen)], [AZURE_KEY, "Bearer eyToken-1"]);
      const { client_secret: _secret, ...form } = Object.fromEntries(
        new URLSearchParams(
          upstream.requests.find(({ target }) => target.includes("oauth2"))!.body,
        ),
      );
      assert.deepEqual(form, {
        grant_type: "client_credentials",
        client_id: "c-1",
        scope: "https://cognitiveservices.azure.com/.default",
      });
    });

    await test.step("a prompt that its filter keeps back is the request's own fault, in its words", async () => {
      const jailbreak = { jailbreak: { filtered: true, detected: true } };
      for (const reply of [filteredBy({ hate: { filtered: true } }), filteredBy(jailbreak, null)]) {
        azure.answer = reply;
        const before = upstream.requests.length;
        await assert.rejects(ask("v1"), (error: unknown) => {
          assert.ok(error instanceof sdk.BadRequestError);
          assert.equal(error.code, "content_filter");
          assert.match(error.message, /content management policy/);
          return true;
        });
        await assert.rejects(
          anthropic.messages.create({ model: "v1", max_tokens: 9, messages: HELLO }),
          (error: unknown) => {
            assert.ok(error instanceof Anthropic.BadRequestError);
            assert.match(error.message, /content management policy/);
            return true;
          },
        );
        // Once each: the same prompt would be kept back again.
        assert.equal(upstream.requests.length, before + 2);
      }
      azure.answer = undefined;
      assert.equal((await ask("v1")).choices[0]!.message.content, "Hello!");
    });

    await test.step("an answer that its filter cuts says so to each client, and is paid for", async () => {
      const cut = {
        ...finishChunk("content_filter"),
        choices: [{
          ...(finishChunk("content_filter").choices as object[])[0],
          content_filter_results: { violence: { filtered: true, severity: "high" } },
        }],
      };
      azure.answer = sseReply([
        STREAM[0]!,
        chunk({ content: "Hel" }),
        cut,
        usageChunk(100, 3),
        "[DONE]",
      ]);
      const streaming = openai.chat.completions.stream({ model: "v1", messages: HELLO });
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of streaming) chunks.push(chunk as OpenAI.ChatCompletionChunk);
      assert.equal(
        chunks.map(({ choices }) => choices[0]?.finish_reason).find((reason) => reason),
        "content_filter",
      );
      const message = await anthropic.messages.stream({
        model: "v1",
        max_tokens: 9,
        messages: HELLO,
      }).finalMessage();
      assert.equal(message.stop_reason, "refusal");
      azure.answer = undefined;
    });

    await test.step("a deployment that is not there is told as such, without the vendor's address", async () => {
      await assert.rejects(ask("gone"), (error: unknown) => {
        assert.ok(error instanceof sdk.APIError);
        assert.match(error.message, /its upstream does not know the model\. Choose another model/);
        assert.doesNotMatch(error.message, /in \d+ seconds|5 minutes/);
        assert.doesNotMatch(JSON.stringify(error.error), new RegExp(`127|${AZURE_KEY}|eyToken`));
        return true;
      });
    });

    await test.step("a token that is withdrawn is had anew once, within the call", async () => {
      const before = azure.tokens;
      azure.withdrawn.add(`Bearer eyToken-${before}`);
      assert.equal((await ask("entra")).choices[0]!.message.content, "Hello!");
      assert.equal(azure.tokens, before + 1);
      // And of one that is refused again no third one is had.
      azure.withdrawn.add(`Bearer eyToken-${before + 1}`);
      azure.withdrawn.add(`Bearer eyToken-${before + 2}`);
      const asked = azure.seen.length;
      await assert.rejects(ask("withdrawn"), (error: unknown) => {
        assert.ok(error instanceof sdk.APIError);
        assert.doesNotMatch(JSON.stringify(error.error), /eyToken|subscription key/);
        return true;
      });
      assert.equal(azure.tokens, before + 2);
      assert.equal(azure.seen.length, asked + 2);
    });

    await test.step("a token that has ended is sent to nobody", async () => {
      azure.lifetime = 0.001;
      azure.withdrawn.add(`Bearer eyToken-${azure.tokens}`);
      await ask("expired");
      const before = azure.tokens;
      azure.lifetime = "3599";
      await ask("expired");
      await ask("expired");
      assert.equal(azure.tokens, before + 1);
    });

    await test.step("every balance adds up, and no secret was shown", async () => {
      assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
      const told = gateway.server.stderr + JSON.stringify(await gateway.cli("providers", "list"));
      assert.doesNotMatch(told, new RegExp(`${AZURE_KEY}|${ENTRA_SECRET}|eyToken`));
    });
  });
}

Deno.test("providers test tells what is wrong with an Azure provider", async (test) => {
  await using scene = await newScene("an-older-secret-0123456789");
  const { gateway, upstream } = scene;
  const origin = upstream.url.replace(/\/v1$/, "");
  const details = async (): Promise<Record<string, { ok: boolean; detail: string }>> => {
    const rows: { provider: string; ok: boolean; detail: string }[] = await gateway.admin(
      "POST",
      "/providers/test",
      {},
    );
    return Object.fromEntries(rows.map(({ provider, ...row }) => [provider, row]));
  };

  await test.step("the secret that Entra does not take", async () => {
    const { keyed, older, tokens } = await details();
    assert.deepEqual([keyed!.ok, older!.ok, tokens!.ok], [true, true, false]);
    assert.match(tokens!.detail, /Entra ID answered 401: AADSTS7000215: Invalid client secret/);
    assert.doesNotMatch(tokens!.detail, /an-older-secret/);
  });

  await test.step("the deployment that there is not, the form that the key has, the path below", async () => {
    await gateway.apply(`
currency: USD
providers:
  - { id: lost, kind: azure, base_url: "${origin}", api_key: env:AZURE_KEY }
  - { id: form, kind: azure, base_url: "${origin}", api_key: env:AZURE_KEY, auth: "header: x-api-key" }
  - { id: deep, kind: azure, base_url: "${origin}/openai/v1", api_key: env:AZURE_KEY }
models:${cloudModel("lost", "m", "nowhere")}${cloudModel("lost", "n", "my-gpt")}
`);
    const { lost, form, deep } = await details();
    assert.equal(
      lost!.detail,
      "1 model; it has no deployment nowhere, the upstream_model of route lost/m: deploy it, or " +
        "write the name of one that it has",
    );
    assert.match(form!.detail, /write auth: "header: api-key"/);
    assert.deepEqual([form!.ok, deep!.ok], [false, true]);
    assert.doesNotMatch(JSON.stringify([lost, form, deep]), new RegExp(AZURE_KEY));
    for (const { target, body } of upstream.requests) {
      if (target.endsWith("/chat/completions")) assert.deepEqual(JSON.parse(body).messages, []);
    }
  });
});
