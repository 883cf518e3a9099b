/**
 * Cases for twin gateways with bytes changed at random: in what the client sends, and in what the
 * upstream answers, its framing included.
 *
 * @module
 */

import type { Reply, Step } from "../../support/fake_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { twinCase } from "../../support/twins/twin_cases.ts";
import type { TwinCase, TwinRequest } from "../../support/twins/twin_gateways.ts";

const encoder = new TextEncoder();
/** More often than others: what means something to a parser. */
const TELLING = encoder.encode('\r\n:;,{}[]"\\0123456789 \t\0\x7f\xff');
const REPLY_SHARE = 0.6;
const BODY_SHARE = 0.5;
const HEADER_SHARE = 0.2;

/** A case; the same of the same number and random numbers. */
export function mutatedTwinCase(random: SeededRandom, number: number): TwinCase {
  const { label, requests, replies, ...others } = twinCase(random, number);
  return {
    ...others,
    label: `${label}, mutated`,
    requests: requests.map((request) => mutatedRequest(random, request)),
    replies: replies.map((reply) =>
      random.chance(REPLY_SHARE) ? mutatedReply(random, reply) : reply
    ),
  };
}

function mutatedRequest(random: SeededRandom, request: TwinRequest): TwinRequest {
  const { headers, body } = request;
  return {
    ...request,
    body: random.chance(BODY_SHARE) ? mutated(random, body) : body,
    headers: random.chance(HEADER_SHARE)
      ? [...headers, lineOf(mutated(random, encoder.encode("x-tollgate-tags: a=b")))]
      : headers,
  };
}

/** Of those bytes a header, wherever it leads. */
function lineOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** The whole answer as its bytes, changed; its connection ends behind it. */
function mutatedReply(random: SeededRandom, reply: Reply): Reply {
  const steps = reply.steps.filter(isBytes).map((step) =>
    typeof step === "string" ? encoder.encode(step) : step
  );
  const head = reply.framing === "raw" ? [] : [encoder.encode(headOf(reply, steps))];
  const isChunked = (reply.framing ?? "chunked") === "chunked";
  const body = isChunked ? [...steps.flatMap(chunkOf), encoder.encode("0\r\n\r\n")] : steps;
  const bytes = mutated(random, joined([...head, ...body]));
  const cut = random.integer(0, bytes.length);
  const packets = random.chance(0.5) ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)];
  return { framing: "raw", steps: [...packets, "cut!"] };
}

function isBytes(step: Step): step is string | Uint8Array {
  return step instanceof Uint8Array || (typeof step === "string" && !step.endsWith("!"));
}

function headOf({ status = 200, headers, framing }: Reply, steps: readonly Uint8Array[]): string {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  if (framing === "length") lines.push(`content-length: ${joined(steps).length}`);
  if (framing === undefined || framing === "chunked") lines.push("transfer-encoding: chunked");
  return [`HTTP/1.1 ${status} Status`, ...lines, "", ""].join("\r\n");
}

function chunkOf(bytes: Uint8Array): readonly Uint8Array[] {
  const size = encoder.encode(`${bytes.length.toString(16)}\r\n`);
  return bytes.length === 0 ? [] : [size, bytes, encoder.encode("\r\n")];
}

/** A few changes of single bytes and short runs. */
function mutated(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  let changed = bytes;
  for (let left = random.integer(1, 3); left > 0; left--) changed = oneChange(random, changed);
  return changed;
}

function oneChange(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  const at = random.integer(0, bytes.length);
  const run = random.pick([1, 1, 2, 5, 30]);
  const before = bytes.subarray(0, at);
  switch (random.pick(["replace", "insert", "drop", "repeat"])) {
    case "replace":
      return joined([before, someBytes(random, 1), bytes.subarray(at + 1)]);
    case "insert":
      return joined([before, someBytes(random, run), bytes.subarray(at)]);
    case "drop":
      return joined([before, bytes.subarray(at + run)]);
    default:
      return joined([before, bytes.subarray(at, at + run), bytes.subarray(at)]);
  }
}

function someBytes(random: SeededRandom, count: number): Uint8Array {
  return Uint8Array.from(
    { length: count },
    () => random.chance(0.6) ? random.pick([...TELLING]) : random.integer(0, 255),
  );
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
