/**
 * What calls say is kept where a project has it so, of every dialect and whatever becomes of the call,
 * read by few, and nowhere at all otherwise.
 *
 * @module
 */

import assert from "node:assert/strict";
import { forgetPrompts, showContent } from "../../../src/admin/call_content.ts";
import { setProject } from "../../../src/admin/accounts/projects.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { listAudit } from "../../../src/admin/operations.ts";
import type { Rights } from "../../../src/domain/roles.ts";
import { until } from "../../support/until.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

const catalogue = (port: number) => `
providers:
  - { id: builtin, kind: builtin }
  - { id: texts, kind: openai_compatible, base_url: "http://127.0.0.1:${port}/v1", auth: none }
models:
  - id: text
    kind: chat
    routes: [{ id: texts/text, provider: texts, supports: { completions: true }, free: true }]
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, free: true }]
  - id: broken
    kind: chat
    routes: [{ id: builtin/broken, provider: builtin, upstream_model: "echo-1:status-500", free: true }]
projects:
  - { id: default, unlimited: true }
  - { id: shop, unlimited: true, quotas: { prompt_days: 30, redact: ["CUST-####"] } }
  - { id: other, unlimited: true }
`;

const SECRETS = [
  "ada@example.com",
  "4111 1111 1111 1111",
  "sk-proj-abcdefghijklmnop",
  "CUST-1234",
  "DE89 3704 0044 0532 0130 00",
];
const WORDS = `xylophone ${SECRETS.join(", ")} marimba`;

const CALLS: readonly (readonly [path: string, body: object])[] = [
  ["/v1/chat/completions", { messages: [{ role: "user", content: WORDS }] }],
  ["/v1/messages", { max_tokens: 400, messages: [{ role: "user", content: WORDS }] }],
  ["/v1/responses", { input: WORDS, store: false }],
  ["/v1/completions", { model: "text", prompt: WORDS, max_tokens: 400 }],
];

async function post(gateway: TestGateway, key: string, path: string, body: object) {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model: "echo-1", ...body }),
  });
  const text = await answer.text();
  return { id: answer.headers.get("x-request-id")!, status: answer.status, text };
}

function read(gateway: TestGateway, request_id: string, rights?: Rights) {
  const { admin: deps } = gateway;
  const origin = rights === undefined ? deps.origin : { ...deps.origin, rights };
  return runOperation(showContent, { deps, input: { request_id }, origin });
}

/** Files of the data dir in which any of these words is, as they are or unpacked. */
async function filesWith(dir: string, words: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesWith(path, words));
    if (!entry.isFile) continue;
    const bytes = await Deno.readFile(path);
    const texts = [new TextDecoder("latin1").decode(bytes)];
    if (path.endsWith(".gz")) {
      const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      texts.push(await new Response(plain).text());
    }
    if (texts.some((text) => words.some((word) => text.includes(word)))) found.push(path);
  }
  return found;
}

