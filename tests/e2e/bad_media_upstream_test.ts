/**
 * Whatever an upstream answers that hears, draws, speaks, judges, ranks or embeds: its caller gets
 * an answer or a clear error, pays only for what can be used, and learns nothing of the upstream.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { assertErrorBody, assertTellsNothing } from "./bad_input/answer_checks.ts";
import { MEDIA_CASES } from "./bad_upstream/media_cases.ts";
import { type MediaQuestion, QUESTIONS } from "./bad_upstream/media_questions.ts";
import { UPSTREAM_KEY } from "./bad_upstream/upstream_cases.ts";

const questionOf = (name: keyof typeof QUESTIONS): MediaQuestion => QUESTIONS[name];

/** A model for each case: a route that fails rests. */
function catalogue(url: string): string {
  const models = MEDIA_CASES.map(({ question }, at) => {
    const { kind, sale, supports = "" } = questionOf(question);
    return `
  - id: m${at}
    kind: ${kind}
    routes: [{ id: remote/m${at}, provider: remote, upstream_model: m${at}, ${supports}sale: ${sale} }]`;
  });
  return `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", api_key: env:UPSTREAM_KEY }
models:${models.join("")}
projects:
  - { id: paying, unlimited: false }
`;
}

function bodyOf({ fields, form }: MediaQuestion, model: string): BodyInit {
  if (form === undefined) return JSON.stringify({ model, ...fields });
  const body = new FormData();
  for (const [name, value] of Object.entries({ model, ...fields })) body.set(name, String(value));
  body.set(form, new Blob(["bytes"]), form === "image" ? "a.png" : "a.wav");
  return body;
}

Deno.test("wrong answers of what hears, draws, speaks, judges and ranks cost nothing that cannot be used", async (test) => {
  let reply = MEDIA_CASES[0]!.reply;
  await using upstream = await startFakeUpstream(() => reply);
  await using gateway = await serveGateway({
    catalogue: catalogue(upstream.url),
    env: { UPSTREAM_KEY },
  });
  await gateway.credit("paying", "100");
  const key = await gateway.key("paying");
  const hidden = { key, port: upstream.port, upstreamKey: UPSTREAM_KEY };
  for (const [at, one] of MEDIA_CASES.entries()) {
    await test.step(`${one.question}: ${one.name}`, async () => {
      reply = one.reply;
      const question = questionOf(one.question);
      const response = await fetch(gateway.url + question.path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          ...(question.form === undefined && { "content-type": "application/json" }),
        },
        body: bodyOf(question, `m${at}`),
      });
      const { text, isWhole } = await readAll(response);
      assertTellsNothing(text.slice(0, 100_000), hidden);
      assert.doesNotMatch(text, /long-text:/);
      const requestId = response.headers.get("x-request-id")!;
      const call = await gateway.get(`/v1/calls/${requestId}`, key);
      const paid = Number(call.pricing.charged_amount);
      if (one.outcome === "unavailable") {
        assertErrorBody({ status: response.status, body: text }, {
          status: 503,
          code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
          param: null,
        });
        assert.deepEqual([call.state, paid], ["released", 0]);
      } else if (one.outcome === "broken") {
        assert.equal(response.status, 200);
        assert.ok(!isWhole || /"error":/.test(text), text.slice(0, 500));
        assert.deepEqual([call.state, paid], ["released", 0]);
      } else {
        assert.equal(response.status, 200, text.slice(0, 500));
        assert.equal(call.state, "settled");
        assert.ok(paid > 0 && paid < 1, String(paid));
      }
      const { project } = await gateway.get("/v1/key", key);
      assert.equal(project.held, "0.00000000");
    });
  }
  const left = [...Deno.readDirSync(`${gateway.server.dataDir}/uploads`)];
  assert.deepEqual(left, []);
  assert.ok(await mostMemory(gateway.server.process.pid) < MOST_MEMORY_BYTES);
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await gateway.server.stop();
  assert.equal(code, 0);
  for (const secret of [key, UPSTREAM_KEY, "nginx"]) {
    assert.equal(stderr.includes(secret), false, `the log has ${secret}`);
  }
  assert.doesNotMatch(stderr, /internal_error|TypeError|RangeError/);
});

/** What the process has had at its most, of which 96 MiB may be one answer; on Linux alone. */
const MOST_MEMORY_BYTES = 600e6;

async function mostMemory(pid: number): Promise<number> {
  if (Deno.build.os !== "linux") return 0;
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(new TextDecoder().decode(stdout))![1]);
}

/** What comes of an answer, and whether it came to its end. */
async function readAll(response: Response): Promise<{ text: string; isWhole: boolean }> {
  let text = "";
  const decoder = new TextDecoder("latin1");
  try {
    for await (const bytes of response.body!) {
      if (text.length < 1_000_000) text += decoder.decode(bytes);
    }
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}
