/**
 * The same questions and answers over every pair of a dialect that callers speak and a kind of
 * upstream: what is told, heard and charged is the same in all of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { chat } from "./pairs/callers/chat.ts";
import { messages } from "./pairs/callers/messages.ts";
import { responses } from "./pairs/callers/responses.ts";
import type { Caller, Counts, Question, Said, Vendor } from "./pairs/neutral.ts";
import { type Scenario, SCENARIOS } from "./pairs/scenarios.ts";
import { anthropic, bedrockAnthropic } from "./pairs/vendors/anthropic.ts";
import { bedrockConverse } from "./pairs/vendors/bedrock_converse.ts";
import { gemini } from "./pairs/vendors/gemini.ts";
import { azure, bedrockOpenAi, openaiChat } from "./pairs/vendors/openai_chat.ts";
import { openaiResponses } from "./pairs/vendors/openai_responses.ts";

const CALLERS: readonly Caller[] = [chat, responses, messages];
const VENDORS: readonly Vendor[] = [
  openaiChat,
  openaiResponses,
  azure,
  anthropic,
  bedrockOpenAi,
  bedrockAnthropic,
  bedrockConverse,
  gemini,
];

/** Troubles make a route rest, so that each has a model of its own. */
const SPARES = 20;
/** Micro-dollars per million tokens: of each kind another one, so that none can stand for another. */
const RATES: Record<keyof Counts, bigint> = {
  input: 1_000_000n,
  cached: 100_000n,
  output: 7_000_000n,
  thoughts: 9_000_000n,
};

for (const vendor of VENDORS) {
  const callers = CALLERS.filter(({ name }) => vendor.callers?.includes(name) ?? true);
  Deno.test(`every caller's dialect over ${vendor.name}`, async (test) => {
    await using upstream = await startFakeUpstream({ steps: [] });
    await using gateway = await serveGateway({
      env: { VENDOR_KEY: "vendors-own-secret" },
      catalogue: catalogueOf(vendor, `http://127.0.0.1:${upstream.port}`),
    });
    await gateway.credit("paying", "100");
    const scene = { vendor, upstream, gateway, key: await gateway.key("paying") };
    const balance = async () => {
      const projects: { readonly id: string; readonly balance: string }[] = await gateway.cli(
        "projects",
        "list",
      );
      return projects.find(({ id }) => id === "paying")!.balance;
    };
    let cost = 0n;
    for (const caller of callers) {
      for (const scenario of SCENARIOS) {
        for (const isStream of [false, true]) {
          const how = isStream ? "as a stream" : "in one piece";
          await test.step(`${caller.name}: ${scenario.name}, ${how}`, async () => {
            await tellScenario(scene, { caller, scenario, isStream });
            cost += costOf(asTold(scenario.said, vendor).counts);
          });
        }
      }
    }
    assert.equal(await balance(), decimal(100n * 10n ** 8n - 2n * cost));
    for (const caller of callers.filter(({ countPath }) => countPath !== undefined)) {
      await test.step(`${caller.name}: a count of tokens`, () => tellCount(scene, caller));
    }
    let spare = 0;
    for (const caller of callers) {
      const trouble = { caller, model: () => `spare-${spare++}` };
      await test.step(`${caller.name}: a fault of the request`, () => tellFault(scene, trouble));
      await test.step(`${caller.name}: it is busy`, () => tellTrouble(scene, trouble, "busy"));
      await test.step(`${caller.name}: it is broken`, () => tellTrouble(scene, trouble, "broken"));
    }
    assert.equal(await balance(), decimal(100n * 10n ** 8n - 2n * cost));
    for (const caller of callers) {
      const trouble = { caller, model: () => `spare-${spare++}` };
      await test.step(`${caller.name}: a stream is cut`, () => tellCut(scene, trouble));
    }
    await test.step("callers leave", () => tellLeaving(scene, callers));
    assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  });
}

/** A vendor, and a gateway before it. */
interface Scene {
  readonly vendor: Vendor;
  readonly upstream: FakeUpstream;
  readonly gateway: ServedGateway;
  readonly key: string;
}

/** Who meets a trouble. */
interface Trouble {
  readonly caller: Caller;
  /** A model whose route has not failed yet. */
  readonly model: () => string;
}

async function tellScenario(scene: Scene, { caller, scenario, isStream }: {
  readonly caller: Caller;
  readonly scenario: Scenario;
  readonly isStream: boolean;
}): Promise<void> {
  const { vendor, upstream } = scene;
  const { question, said, heard } = scenario;
  upstream.answer(isStream ? vendor.stream(said) : vendor.answer(said));
  const answer = await ask(scene, { caller, question, isStream, model: "usual" });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const { calls, provider, route, cost, ...read } = isStream
    ? caller.readStream(text)
    : caller.read(JSON.parse(text));
  const { calls: saidCalls, ...told } = asTold(said, vendor);
  assert.deepEqual(read, told);
  assert.deepEqual(calls.map(withoutId), saidCalls.map(withoutId));
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
  if (vendor.givesIds) assert.deepEqual(calls, saidCalls);
  assert.deepEqual([provider, route], ["vendor", "vendor/usual"]);
  assert.equal(cost, decimal(costOf(told.counts)));
  const request = upstream.requests.at(-1)!;
  assert.partialDeepStrictEqual(vendor.hear(request), { ...heard, model: "upstream-model" });
  assert.equal(vendor.isStream(request), isStream);
  assert.equal((request.head + request.body).includes(scene.key), false);
}

