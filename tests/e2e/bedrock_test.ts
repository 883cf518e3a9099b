/**
 * OpenAI's and Anthropic's official clients over Bedrock: by signature and by key, in each of its APIs,
 * and streams of frames that go wrong.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Anthropic } from "anthropic1";
import { exceptionFrame, frame } from "../providers/bedrock/fixtures/frames.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import {
  cloudModel,
  type CloudScene,
  HELLO,
  openCloudScene,
  PRICE,
  priceOf,
} from "../support/cloud_scene.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  type Step,
} from "../support/fake_upstream.ts";
import { messageBody, messageEvents, messageReply } from "../support/message_bodies.ts";
import { type Account, faultOfSignature } from "./bedrock/signed_requests.ts";
import { MAJORS } from "./openai_sdk/majors.ts";

const KEY = "bedrock-api-key-0123456789";
const ACCOUNT: Account = {
  id: "AKIDEXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  token: "session/token+of==temporary",
  region: "eu-west-1",
};
const ENV = {
  BEDROCK_KEY: KEY,
  AWS_ID: ACCOUNT.id,
  AWS_SECRET: ACCOUNT.secret,
  AWS_TOKEN: ACCOUNT.token,
};
const AWS =
  "aws: { access_key_id: env:AWS_ID, secret_access_key: env:AWS_SECRET, session_token: env:AWS_TOKEN }";
const ARN = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2";
const PROFILE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
/** Models whose routes have not failed yet. */
const SPARES = ["altered", "cut", "busy", "exception", "timeout", "internal"];
const TOOLS = [{ type: "function" as const, function: { name: "list", parameters: {} } }];

const catalogue = (origin: string) => `
currency: USD
providers:
  - { id: signed, kind: bedrock, aws_region: eu-west-1, base_url: "${origin}", ${AWS} }
  - { id: keyed, kind: bedrock, aws_region: eu-west-1, base_url: "${origin}", api_key: env:BEDROCK_KEY }
  - id: chats
    kind: bedrock
    bedrock_api: openai
    aws_region: eu-west-1
    base_url: "${origin}/openai/v1"
    ${AWS}
  - id: messages
    kind: bedrock
    bedrock_api: anthropic
    aws_region: eu-west-1
    base_url: "${origin}/anthropic"
    ${AWS}
models:${cloudModel("signed", "profile", PROFILE)}${cloudModel("signed", "arn", ARN)}${
  cloudModel("keyed", "keyed", PROFILE)
}${cloudModel("chats", "chat", "openai.gpt-oss-120b-1:0")}${
  cloudModel("messages", "claude", PROFILE)
}${SPARES.map((id) => cloudModel("keyed", id, PROFILE)).join("")}
projects:
  - { id: paying, models: ["*"] }
`;

const COUNTS = {
  inputTokens: 60,
  outputTokens: 10,
  cacheReadInputTokens: 40,
  cacheWriteInputTokens: 0,
  totalTokens: 110,
};
const MESSAGE_USAGE = { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 10 };
const CHAT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 40 },
};
const TEXT = [{ type: "text", text: "Hello!" }];

const written = (text: string) =>
  frame({ contentBlockDelta: { delta: { text }, contentBlockIndex: 0 } });
const START = frame({ messageStart: { role: "assistant" } });
const END = [
  frame({ contentBlockStop: { contentBlockIndex: 0 } }),
  frame({ messageStop: { stopReason: "end_turn" } }),
  frame({ metadata: { usage: COUNTS, metrics: { latencyMs: 9 } } }),
];
const WHOLE: readonly Uint8Array[] = [START, written("Hel"), written("lo!"), ...END];

function frames(steps: readonly Step[]): Reply {
  return { headers: { "content-type": "application/vnd.amazon.eventstream" }, steps };
}

function refusal(kind: string, message: string, status = 403): Reply {
  return jsonReply({ message }, {
    status,
    headers: { "x-amzn-errortype": `${kind}:http://internal.amazon.com/coral/` },
  });
}

/** Bedrock, as it answers whoever is authorised. */
class Bedrock {
  answer: Reply | undefined;

