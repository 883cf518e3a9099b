/**
 * Signatures of thoughts: given back by callers of every kind, and never where they do not belong.
 *
 * @module
 */

import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { withoutOwnSignatures } from "../../../src/dialects/openai/call_signatures.ts";
import { SignatureBook } from "../../../src/providers/gemini/signature_book.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { jsonReply } from "../../support/fake_upstream.ts";
import { CALL_STREAM, geminiReply, responseOf } from "../../support/gemini_bodies.ts";
import { type Bench, bench } from "./bench.ts";

const SKIPPED = "skip_thought_signature_validator";
const SIGNED = responseOf([
  { text: "Hm.", thought: true },
  { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "Sig+/1==" },
  { functionCall: { name: "read", args: { path: "b" } } },
]);
const USER = { role: "user", content: "Hello" };

/** The signatures of the calls of the last request, step by step. */
function signatures(at: Bench): unknown[][] {
  return asArray(at.sent().contents)
    .map((content) => asObject(content)!)
    .filter(({ role }) => role === "model")
    .map(({ parts }) =>
      asArray(parts).filter((part) => asObject(part)!.functionCall !== undefined)
        .map((part) => asObject(part)!.thoughtSignature)
    );
}

function messageOf({ choices }: JsonObject): JsonObject {
  return asObject(asObject(asArray(choices)[0])!.message)!;
}

function repliesTo(message: JsonObject): JsonObject[] {
  return asArray(message.tool_calls).map((call) => ({
    role: "tool",
    tool_call_id: asObject(call)!.id,
    content: "ok",
  }));
}

Deno.test("a chat's client that gives its calls back as they came gives their signature back", async () => {
  await using at = await bench({ script: jsonReply(SIGNED) });
  const { body, seal } = await at.chat();
  const message = messageOf(body);
  const [first] = asArray(message.tool_calls) as [JsonObject];
  const { thought_signature: told } = asObject(asObject(first.extra_content)!.google)!;
  assert.match(String(told), /^tg1\.gemini\.[\w-]{12}\.Sig/);
  assert.equal(seal, told);
  await at.chat({ messages: [USER, message, ...repliesTo(message)] });
  assert.deepEqual(signatures(at), [["Sig+/1==", undefined]]);
});

Deno.test("one that drops what it does not know has it kept for it", async () => {
  await using at = await bench({ script: jsonReply(SIGNED) });
  const message = messageOf((await at.chat()).body);
  const plain = {
    ...message,
    tool_calls: asArray(message.tool_calls).map((call) => {
      const { extra_content: _, ...rest } = call as JsonObject;
      return rest;
    }),
  };
  await at.chat({ messages: [USER, plain, ...repliesTo(plain)] });
  assert.deepEqual(signatures(at), [["Sig+/1==", undefined]]);
});

Deno.test("calls of another model's, of another key's and of nobody's are told to be skipped", async () => {
  const keys = ["env:ONE"];
  await using at = await bench({ script: jsonReply(SIGNED), settings: { apiKeys: keys } });
  const message = messageOf((await at.chat()).body);
  const history = { messages: [USER, message, ...repliesTo(message)] };
  await at.chat(history, { upstreamModel: "gemini-3.6-flash" });
  assert.deepEqual(signatures(at), [[SKIPPED, undefined]]);
  assert.ok(!JSON.stringify(at.sent()).includes("tg1."));
  // Older ones ask for none.
  await at.chat(history, { upstreamModel: "gemini-2.5-flash" });
  assert.deepEqual(signatures(at), [[undefined, undefined]]);
  await using other = await bench({
    script: jsonReply(SIGNED),
    settings: { apiKeys: ["env:TWO"] },
  });
  await other.chat(history);
  assert.deepEqual(signatures(other), [[SKIPPED, undefined]]);
});

