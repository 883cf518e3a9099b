/**
 * What every dialect of the registry has to keep to, so that a new one is held to it by being
 * there. A dialect whose requests can be read has samples of them in `<name>/samples.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { CAPABILITIES } from "../../src/domain/capabilities.ts";
import { workOfTokens } from "../../src/domain/work.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { GatewayError } from "../../src/errors.ts";
import type { Dialect, UpstreamDialect } from "../../src/dialects/base/dialect.ts";
import { EventQueue } from "../../src/dialects/base/event_queue.ts";
import { OPENAI } from "../../src/dialects/openai/family.ts";
import { normaliseUsage } from "../../src/dialects/openai/normalise_usage.ts";
import { DIALECTS, UPSTREAM_DIALECTS } from "../../src/dialects/registry.ts";
import type { CallersForm, UpstreamsForm } from "../../src/dialects/base/turns_format.ts";
import { STREAM_SHAPES } from "../support/chat_stream_shapes.ts";
import { ChunkStream, countedIds, repairedAnswer } from "../support/converted_response.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { joinChunks } from "../support/joined_chunks.ts";
import { plainRequest, withoutPlaces } from "../support/plain_turns.ts";
import { readAll } from "../support/provider_parts.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { sealOf } from "../support/thought_seals.ts";

const SEED = 20_261_122;
const SAMPLES = 200;

const all = Object.entries<Dialect>(DIALECTS);
const callers = all.flatMap(([name, { callers, family }]) =>
  callers ? [{ name, family, form: callers }] : []
);
const upstreams = [
  ...all.flatMap(([name, { upstreams, family }]) =>
    upstreams ? [{ name, family, form: upstreams }] : []
  ),
  ...Object.entries<UpstreamDialect>(UPSTREAM_DIALECTS).map(([name, { upstreams }]) => (
    { name, family: undefined, form: upstreams }
  )),
];

for (const [name, dialect] of all) {
  Deno.test(`${name} is registered under its name, for a capability that there is`, () => {
    assert.equal(dialect.name, name);
    assert.ok(dialect.capability in CAPABILITIES);
    assert.ok(dialect.title.length > 0);
  });

  Deno.test(`${name} has schemas that a document can tell, and refuses a request without a model`, () => {
    for (const schema of [dialect.request, dialect.answer]) {
      assert.ok(
        Object.keys(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).length,
      );
    }
    const { error } = dialect.request.safeParse({});
    assert.ok(error?.issues.some(({ path }) => path[0] === "model"));
  });

  Deno.test(`${name} tells an error with its message and code, as its schema says`, () => {
    const { errorBody, errorSchema, keyPlaces } = dialect.family;
    const error = new GatewayError("model_not_allowed", "Not for this key", { param: "model" });
    const body = z.looseObject({}).parse(errorBody(error, "req_1"));
    assert.deepEqual(errorSchema.parse(body), body);
    const text = JSON.stringify(body);
    assert.ok(text.includes("Not for this key") && text.includes(error.code));
    for (const { header, shown } of keyPlaces) {
      assert.equal(header, header.toLowerCase());
      assert.ok(shown.toLowerCase().startsWith(`${header}: `));
    }
  });

  // Of another family's counts its own reader has to be asked.
  if (dialect.family === OPENAI) {
    Deno.test(`${name} counts in its usage what was bought, and nothing twice`, () => {
      const hasOutput = CAPABILITIES[dialect.capability].writesTokens;
      const work = workOfTokens({
        promptTokens: 100,
        completionTokens: hasOutput ? 50 : 0,
        ...(hasOutput && { cachedTokens: 30, cacheWriteTokens: 20, reasoningTokens: 7 }),
      });
      const read = normaliseUsage({
        ...(!hasOutput && { completion_tokens: 0 }),
        ...dialect.usageBody(work),
      });
      assert.deepEqual(read?.usage, work);
    });
  }

  if (dialect.writer === undefined) continue;
  Deno.test(`${name} tells an error in a stream, which no client takes for its end`, () => {
    // Sound by itself can tell of none: its connection is cut.
    const writer = dialect.writer!({ model: "m", stream_format: "sse" }, "m");
    const frame = writer.errorFrame(new GatewayError("upstream_error", "It broke off"));
    assert.ok(frame.includes("It broke off") && frame.endsWith("\n\n"));
    assert.doesNotMatch(frame, /\[DONE\]/);
  });
}

for (const { name, family, form } of callers) {
  for (const upstream of upstreams) {
    const back = callers.find((one) => one.name === upstream.name);
    // What another vendor's dialect lacks is left out or refused, as the conversions' own tables say.
    if (back === undefined || family !== OPENAI || upstream.family !== OPENAI) continue;
    Deno.test(`a request of ${name} says the same after it was written as ${upstream.name}`, async () => {
      for (const body of await samplesOf(name)) {
        const before = structuredClone(body);
        const request = form.readRequest(body);
        const again = back.form.readRequest(written(upstream.form, form, body));
        assert.deepEqual(body, before, "the caller's body was changed");
        if (name === upstream.name) assert.deepEqual(withoutPlaces(again), withoutPlaces(request));
        assert.deepEqual(plainRequest(again), plainRequest(request));
      }
    });
  }

  Deno.test(`a request of ${name} is read however it is broken, or refused by name`, async () => {
    const random = new SeededRandom(SEED, `broken ${name}`);
    for (const body of await samplesOf(name)) {
      const field = random.pick(Object.keys(body));
      const broken = { ...body, [field]: brokenBy(random, body[field]) };
      try {
        for (const { form: upstream } of upstreams) written(upstream, form, broken);
      } catch (error) {
        const { failure, param, name: kind } = error as JsonObject;
        assert.ok(kind === "NotCarried" || failure === "caller", String(error));
        assert.equal(typeof param, "string");
      }
    }
  });
}

for (const { name, reads } of STREAM_SHAPES) {
  Deno.test(`a chat says the same in one piece, as a stream, and after it was told again: ${name}`, async () => {
    const parts = { clock: new FakeClock(), ids: countedIds(), seal: sealOf };
    const told = (tell: (reader: ReturnType<UpstreamsForm["answerReader"]>) => void) => {
      const events = new EventQueue();
      const writer = DIALECTS.openai_chat.callers!.answerWriter({}, parts, events);
      const reader = DIALECTS.openai_chat.upstreams!.answerReader(writer);
      tell(reader);
      reader.end();
      return { whole: writer.whole, events: events.take() };
    };
    const events = await readAll(new ChunkStream(reads));
    const streamed = told((reader) => events.forEach((event) => reader.addEvent(event)));
    const whole = repairedAnswer(await joinChunks(reads));
    const plain = told((reader) => reader.addWhole(whole));
    assert.deepEqual(messageOf(streamed.whole), messageOf(plain.whole));
    const again = told((reader) => streamed.events.forEach((event) => reader.addEvent(event)));
    assert.deepEqual(messageOf(again.whole), messageOf(streamed.whole));
    assert.deepEqual(streamed.whole.usage, whole.body.usage);
  });
}

function written(upstream: UpstreamsForm, form: CallersForm, body: JsonObject): JsonObject {
  return upstream.writeRequest(form.readRequest(body), { keepsReasoning: true });
}

async function samplesOf(name: string): Promise<JsonObject[]> {
  const { sampleRequest } = await import(`./${name}/samples.ts`);
  const random = new SeededRandom(SEED, name);
  return Array.from({ length: SAMPLES }, () => sampleRequest(random));
}

/** The same with something in it replaced by what does not belong there. */
function brokenBy(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) {
    return random.pick([null, 7, "x", "", [], {}, [{}], [null], { type: "x" }, true]);
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return value;
    const at = random.integer(0, value.length - 1);
    return value.map((one, index) => index === at ? brokenBy(random, one) : one);
  }
  const field = random.pick(Object.keys(value).length > 0 ? Object.keys(value) : ["type"]);
  const own = (value as JsonObject)[field];
  return { ...value, [field]: brokenBy(random, own) };
}

function messageOf({ choices }: JsonObject): unknown {
  const [{ message, finish_reason, logprobs }] = choices as [JsonObject];
  const { tool_calls: calls, ...others } = message as JsonObject;
  return {
    others,
    finish_reason,
    logprobs,
    calls: (calls as JsonObject[] | undefined)?.map(({ id: _, ...call }) => call),
  };
}
