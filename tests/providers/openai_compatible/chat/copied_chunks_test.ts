/**
 * Chunks that are copied are told, priced and written as if each had been parsed: an upstream that
 * names its events is never copied from, and serves to compare.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import { CopiedChunk } from "../../../../src/dialects/base/chunk_copy.ts";
import { ChatWriter } from "../../../../src/dialects/openai/chunk_writer.ts";
import { UpstreamError } from "../../../../src/domain/upstream_error.ts";
import type { Transport } from "../../../../src/providers/transport/contract.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { oddChunks } from "../../../support/odd_chunks.ts";
import { chunk } from "../../../support/chat_bodies.ts";
import { chatCall, never, openAiCompatible } from "../../../support/provider_parts.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const FACTS = {
  provider: "p",
  route: "r",
  usage: {},
  pricing: { currency: "USD", cost_amount: "0.00000000", sale_amount: "0.00000000" },
};

/** What a caller and the books are told of a stream. */
interface Told {
  readonly events: readonly Record<string, unknown>[];
  readonly frames: readonly string[];
  readonly failure: string | undefined;
  readonly copies: number;
}

/** The bytes as a server may send them: in pieces of any length, if it is to be so. */
function transportOf(bytes: Uint8Array, pieces: SeededRandom | undefined): Transport {
  let at = 0;
  return {
    request: () =>
      Promise.resolve({
        status: 200,
        header: (name) => name === "content-type" ? "text/event-stream" : undefined,
        read() {
          if (at === bytes.length) return Promise.resolve(undefined);
          const end = at + (pieces?.integer(1, pieces.pick([3, 40, 2_000])) ?? bytes.length);
          const piece = bytes.slice(at, end);
          at += piece.length;
          return Promise.resolve(piece);
        },
        text: () => Promise.reject(new Error("nobody asks for all of it")),
        close() {},
        release() {},
      }),
    close() {},
  };
}

async function tell(
  bytes: Uint8Array,
  { seed, includeUsage, inPieces, asksChunks }: {
    readonly seed: number;
    readonly includeUsage: boolean;
    readonly inPieces: boolean;
    readonly asksChunks: boolean;
  },
): Promise<Told> {
  const ids = new SeededRandom(seed, "ids");
  const { openai_chat } = openAiCompatible("http://up.example/v1", {
    clock: new FakeClock(),
    transport: transportOf(bytes, inPieces ? new SeededRandom(seed, "pieces") : undefined),
    random: () => ids.next(),
  }).speaks;
  const stream = await openai_chat.stream(chatCall(), never());
  const writer = new ChatWriter({ model: "sold-as", includeUsage });
  const events: Record<string, unknown>[] = [];
  const frames: string[] = [];
  let copies = 0;
  const take = (event: AnswerEvent) => {
    const { text, thoughts, usage, terms, usageBody, finished, seal, empty } = event;
    const told = { text, thoughts, usage, terms, usageBody, finished, seal, empty };
    events.push(asksChunks ? { ...told, chunk: JSON.stringify(event.chunk) } : told);
    if (event instanceof CopiedChunk) copies++;
    frames.push(writer.frame(event));
  };
  let failure: string | undefined;
  try {
    for (let more = await stream.next(); more !== undefined; more = await stream.next()) {
      more.forEach(take);
    }
    frames.push(writer.tail(FACTS));
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    failure = `${error.failure}: ${error.message}`;
  }
  return { events, frames, failure, copies };
}

function bytesOf(chunks: readonly string[], random: SeededRandom, named: boolean): Uint8Array {
  const lineEnd = random.pick(["\n", "\n", "\n", "\r\n"]);
  const blank = random.pick([" ", " ", ""]);
  const text = chunks.map((data) => {
    const comment = random.chance(0.03) ? `: comment${lineEnd}` : "";
    return `${comment}${
      named ? `event: chunk${lineEnd}` : ""
    }data:${blank}${data}${lineEnd}${lineEnd}`;
  }).join("");
  return new TextEncoder().encode(text);
}

Deno.test("thousands of odd streams are told the same whether their chunks are copied or parsed", async () => {
  let copies = 0;
  let chunks = 0;
  let failures = 0;
  for (let seed = 1; seed <= 4_000; seed++) {
    const odd = oddChunks(new SeededRandom(seed, "chunks"));
    const options = { seed, includeUsage: seed % 2 === 0, asksChunks: seed % 3 === 0 };
    const random = () => new SeededRandom(seed, "lines");
    const copied = await tell(bytesOf(odd, random(), false), {
      ...options,
      inPieces: seed % 5 > 0,
    });
    const parsed = await tell(bytesOf(odd, random(), true), { ...options, inPieces: false });
    assert.equal(parsed.copies, 0);
    const { copies: _, ...expected } = parsed;
    const { copies: made, ...actual } = copied;
    assert.deepEqual(actual, expected, `seed ${seed}: ${odd.join("\n")}`);
    copies += made;
    chunks += odd.length;
    if (actual.failure !== undefined) failures++;
  }
  // It is about something: many are copied, many are not, and some streams fail.
  assert.ok(copies > chunks / 8, `${copies} of ${chunks}`);
  assert.ok(copies < chunks * 4 / 5, `${copies} of ${chunks}`);
  assert.ok(failures > 50 && failures < 2_000, `${failures}`);
});

/** How many of the chunks that an upstream sends are copied. */
async function copiesOf(chunks: readonly unknown[]): Promise<number> {
  const texts = [...chunks.map((one) => JSON.stringify(one)), "[DONE]"];
  const bytes = bytesOf(texts, new SeededRandom(1), false);
  const options = { seed: 1, includeUsage: false, inPieces: false, asksChunks: false };
  return (await tell(bytes, options)).copies;
}

const STOP = chunk({}, "stop");

Deno.test("all but the first words of a usual stream are copied", async () => {
  const words = Array.from({ length: 100 }, (_, at) => ` ${at} "words"\n`);
  const opening = chunk({ role: "assistant", content: "" });
  const plain = words.map((content) => chunk({ content }));
  assert.equal(await copiesOf([opening, ...plain, STOP]), 99);
  const thoughts = words.map((reasoning_content) => chunk({ reasoning_content }));
  assert.equal(await copiesOf([opening, ...thoughts, ...plain, STOP]), 198);
  const padded = plain.map((one, at) => ({ ...one, obfuscation: "x".repeat(at % 7) }));
  assert.equal(await copiesOf([opening, ...padded, STOP]), 99);
  const timed = plain.map((one, at) => ({ ...one, created: 1_700_000_000 + Math.floor(at / 20) }));
  assert.equal(await copiesOf([opening, ...timed, STOP]), 95);
});

Deno.test("an upstream whose chunks are never alike is not learnt from again and again", async () => {
  let probes = 0;
  const chunks = Array.from(
    { length: 200 },
    (_, at) => ({ ...chunk({ content: "word" }), turn: at }),
  );
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => {
    if (text.includes(String.raw`\u0000`)) probes++;
    return parse(text, reviver);
  };
  try {
    assert.equal(await copiesOf([...chunks, STOP]), 0);
  } finally {
    JSON.parse = parse;
  }
  assert.equal(probes, 4);
});