  reply = (request: RecordedRequest): Reply => {
    const bearer = request.headers.get("authorization");
    const fault = bearer === `Bearer ${KEY}` ? undefined : faultOfSignature(request, ACCOUNT);
    if (fault !== undefined) return refusal(...fault);
    const { target } = request;
    if (target.startsWith("/foundation-models")) return jsonReply({ modelSummaries: [{}] });
    if (this.answer !== undefined) return this.answer;
    if (target.endsWith("/converse-stream")) return frames(WHOLE);
    if (target.endsWith("/converse")) {
      return jsonReply({
        output: { message: { role: "assistant", content: [{ text: "Hello!" }] } },
        stopReason: "end_turn",
        usage: COUNTS,
      });
    }
    if (target.includes("/models")) return jsonReply({ data: [] });
    const { stream } = request.json();
    if (target === "/anthropic/v1/messages") {
      return stream === true
        ? messageReply(messageEvents(TEXT, { usage: MESSAGE_USAGE }))
        : jsonReply(messageBody(TEXT, { usage: MESSAGE_USAGE }));
    }
    return stream === true
      ? sseReply([
        chunk({ role: "assistant", content: "Hello!" }),
        finishChunk(),
        { ...usageChunk(100, 10), usage: CHAT_USAGE },
        "[DONE]",
      ])
      : jsonReply(answerBody("Hello!", CHAT_USAGE));
  };
}

async function newScene(
  env: Record<string, string> = ENV,
): Promise<CloudScene & { readonly bedrock: Bedrock }> {
  const bedrock = new Bedrock();
  return { ...await openCloudScene(bedrock.reply, { env, catalogue }), bedrock };
}

/** The end of a frame is another. */
function altered(bytes: Uint8Array): Uint8Array {
  return bytes.with(bytes.length - 6, bytes.at(-6)! ^ 1);
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`${name} and Anthropic's client over Bedrock`, async (test) => {
    await using scene = await newScene();
    const { bedrock, upstream, gateway, apiKey } = scene;
    const openai = new sdk.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
    const stream = (model: string) =>
      openai.chat.completions.stream({
        model,
        messages: HELLO,
        stream_options: { include_usage: true },
      }).finalChatCompletion();
    const balance = async () => (await gateway.get("/v1/key", apiKey)).project.balance;

    await test.step("each API answers, signed or by key, plain and as streams, at the same price", async () => {
      const converse = (id: string) => `/model/${encodeURIComponent(id)}/converse`;
      for (
        const [model, path, isSigned] of [
          ["profile", converse(PROFILE), true],
          ["arn", converse(ARN), true],
          ["keyed", converse(PROFILE), false],
          ["chat", "/openai/v1/chat/completions", true],
          ["claude", "/anthropic/v1/messages", true],
        ] as const
      ) {
        const answer = await openai.chat.completions.create({ model, messages: HELLO });
        assert.equal(answer.choices[0]!.message.content, "Hello!", model);
        assert.equal(priceOf(answer), PRICE);
        const { target, head } = upstream.requests.at(-1)!;
        assert.equal(target, path);
        assert.equal(head.includes(KEY), !isSigned);
        const { choices, usage } = await stream(model);
        assert.equal(choices[0]!.message.content, "Hello!");
        assert.equal(usage!.total_tokens, 110);
        const asked = { model, max_tokens: 50, messages: HELLO };
        const message = await anthropic.messages.create(asked);
        assert.deepEqual(
          [message.usage.input_tokens, message.usage.cache_read_input_tokens],
          [60, 40],
        );
        assert.equal(await anthropic.messages.stream(asked).finalText(), "Hello!");
      }
    });

    await test.step("a call of a tool comes through its frames, and its result goes back", async () => {
      const toolUse = { toolUseId: "tooluse_1", name: "list" };
      bedrock.answer = frames([
        START,
        frame({ contentBlockStart: { start: { toolUse }, contentBlockIndex: 0 } }),
        ...["", '{"of":', '"€"}'].map((input) =>
          frame({ contentBlockDelta: { delta: { toolUse: { input } }, contentBlockIndex: 0 } })
        ),
        frame({ contentBlockStop: { contentBlockIndex: 0 } }),
        frame({ messageStop: { stopReason: "tool_use" } }),
        END[2]!,
      ]);
      const { choices } = await openai.chat.completions.stream({
        model: "profile",
        messages: HELLO,
        tools: TOOLS,
      }).finalChatCompletion();
      assert.equal(choices[0]!.finish_reason, "tool_calls");
      const [call] = choices[0]!.message.tool_calls!;
      assert.ok(call?.type === "function");
      assert.deepEqual([call.id, call.function.arguments], ["tooluse_1", '{"of":"€"}']);
      bedrock.answer = undefined;
      await openai.chat.completions.create({
        model: "profile",
        messages: [
          ...HELLO,
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: call.id, content: "Nothing" },
        ],
        tools: TOOLS,
      });
      const sent = upstream.requests.at(-1)!.body;
      assert.ok(
        sent.includes('"toolUse":{"toolUseId":"tooluse_1","name":"list","input":{"of":"€"}}'),
      );
    });

    await test.step("a stream that goes wrong is an error to each client, and costs nothing", async () => {
      const last = END[1]!;
      const troubles: Readonly<Record<string, readonly Step[]>> = {
        altered: [START, written("Hel"), altered(written("lo!")), ...END],
        cut: [START, written("Hel"), last.subarray(0, last.length - 3)],
        exception: [
          START,
          written("Hel"),
          exceptionFrame("modelStreamErrorException", { message: "Secret words of AWS" }),
        ],
        timeout: [START, written("Hel"), exceptionFrame("modelTimeoutException", { message: "" })],
        internal: [START, written("Hel"), exceptionFrame("internalServerException", {})],
      };
      const before = await balance();
      for (const [model, steps] of Object.entries(troubles)) {
        bedrock.answer = frames(steps);
        await assert.rejects(stream(model), (error: unknown) => {
          assert.ok(error instanceof sdk.APIError, `${model}: ${error}`);
          assert.doesNotMatch(JSON.stringify(error.error), /Secret words|amazon|127\.0/);
          return true;
        });
        await assert.rejects(
          anthropic.messages.stream({ model, max_tokens: 9, messages: HELLO }).finalMessage(),
        );
      }
      assert.equal(await balance(), before);
    });

    await test.step("an exception as the first frame says when to come back", async () => {
      bedrock.answer = frames([
        exceptionFrame("throttlingException", { message: "Secret words of AWS" }),
      ]);
      const before = upstream.requests.length;
      await assert.rejects(stream("busy"), (error: unknown) => {
        assert.ok(error instanceof sdk.APIError);
        assert.equal(error.status, 503);
        assert.ok(Number(error.headers!.get("retry-after")) > 0);
        assert.doesNotMatch(error.message, /Secret words/);
        return true;
      });
      assert.equal(upstream.requests.length, before + 1);
      bedrock.answer = undefined;
    });

    await test.step("every balance adds up, and no secret was shown", async () => {
      assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
      const told = gateway.server.stderr + JSON.stringify(await gateway.cli("providers", "list"));
      for (const secret of [KEY, ACCOUNT.secret, ACCOUNT.token]) {
        assert.ok(!told.includes(secret));
      }
    });
  });
}

