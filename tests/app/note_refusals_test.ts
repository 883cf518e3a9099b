/**
 * What is noted of a request that was refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { makeToken } from "../../src/accounts/admin_tokens.ts";
import { makeKey } from "../../src/accounts/project_key.ts";
import { noteRefusal } from "../../src/app/note_refusals.ts";
import { GatewayError } from "../../src/errors.ts";
import type { Refused } from "../../src/metering/refusal_book.ts";

/** What is kept of the model that somebody asked for in vain. */
function modelNoted(asked: string, modelId?: string): readonly [model: string, known: string] {
  const one = notedOf(
    new GatewayError("model_not_found", `There is no model '${asked}'`),
    { asked, modelId },
  );
  assert.equal(JSON.stringify(one).includes(asked), one.model === asked, "nowhere else");
  return [one.model, one.knownModel];
}

function notedOf(
  refusal: GatewayError,
  { asked, modelId, hasBegun }: {
    readonly asked: string;
    readonly modelId?: string | undefined;
    readonly hasBegun?: true;
  },
): Refused {
  const noted: Refused[] = [];
  noteRefusal({
    requestId: "req_1",
    method: "POST",
    path: "/v1/chat/completions",
    status: 404,
    milliseconds: 1,
    address: "127.0.0.1",
    note: {
      isCall: false,
      address: "127.0.0.1",
      projectId: "p",
      keyId: "key_1",
      model: asked,
      errorCode: refusal.code,
      refusal,
      ...(hasBegun && { hasBegun }),
    },
    cause: undefined,
  }, {
    refusals: { note: (refused) => noted.push(refused) },
    catalogue: {
      current: { model: () => modelId && { id: modelId } },
    } as unknown as Parameters<typeof noteRefusal>[1]["catalogue"],
    requestIds: { callIdOf: () => 1 },
  });
  return noted[0]!;
}

Deno.test("a request whose call had begun is noted among the calls alone", () => {
  const refusal = new GatewayError("storage_full", "The disk is full");
  assert.equal(notedOf(refusal, { asked: "m" }).reason, "storage_full");
  assert.equal(notedOf(refusal, { asked: "m", hasBegun: true }), undefined);
});

Deno.test("a field at fault is noted as far as it is one, and no words that repeat the request", () => {
  const secret = "canary-0-1";
  for (
    const [param, kept] of [
      ["messages.0.content[1].text", "messages.0.content[1].text"],
      ["max_tokens", "max_tokens"],
      [`source_policy.${secret}`, "source_policy"],
      [`${secret}.a`, ""],
    ] as const
  ) {
    const refusal = new GatewayError("invalid_value", `Wrong: ${secret}`, { param });
    const one = notedOf(refusal, { asked: "m" });
    assert.deepEqual([one.param, one.message], [kept, ""]);
  }
  const named = new GatewayError("route_not_selectable", `There is no route '${secret}'`, {
    param: "route",
  });
  assert.ok(!JSON.stringify(notedOf(named, { asked: "m" })).includes(secret));
});

Deno.test("a refused request is noted with the model's name that it has, whoever knows it", () => {
  for (
    const name of [
      "gpt-5",
      "meta-llama/Llama-3.3-70B-Instruct-Turbo:free",
      "claude-3-5-sonnet-20241022",
      "@cf/qwen/qwen3-30b-a3b-fp8",
      "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
    ]
  ) assert.deepEqual(modelNoted(name), [name, ""]);
  const own = "a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5";
  assert.deepEqual(modelNoted(own, "mine"), [own, "mine"]);
});

Deno.test("a key in the place of a model's name is not kept", () => {
  const keys = [makeKey(), makeToken()].map(({ key }) => key);
  for (
    const key of [
      ...keys,
      "sk-proj-a_b-c_d-e_f",
      "a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5",
      "tell me a secret",
    ]
  ) assert.deepEqual(modelNoted(key), ["", ""]);
});
