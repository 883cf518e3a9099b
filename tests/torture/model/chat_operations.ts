/**
 * Operations on chat models, and what each should cost.
 *
 * @module
 */

import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { cutShort } from "../cut_short.ts";
import { tokensOf } from "../tokens_of.ts";
import type { Expectation } from "./balance_model.ts";
import { holdOf, type PricedRouteId, saleOf } from "./mixed_catalogue.ts";
import { type Answer, lacksMoney, type MixedWorld, type PayingProject } from "./mixed_world.ts";

/** Does one operation and tells the world what should become of it. */
export type Operation = (
  world: MixedWorld,
  project: PayingProject,
  random: SeededRandom,
) => Promise<void>;

const MAX_TOKENS = 500;

/** A call that goes well, in one piece or as a stream. */
export const wellDone: Operation = async (world, project, random) => {
  const usage = randomUsage(random);
  const call = chatCall(world, random, { model: "chat", acts: [{ usage, ...randomPace(random) }] });
  const answer = await world.send(project, "/chat/completions", { body: call.body });
  settle(world, project, {
    call,
    answer,
    charge: saleOf("remote/chat", usage.prompt, usage.completion),
  });
};

/** An upstream that does not count, or not so that it can be believed. */
export const uncounted: Operation = async (world, project, random) => {
  const chunks = random.integer(1, 20);
  const usage = random.pick(["missing", "negative", "fraction", "text", "absurd"] as const);
  const call = chatCall(world, random, { model: "chat", acts: [{ usage, chunks }] });
  const answer = await world.send(project, "/chat/completions", { body: call.body });
  const charge = saleOf("remote/chat", tokensOf(call.prompt), tokensOf("word ".repeat(chunks)));
  settle(world, project, { call, answer, charge });
};

/** More output than was asked for: the caller pays it, as far as its balance goes beyond the hold. */
export const overused: Operation = async (world, project, random) => {
  const usage = { prompt: 20, completion: MAX_TOKENS + random.integer(2_000, 9_000) };
  const call = chatCall(world, random, { model: "chat", acts: [{ usage }] });
  const answer = await world.send(project, "/chat/completions", { body: call.body });
  const charge = saleOf("remote/chat", usage.prompt, usage.completion);
  const least = holdOf("remote/chat", call.bytes, MAX_TOKENS);
  const between = project === "poor" ? { least, most: charge } : undefined;
  settle(world, project, { call, answer, charge, between });
};

/** An upstream that fails in some way, at first or always. */
export const flaky: Operation = async (world, project, random) => {
  const usage = randomUsage(random);
  const fault: UpstreamAct = random.pick([
    { status: 503 },
    { status: 500 },
    { status: 429, retryAfter: 1 },
    { isHtml: true },
    { redirect: "http://127.0.0.1:9/v1/chat/completions" },
    { resetAt: -1 },
    { resetAt: 10 },
    { cutAt: 150 },
    { status: 400 },
    { status: 401 },
    { usage, endsEarly: true },
  ]);
  const call = chatCall(world, random, {
    model: "flaky",
    acts: random.chance(0.5) ? [fault, { usage }] : [fault],
  });
  const answer = await world.send(project, "/chat/completions", { body: call.body });
  const isServed = answer.status === 200 && !hasError(answer);
  // Whether it was tried again, and on what, is seen in the answer; what breaks off is free.
  const charge = saleOf("remote/flaky", usage.prompt, usage.completion);
  const charges = isServed ? chargesOfServed(fault, call, charge) : [0n];
  world.expect({ project, ...namesOf(call), requestIds: [answer.requestId], charges });
};

/** The cheaper route fails, or does not. */
export const fallenBack: Operation = async (world, project, random) => {
  const usage = randomUsage(random);
  const isDown = random.chance(0.5);
  const call = chatCall(world, random, {
    model: "two",
    acts: [{ usage }],
    actsOf: { "up-a": [isDown ? { status: 503 } : { usage }] },
    fields: { routing_preference: "lowest_price" },
  });
  const answer = await world.send(project, "/chat/completions", { body: call.body });
  const route = routeOf(answer);
  if (answer.status === 200 && isDown && route !== "remote/b") {
    world.surprise(`${call.what} is served by ${route}, which is down`, answer);
  }
  const charge = route === undefined ? 0n : saleOf(route, usage.prompt, usage.completion);
  settle(world, project, { call, answer, charge });
};

/** A caller that leaves before anything came. */
export const leftBefore: Operation = async (world, project, random) => {
  const call = chatCall(world, random, { model: "chat", acts: [{ isSilent: true }] });
  // One that has too little is refused, and never reaches the upstream.
  if (project === "poor") return await wellDone(world, project, random);
  await cutShort(world.gateway.url, {
    key: world.keys[project],
    body: call.body,
    chunks: Infinity,
    leaveWhen: world.upstream.received(call.tag),
  });
  world.expect({ project, ...namesOf(call), requestIds: [], charges: [0n] });
};