async function tellFault(scene: Scene, { caller }: Trouble): Promise<void> {
  const message = "The tool 'list' is described in too many words";
  scene.upstream.answer(scene.vendor.fail({ kind: "caller", message }));
  const { question } = SCENARIOS[3]!;
  const answer = await ask(scene, { caller, question, model: "usual" });
  const error = caller.readError(answer.status, await answer.json());
  assert.deepEqual(error, { status: 400, message });
}

async function tellTrouble(
  scene: Scene,
  { caller, model }: Trouble,
  kind: "busy" | "broken",
): Promise<void> {
  scene.upstream.answer(scene.vendor.fail({ kind, message: "Nobody shall read this" }));
  const before = scene.upstream.requests.length;
  const answer = await ask(scene, { caller, question: SCENARIOS[0]!.question, model: model() });
  const text = await answer.text();
  assert.ok([429, 502, 503, 529].includes(answer.status), text);
  assert.equal(text.includes("Nobody shall"), false);
  assert.ok(scene.upstream.requests.length > before);
}

async function tellCut(scene: Scene, { caller, model }: Trouble): Promise<void> {
  const { question, said } = SCENARIOS[0]!;
  scene.upstream.answer(scene.vendor.cut(said));
  const answer = await ask(scene, { caller, question, model: model(), isStream: true });
  const text = await answer.text();
  assert.throws(() => caller.readStream(text), /upstream/i, text);
}

async function tellCount(scene: Scene, caller: Caller): Promise<void> {
  const { vendor, upstream, gateway, key } = scene;
  upstream.answer(jsonReply({ input_tokens: 77, totalTokens: 77 }));
  const before = upstream.requests.length;
  const { max_tokens: _, store: __, ...body } = caller.body(SCENARIOS[0]!.question, "usual");
  const answer = await fetch(gateway.url + caller.countPath!, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { input_tokens: count } = await answer.json();
  const isAsked = vendor.counting?.includes(caller.name) ?? false;
  assert.equal(upstream.requests.length - before, isAsked ? 1 : 0);
  assert.ok(isAsked ? count === 77 : count > 2 && count < 40, String(count));
}

/** Without thoughts to be paid for, nobody waits for the counts of an upstream that says nothing. */
async function tellLeaving(scene: Scene, callers: readonly Caller[]): Promise<void> {
  const { vendor, upstream, gateway, key } = scene;
  const { question, said } = SCENARIOS[0]!;
  const { steps, ...reply } = vendor.cut(said);
  upstream.answer({ ...reply, steps: [...steps.slice(0, -1), "stall!"] });
  const leaving = new AbortController();
  const before = upstream.requests.length;
  for (const caller of callers) {
    const answer = await fetch(gateway.url + caller.path, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...caller.body(question, "thoughtless"), stream: true }),
      signal: leaving.signal,
    });
    assert.equal(answer.status, 200);
    await answer.body!.getReader().read();
  }
  const requests = upstream.requests.slice(before);
  assert.deepEqual(requests.map(({ isClosed }) => isClosed), callers.map(() => false));
  leaving.abort();
  await Promise.all(requests.map(({ closed }) => closed));
}

function withoutId({ name, input }: Said["calls"][number]) {
  return { name, input };
}

/** What a caller can know of what was said: vendors leave out what they have no word for. */
function asTold(said: Said, { told, reasons }: Vendor): Said {
  return {
    ...said,
    counts: told?.(said.counts) ?? said.counts,
    reason: reasons?.[said.reason] ?? said.reason,
  };
}

/** In hundred-millionths of a dollar. */
function costOf(counts: Counts): bigint {
  const names = Object.keys(RATES) as (keyof Counts)[];
  const sum = names.reduce((sum, name) => sum + BigInt(counts[name]) * RATES[name], 0n);
  assert.equal(sum % 10_000n, 0n);
  return sum / 10_000n;
}

function decimal(amount: bigint): string {
  const digits = String(amount).padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

async function ask({ gateway, key }: Scene, { caller, question, model, isStream = false }: {
  readonly caller: Caller;
  readonly question: Question;
  readonly model: string;
  readonly isStream?: boolean;
}): Promise<Response> {
  const body = caller.body(question, model);
  const options = caller.name === "chat" ? { stream_options: { include_usage: true } } : {};
  return await fetch(gateway.url + caller.path, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(isStream ? { ...body, ...options, stream: true } : body),
  });
}

function catalogueOf({ provider, route = "" }: Vendor, origin: string): string {
  const models = [
    "usual",
    "thoughtless",
    ...Array.from({ length: SPARES }, (_, at) => `spare-${at}`),
  ];
  return `
currency: USD
providers:
  - { id: vendor, ${provider(origin)} }
models:${
    models.map((id) => `
  - id: ${id}
    kind: chat
    routes:
      - id: vendor/${id}
        provider: vendor
        upstream_model: upstream-model
        cost: { input: "1", cached_input: "0.1", output: "7"${
      id === "thoughtless" ? "" : ', reasoning: "9"'
    } }
        sale: { markup: "2" }
        ${route}`).join("")
  }
projects:
  - { id: paying }
`;
}