/** Says again what it is asked; streamed, one character after the other. */
async function completeText(request: Request): Promise<Response> {
  const { prompt, stream } = await request.json();
  const made = { id: "cmpl-1", object: "text_completion", created: 1, model: "text" };
  const choice = (text: string, reason: string | null) => ({
    ...made,
    choices: [{ index: 0, text, logprobs: null, finish_reason: reason }],
  });
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  if (stream !== true) return Response.json({ ...choice(prompt, "stop"), usage });
  const events = [...prompt].map((sign) => choice(sign, null));
  const all = [...events, choice("", "stop"), { ...made, choices: [], usage }];
  const text = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(`${text}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

async function withGateway(run: (gateway: TestGateway) => Promise<void>): Promise<void> {
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    completeText,
  );
  await using gateway = await startTestGateway({ catalogue: catalogue(upstream.addr.port) });
  await run(gateway);
}

Deno.test("off, as it is by default, no byte of what is said is anywhere in the data dir", async () => {
  await withGateway(async (gateway) => {
    const key = await gateway.key("other");
    let last = "";
    for (const [path, body] of CALLS) {
      for (const stream of [false, true]) {
        const { status, id } = await post(gateway, key, path, { ...body, stream });
        assert.equal(status, 200, path);
        last = id;
      }
    }
    assert.equal((await post(gateway, key, CALLS[0]![0], { messages: "xylophone" })).status, 400);
    await gateway.admin.commits.flush();
    await assert.rejects(read(gateway, last), { error: "not_found" });
    assert.deepEqual(await filesWith(gateway.dataDir, ["xylophone", "marimba"]), []);
    assert.ok(!gateway.log().includes("xylophone"));
  });
});

for (const [path, body] of CALLS) {
  for (const stream of [false, true]) {
    Deno.test(`${path}${stream ? ", streamed" : ""}: request and answer are kept, redacted`, async () => {
      await withGateway(async (gateway) => {
        const key = await gateway.key("shop");
        const { id, status, text } = await post(gateway, key, path, { ...body, stream });
        assert.equal(status, 200, text);
        const kept = await read(gateway, id);
        assert.deepEqual(
          [kept.path, kept.state, kept.status, kept.stream, kept.model, kept.cut],
          [
            path.slice(3),
            "complete",
            200,
            stream,
            path === "/v1/completions" ? "text" : "echo-1",
            false,
          ],
        );
        assert.deepEqual(kept.conversation.map(({ role }) => role), ["user", "assistant"]);
        for (const { blocks } of kept.conversation) {
          const said = blocks.map(({ text }) => text).join("");
          assert.match(
            said,
            /xylophone \[email\], \[card\], \[key\], \[redacted\], \[iban\] marimba/,
          );
        }
        assert.deepEqual(kept.redacted, { email: 2, card: 2, key: 2, redacted: 2, iban: 2 });
        assert.equal((await filesWith(gateway.dataDir, ["xylophone"])).length, 1);
        assert.deepEqual(await filesWith(gateway.dataDir, SECRETS), []);
        assert.ok(!gateway.log().includes("xylophone"));
      });
    });
  }
}

Deno.test("of what is refused or fails the request is kept, with what its caller was told", async () => {
  await withGateway(async (gateway) => {
    const key = await gateway.key("shop");
    const messages = [{ role: "user", content: WORDS }];
    for (
      const [body, status] of [[{ model: "broken", messages }, 503], [
        { model: "no", messages },
        404,
      ]] as const
    ) {
      const { id, ...answer } = await post(gateway, key, "/v1/chat/completions", body);
      assert.ok(answer.status >= 400, `${answer.status} instead of ${status}`);
      const kept = await read(gateway, id);
      assert.deepEqual([kept.state, kept.status], ["refused", answer.status]);
      assert.deepEqual(kept.conversation.map(({ role }) => role), ["user", "error"]);
    }
    assert.deepEqual(await filesWith(gateway.dataDir, SECRETS), []);
  });
});

Deno.test("of a stream whose caller goes away what came is kept", async () => {
  await withGateway(async (gateway) => {
    const key = await gateway.key("shop");
    const leaving = new AbortController();
    const words = "word ".repeat(20_000);
    const answer = await gateway.chat({
      ...{ model: "echo-1", stream: true },
      messages: [{ role: "user", content: words }],
    }, { key, signal: leaving.signal });
    await answer.body!.getReader().read();
    leaving.abort();
    const id = answer.headers.get("x-request-id")!;
    const kept = await until("what came", () => read(gateway, id).catch(() => undefined));
    assert.equal(kept.state, "left");
    assert.deepEqual(kept.conversation.map(({ role }) => role), ["user", "assistant"]);
  });
});

Deno.test("operators, owners and its project's members may read; each reading is noted", async () => {
  await withGateway(async (gateway) => {
    const { id } = await post(gateway, await gateway.key("shop"), ...CALLS[0]!);
    await assert.rejects(read(gateway, id, { role: "viewer" }), { error: "role_not_allowed" });
    const another = { role: "member", project: "other" } as const;
    await assert.rejects(read(gateway, id, another), { error: "not_found" });
    const rows = () =>
      runOperation(listAudit, { deps: gateway.admin, input: { operation: "calls.content" } });
    assert.equal((await rows()).data.length, 0, "who may not read leaves nothing");
    for (
      const rights of [{ role: "operator" }, { role: "owner" }, {
        role: "member",
        project: "shop",
      }] as const
    ) assert.equal((await read(gateway, id, rights)).request_id, id);
    const { data } = await rows();
    assert.deepEqual(data.map(({ subject }) => subject), [1, 2, 3].map(() => `call:${id}`));
    assert.ok(!JSON.stringify(data).includes("xylophone"));
  });
});

Deno.test("its callers see that it is on; switched on and off it holds for the next call; forgotten is gone", async () => {
  await withGateway(async (gateway) => {
    const { admin: deps } = gateway;
    const key = await gateway.key("other");
    const view = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await (await fetch(`${gateway.url}/v1/key`, { headers })).json()).project.prompts;
    };
    assert.equal(await view(), null);
    const set = (quotas: object) =>
      runOperation(setProject, { deps, input: { project: "other", quotas } });
    await set({ prompt_days: 7, redact: ["marimba"] });
    assert.deepEqual(await view(), { days: 7, redact: ["marimba"] });
    const { id } = await post(gateway, key, ...CALLS[0]!);
    assert.ok(!JSON.stringify(await read(gateway, id)).includes("marimba"));
    await set({ prompt_days: null });
    assert.equal(await view(), null);
    const { id: unkept } = await post(gateway, key, ...CALLS[0]!);
    await assert.rejects(read(gateway, unkept), { error: "not_found" });
    assert.equal((await read(gateway, id)).request_id, id, "what was kept stays until its time");
    await runOperation(forgetPrompts, { deps, input: { project: "other" } });
    await assert.rejects(read(gateway, id), { error: "not_found" });
    assert.deepEqual(await filesWith(gateway.dataDir, ["xylophone"]), []);
    await assert.rejects(set({ redact: ["*"] }), { error: "invalid_value" });
  });
});