Deno.test("a signature that came from Google's own API goes back as it is", async () => {
  await using at = await bench({ script: jsonReply(SIGNED) });
  const call = {
    id: "c",
    type: "function",
    function: { name: "read", arguments: "{}" },
    extra_content: { google: { thought_signature: "Raw" } },
  };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  await at.chat({ messages: [USER, message, ...repliesTo(message)] });
  assert.deepEqual(signatures(at), [["Raw"]]);
});

Deno.test("a signature that the upstream refuses is skipped at the second asking, on the same route", async () => {
  await using at = await bench({ script: jsonReply(SIGNED) });
  const message = messageOf((await at.chat()).body);
  const refusal = {
    error: { code: 400, message: "Invalid thought signature.", status: "INVALID_ARGUMENT" },
  };
  for (const ask of [at.chat, at.chatStream]) {
    const before = at.upstream.requests.length;
    at.upstream.answer((_request, index) =>
      index === 0
        ? jsonReply(refusal, { status: 400 })
        : ask === at.chat
        ? jsonReply(SIGNED)
        : geminiReply(CALL_STREAM)
    );
    await ask({ messages: [USER, message, ...repliesTo(message)] });
    assert.equal(at.upstream.requests.length, before + 2);
    assert.deepEqual(signatures(at), [[SKIPPED, undefined]]);
  }
});

Deno.test("a Messages client keeps the signature with the thoughts before the call", async () => {
  await using at = await bench({ script: jsonReply(SIGNED) });
  const { body } = await at.message();
  const [thinking, call] = body.content as [JsonObject, JsonObject];
  assert.deepEqual([thinking.type, thinking.thinking, call.type], ["thinking", "Hm.", "tool_use"]);
  assert.match(String(thinking.signature), /^tg1\.[\w-]+\.[\w-]+\.gemini\.tg1\.gemini\./);
  const results = (body.content as JsonObject[]).filter(({ type }) => type === "tool_use")
    .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const messages = [
    USER,
    { role: "assistant", content: body.content },
    { role: "user", content: results },
  ];
  await at.message({ messages });
  assert.deepEqual(signatures(at), [["Sig+/1==", undefined]]);
  assert.ok(!JSON.stringify(at.sent()).includes('"thought":true'));

  at.upstream.answer(geminiReply(CALL_STREAM));
  const events = await at.messageStream();
  const told = events.map(({ chunk }) => asObject(chunk.delta)?.signature)
    .filter((signature) => signature !== undefined);
  assert.equal(told.length, 1);
  assert.match(String(told[0]), /\.gemini\.tg1\.gemini\.[\w-]{12}\.EpEg/);
  const { seal } = events.find(({ seal }) => seal !== undefined)!;
  assert.ok(String(told[0]).endsWith(seal!));
});

Deno.test("what is kept is bounded in time and in size", () => {
  const clock = new FakeClock();
  const book = new SignatureBook(clock);
  const large = "x".repeat(1024 * 1024);
  for (let at = 0; at < 40; at++) book.note(`call_${at}`, large);
  assert.equal(book.signatureOf("call_0"), undefined);
  assert.equal(book.signatureOf("call_39"), large);
  book.note("call_39", "new");
  assert.equal(book.signatureOf("call_39"), "new");
  clock.advance(25 * 3_600_000);
  assert.equal(book.signatureOf("call_39"), undefined);
});

Deno.test("no other upstream is shown what was sealed here, and each gets what is its own", () => {
  const call = (thought_signature: string) => ({
    id: "c",
    extra_content: { google: { thought_signature } },
  });
  const own = { role: "assistant", tool_calls: [call("tg1.gemini.abc.Sig"), { id: "d" }] };
  const raw = { role: "assistant", tool_calls: [call("Raw")] };
  assert.deepEqual(withoutOwnSignatures([USER, own, raw]), [
    USER,
    { role: "assistant", tool_calls: [{ id: "c" }, { id: "d" }] },
    raw,
  ]);
  const others = [USER, raw];
  assert.equal(withoutOwnSignatures(others), others);
});