/** A caller that leaves after some chunks of a stream. */
export const leftWithin: Operation = async (world, project, random) => {
  if (project === "poor") return await wellDone(world, project, random);
  const chunks = random.integer(1, 20);
  const act = { chunks: 50, stallAfterChunks: chunks };
  const call = chatCall(world, random, { model: "chat", acts: [act], fields: { stream: true } });
  const { requestId } = await cutShort(world.gateway.url, {
    key: world.keys[project],
    body: call.body,
    chunks,
    leaveWhen: new Promise(() => {}),
  });
  const charge = saleOf("remote/chat", tokensOf(call.prompt), tokensOf("word ".repeat(chunks)));
  world.expect({ project, ...namesOf(call), requestIds: [requestId!], charges: [charge] });
};

/** The same request several times at once and once more, under one key. */
export const repeated: Operation = async (world, project, random) => {
  const usage = randomUsage(random);
  const call = chatCall(world, random, { model: "chat", acts: [{ usage, delayMs: 5 }] });
  const headers = { "idempotency-key": `key-${call.tag}` };
  const send = () => world.send(project, "/chat/completions", { body: call.body, headers });
  const answers = await Promise.all([send(), send(), send()]);
  answers.push(await send());
  const served = answers.filter(({ status }) => status === 200);
  if (new Set(served.map(({ text }) => text)).size > 1) {
    world.surprise(`${call.what} has answers that differ`, served[1]);
  }
  const other = { ...call.body, max_tokens: MAX_TOKENS - 1 };
  const changed = await world.send(project, "/chat/completions", { body: other, headers });
  const isRefused = changed.status === 400 && changed.text.includes("idempotency_key_reused");
  if (served.length > 0 && !isRefused) {
    world.surprise(`${call.what} was taken with another body`, changed);
  }
  // One that has too little may be served at a later try, the changed one included.
  const isServed = served.length > 0 || changed.status === 200;
  if (!isServed && project !== "poor") world.surprise(`${call.what} is not served`, answers[0]);
  const charge = saleOf("remote/chat", usage.prompt, usage.completion);
  const requestIds = [...answers, changed].map(({ requestId }) => requestId);
  world.expect({ project, ...namesOf(call), requestIds, charges: [isServed ? charge : 0n] });
};

/** A call, as it is sent. */
interface ChatCall {
  readonly tag: number;
  readonly what: string;
  readonly prompt: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

function chatCall(world: MixedWorld, random: SeededRandom, options: {
  readonly model: string;
  readonly acts: readonly UpstreamAct[];
  readonly actsOf?: Readonly<Record<string, readonly UpstreamAct[]>>;
  readonly fields?: Readonly<Record<string, unknown>>;
}): ChatCall {
  const { model, acts, actsOf, fields } = options;
  const tag = world.nextTag();
  const prompt = scriptPrompt({ tag, acts, ...(actsOf === undefined ? {} : { actsOf }) });
  const body = {
    model,
    stream: random.chance(0.5),
    max_tokens: MAX_TOKENS,
    messages: [{ role: "user", content: prompt }],
    ...fields,
  };
  const what = `tag ${tag} (${model}${body.stream ? " stream" : ""}, ${prompt.slice(15, 150)})`;
  return { tag, what, prompt, body, bytes: JSON.stringify(body).length };
}

/** A call that should be served, unless its project has too little. */
function settle(
  world: MixedWorld,
  project: PayingProject,
  { call, answer, charge, between }: {
    readonly call: ChatCall;
    readonly answer: Answer;
    readonly charge: bigint;
    readonly between?: Expectation["between"];
  },
): void {
  const isServed = answer.status === 200 && !hasError(answer);
  const isTooPoor = project === "poor" && lacksMoney(answer);
  if (!isServed && !isTooPoor) world.surprise(`${call.what} is not served`, answer);
  const { requestId } = answer;
  world.expect({
    project,
    ...namesOf(call),
    requestIds: [requestId],
    charges: [isServed ? charge : 0n],
    between: isServed ? between : undefined,
  });
}

/** What a flaky upstream's answer may cost: the first try's stream may have been taken as it was. */
function chargesOfServed(fault: UpstreamAct, call: ChatCall, charge: bigint): readonly bigint[] {
  if (fault.endsEarly !== true) return [charge];
  const estimate = saleOf("remote/flaky", tokensOf(call.prompt), tokensOf("word ".repeat(3)));
  return [charge, estimate];
}

function routeOf({ status, text, headers }: Answer): PricedRouteId | undefined {
  if (status !== 200) return undefined;
  const inBody = /"route":"(.*?)"/.exec(text)?.[1];
  return (headers.get("x-tollgate-route") ?? inBody) as PricedRouteId | undefined;
}

function namesOf({ tag, what }: ChatCall) {
  return { tag, what };
}

function hasError({ text }: Answer): boolean {
  return text.includes('"error":{');
}

function randomUsage(random: SeededRandom) {
  return { prompt: random.integer(1, 60), completion: random.integer(0, MAX_TOKENS) };
}

function randomPace(random: SeededRandom): UpstreamAct {
  return random.chance(0.6) ? {} : random.pick<UpstreamAct>([
    { delayMs: random.integer(1, 30) },
    { chunkMs: random.integer(1, 5) },
    { text: "é🙂", splitsCharacters: true },
    { trickle: { bytes: 97, everyMs: 1 } },
  ]);
}
