/**
 * Texts that make careless patterns and parsers take minutes are answered like any
 * other (LiteLLM CVE-2024-8984, undici CVE-2026-22036).
 *
 * @module
 */

import assert from "node:assert/strict";
import { SecurityWorld } from "../../support/security/security_world.ts";

/** Only a guard against patterns that never end; nothing is measured by it. */
const ANSWERED_WITHIN_MS = 20_000;
const HEAD = 12_000;
const BODY = 400_000;

/** Values that fit a pattern almost to their end, for headers that patterns look at. */
const HEADS: readonly (readonly [name: string, value: string])[] = [
  ["authorization", `bearer ${"x".repeat(HEAD)} y`],
  ["authorization", `bearer ${" ".repeat(HEAD)}\x80`],
  ["content-type", `application/${"a+".repeat(HEAD / 2)}jso`],
  ["content-type", `multipart/form-data${"; boundary=".repeat(HEAD / 12)}`],
  ["content-type", `multipart/form-data;${" ".repeat(HEAD)}boundary`],
  ["content-type", `multipart/form-data; boundary="${"a".repeat(HEAD)}`],
  ["idempotency-key", `${"!".repeat(255)}\x80`],
  ["range", `bytes=${"0-,".repeat(HEAD / 3)}x`],
  ["if-none-match", `"a",`.repeat(HEAD / 4)],
  ["if-match", `W/"${",".repeat(HEAD)}`],
  ["if-range", `${"Mon, ".repeat(HEAD / 5)}`],
  ["connection", `${",close ".repeat(HEAD / 7)}x`],
  ["connection", `${" ".repeat(HEAD)}clos`],
  ["expect", "100-continue".repeat(500)],
  ["x-forwarded-for", "1.1.1.1,".repeat(HEAD / 8)],
];

const user = (content: unknown) => ({ model: "echo", messages: [{ role: "user", content }] });

/** Bodies by the path that reads them; a text is sent as it is. */
const BODIES: readonly (readonly [path: string, body: unknown])[] = [
  ["/chat/completions", user(" ".repeat(BODY) + "x")],
  ["/chat/completions", user("a".repeat(BODY))],
  ["/chat/completions", user("aA_-".repeat(BODY / 4))],
  ["/chat/completions", user("\u0301".repeat(BODY / 2))],
  ["/chat/completions", user("漢".repeat(BODY / 3))],
  [
    "/chat/completions",
    user([{ type: "image_url", image_url: { url: `data:${";base64".repeat(BODY / 7)}` } }]),
  ],
  ["/responses", { model: "echo", input: "a ".repeat(BODY / 2) }],
  ["/responses", {
    model: "plain",
    input: [{
      role: "user",
      content: [{ type: "input_image", image_url: `data:${";a".repeat(BODY / 2)}` }],
    }],
  }],
  ["/responses", {
    model: "plain",
    input: [{
      role: "user",
      content: [{
        type: "input_file",
        file_data: `data:x${";base64".repeat(BODY / 7)},${"%".repeat(9)}`,
      }],
    }],
  }],
  ["/responses", { model: "echo", input: "x", previous_response_id: "resp_".repeat(BODY / 5) }],
  ["/embeddings", { model: "vectors", input: "a1 ".repeat(BODY / 3) }],
  ["/videos", { model: "film", prompt: "x", size: "1".repeat(BODY) }],
  ["/videos", { model: "film", prompt: "x", callback_url: `http://${"a.".repeat(900)}` }],
  ["/videos", { model: "film", prompt: "x", callback_url: `http://[${":".repeat(2_000)}]/` }],
  ["/videos", { model: "film", prompt: "x", input_reference: `data:${"a".repeat(BODY)}` }],
  ["/chat/completions", "[".repeat(BODY)],
  ["/chat/completions", '{"a":'.repeat(BODY / 5)],
  [
    "/chat/completions",
    `{"model":"echo","messages":[{"role":"user","content":${"9".repeat(BODY)}}]}`,
  ],
  ["/chat/completions", `{"model":"echo","n":1e${"9".repeat(BODY)},"messages":[]}`],
  [
    "/chat/completions",
    `{"model":"echo","messages":[${'{"role":"user","content":""},'.repeat(9_000)}0]}`,
  ],
  ["/chat/completions", `{${'"model":"echo",'.repeat(BODY / 15)}"messages":[]}`],
  [
    "/chat/completions",
    `{${Array.from({ length: 40_000 }, (_, at) => `"k${at}":0`)},"model":"echo"}`,
  ],
  ["/chat/completions", `"${"\\u0000".repeat(BODY / 6)}`],
  ["/chat/completions", `${" ".repeat(BODY)}{`],
];

Deno.test("no text makes a pattern or a parser take long, and the next caller is answered", async () => {
  await using world = await SecurityWorld.start();
  const ask = async (what: string, asked: Parameters<typeof world.ask>[0]) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} is not answered`)), ANSWERED_WITHIN_MS);
    });
    try {
      const { status } = await Promise.race([world.ask(asked), late]);
      assert.ok(status < 500, `${what}: ${status}`);
    } finally {
      clearTimeout(timer);
    }
  };
  for (const [name, value] of HEADS) {
    for (
      const [method, target] of [["POST", "/v1/chat/completions"], [
        "GET",
        "/v1/videos/x/content",
      ]] as const
    ) {
      const body = method === "POST" ? user("Hi") : undefined;
      const key = name === "authorization" ? undefined : world.keys.mine;
      await ask(`${name} of ${target}`, { method, target, key, headers: { [name]: value }, body });
    }
  }
  for (const [path, body] of BODIES) {
    const target = `/v1${path}`;
    await ask(`${target} ${JSON.stringify(body).slice(0, 80)}`, {
      method: "POST",
      target,
      key: world.keys.mine,
      body,
    });
  }
  assert.deepEqual(world.faults, []);
});