Deno.test("providers test tells what is wrong with a Bedrock provider", async (test) => {
  async function detailsOf(env: Record<string, string>): Promise<Record<string, string>> {
    await using scene = await newScene({ ...ENV, ...env });
    const rows: { provider: string; ok: boolean; detail: string }[] = await scene.gateway.admin(
      "POST",
      "/providers/test",
      {},
    );
    const told = JSON.stringify(rows);
    for (const secret of [KEY, ACCOUNT.secret, ...Object.values(env)]) {
      assert.ok(!told.includes(secret), told);
    }
    return Object.fromEntries(
      rows.map(({ provider, ok, detail }) => [provider, `${ok} ${detail}`]),
    );
  }

  await test.step("nothing, where all is well", async () => {
    const { signed, keyed } = await detailsOf({});
    assert.deepEqual([signed, keyed], Array(2).fill("true has a model list"));
  });

  await test.step("a token that has expired, and a secret that is another's", async () => {
    const { signed, keyed } = await detailsOf({ AWS_TOKEN: "an-older-session-token" });
    assert.equal(
      signed,
      "false The upstream answered 403: The security token included in the request is expired; " +
        "have new temporary credentials, and give all three of aws",
    );
    assert.equal(keyed, "true has a model list");
    const other = await detailsOf({ AWS_SECRET: "another-accounts-secret-0123" });
    assert.match(other.signed!, /^false .*signature we calculated does not match/);
    assert.doesNotMatch(other.signed!, /api_key/);
  });

  await test.step("another region than the address's", async () => {
    await using scene = await newScene();
    const { gateway, origin } = scene;
    await gateway.apply(
      catalogue(origin).replaceAll("aws_region: eu-west-1", "aws_region: us-east-1"),
    );
    const [{ detail }] = await gateway.admin("POST", "/providers/test", { provider: "signed" });
    assert.equal(
      detail,
      "The upstream answered 403: Credential should be scoped to a valid region, not 'us-east-1'; " +
        "write the region of base_url as aws_region",
    );
    const wrong = catalogue("https://bedrock-runtime.us-east-2.amazonaws.com");
    await assert.rejects(gateway.apply(wrong), /base_url is in us-east-2/);
  });
});
