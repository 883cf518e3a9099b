/**
 * Turns what a script says into a reply, byte for byte.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { jsonReply, type Reply, sseReply, type Step, textReply } from "../fake_upstream_reply.ts";
import { gzipBomb } from "./gzip_bomb.ts";
import type { UpstreamAct, UsageManner } from "./upstream_script.ts";

/** What was asked for. */
export interface AskedFor {
  readonly kind: "chat" | "embeddings";
  readonly isStream: boolean;
  /** Inputs of a request for embeddings. */
  readonly inputs: number;
  readonly model: string;
  /** What is answered at a path that is neither; absent: it is one of them. */
  readonly other?: object | undefined;
}

/** A reply, and what it is worth. */
export interface ScriptedReply {
  readonly reply: Reply;
  /** Whether it is a whole completion when all of it is sent. */
  readonly isCompletion: boolean;
  /** The counts that it reports, where they are counts. */
  readonly usage: { readonly prompt: number; readonly completion: number } | undefined;
}

const MEGABYTE = 1024 ** 2;
const USAGE = { prompt: 10, completion: 5 };

/** The reply to a request for which `act` is the script. */
export function scriptedReply(asked: AskedFor, act: UpstreamAct): ScriptedReply {
  const { status, redirect, isHtml, isSilent } = act;
  const before: Step[] = [];
  if (act.delayMs !== undefined) before.push({ pauseMs: act.delayMs });
  if (isSilent === true) before.push("stall!");
  if (act.resetAt === -1) before.push("reset!");
  const failure = status !== undefined
    ? errorReply(status, act.retryAfter)
    : redirect !== undefined
    ? { status: 307, headers: { location: redirect }, steps: [], framing: "length" as const }
    : isHtml === true
    ? htmlReply()
    : undefined;
  if (failure !== undefined) {
    return { reply: { ...failure, before }, isCompletion: false, usage: undefined };
  }
  const usage = act.usage ?? USAGE;
  const reply = asked.other !== undefined
    ? asked.other instanceof Uint8Array
      ? textReply("audio/mpeg", asked.other)
      : asked.isStream
      ? sseReply([asked.other, "[DONE]"])
      : jsonReply(asked.other)
    : asked.kind === "embeddings"
    ? embeddingReply(asked, usage)
    : asked.isStream
    ? streamReply(asked, act, usage)
    : plainReply(asked, act, usage);
  const steps = pacedSteps(reply.steps, act);
  return {
    reply: { ...reply, before, steps },
    isCompletion: act.endsEarly !== true && isWhole(act),
    usage: typeof usage === "string" ? undefined : usage,
  };
}

function isWhole(act: UpstreamAct): boolean {
  const { stallAt, stallAfterChunks, resetAt, cutAt, isSilent } = act;
  return isSilent !== true &&
    [stallAt, stallAfterChunks, resetAt, cutAt].every((at) => at === undefined);
}

function errorReply(status: number, retryAfter: number | undefined): Reply {
  const message = `The upstream answers ${status}, as it was told to`;
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    },
    steps: [JSON.stringify({ error: { message, type: "told_to", code: null, param: null } })],
    framing: "length",
  };
}

function htmlReply(): Reply {
  return {
    headers: { "content-type": "text/html" },
    steps: ["<!doctype html><title>Bad gateway</title><h1>It works!</h1>"],
    framing: "length",
  };
}

function plainReply(asked: AskedFor, act: UpstreamAct, usage: UsageManner): Reply {
  const { text = "word ", chunks = 3, paddingMb = 0 } = act;
  const message = { role: "assistant", content: text.repeat(chunks), refusal: null };
  const body = JSON.stringify({
    ...about(asked, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    ...usageField(usage),
    ...depthField(act),
  });
  if (act.gzipBombMb === undefined) {
    // The length is said at once: a body that is cut short is then seen to be.
    const headers = {
      "content-type": "application/json",
      "content-length": String(paddingMb * MEGABYTE + Buffer.byteLength(body)),
    };
    return { headers, steps: [...padding(" ", paddingMb), body], framing: "length" };
  }
  return {
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    steps: [gzipBomb(act.gzipBombMb, body)],
    framing: "length",
  };
}

function streamReply(asked: AskedFor, act: UpstreamAct, usage: UsageManner): Reply {
  const { text = "word ", chunks = 3 } = act;
  const head = about(asked, "chat.completion.chunk");
  const choice = (delta: object, finish: string | null = null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  const first = choice({ role: "assistant", content: text, ...depthField(act) });
  const next = choice({ content: text });
  const events = Array.from({ length: chunks }, (_, index) => index === 0 ? first : next);
  const { stallAfterChunks } = act;
  if (stallAfterChunks !== undefined) {
    if (stallAfterChunks >= chunks) events.push(choice({}, "stop"));
    else events.length = stallAfterChunks;
    events.push("stall!");
  } else if (act.endsEarly !== true) {
    events.push(choice({}, "stop"));
    if (usage !== "missing") events.push(event({ ...head, choices: [], ...usageField(usage) }));
    events.push("data: [DONE]\n\n");
  }
  const steps = act.paddingMb === undefined ? events : longLine(events, act.paddingMb);
  return { headers: { "content-type": "text/event-stream" }, steps };
}

/** The first event's text goes on and on; it is one step for each MB, of the same bytes. */
function longLine(events: readonly string[], megabytes: number): readonly Step[] {
  const [first, ...rest] = events;
  const at = first!.indexOf('"content":"') + '"content":"'.length;
  return [first!.slice(0, at), ...padding("a", megabytes), first!.slice(at), ...rest];
}

function padding(character: string, megabytes: number): readonly Buffer[] {
  // Filling one takes milliseconds, and most replies have none.
  return megabytes === 0 ? [] : Array(megabytes).fill(Buffer.alloc(MEGABYTE, character));
}

function depthField({ depth = 0 }: UpstreamAct): object {
  return depth === 0 ? {} : { deep: JSON.parse("[".repeat(depth) + "]".repeat(depth)) };
}

function embeddingReply({ inputs, model }: AskedFor, usage: UsageManner): Reply {
  const data = Array.from(
    { length: inputs },
    (_, index) => ({ object: "embedding", index, embedding: [index, 0.5, -0.25] }),
  );
  const fields = usageField(usage);
  const body = JSON.stringify({ object: "list", data, model, ...fields });
  const length = String(Buffer.byteLength(body));
  return {
    headers: { "content-type": "application/json", "content-length": length },
    steps: [body],
    framing: "length",
  };
}

function about({ model }: AskedFor, object: string) {
  return { id: "chatcmpl-fault", object, created: 1_700_000_000, model };
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function usageField(usage: UsageManner): object {
  switch (usage) {
    case "missing":
      return {};
    case "negative":
      return { usage: counts(-3, 5) };
    case "fraction":
      return { usage: counts(10.5, 5) };
    case "absurd":
      return { usage: counts(10, 9_007_199_254_740_991) };
    case "text":
      return { usage: { prompt_tokens: "ten", completion_tokens: "five", total_tokens: "many" } };
    default:
      return { usage: counts(usage.prompt, usage.completion) };
  }
}

function counts(prompt: number, completion: number) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

/** The body's steps with everything that happens on the way. */
function pacedSteps(steps: readonly Step[], act: UpstreamAct): readonly Step[] {
  const end = endOf(act);
  const { trickle, chunkMs } = act;
  if (
    end === undefined && trickle === undefined && chunkMs === undefined && !act.splitsCharacters
  ) {
    return steps;
  }
  const paced: Step[] = [];
  let left = end?.at ?? Infinity;
  for (const step of steps) {
    if (step === "stall!") return [...paced, step];
    const bytes = Buffer.from(step as string);
    const sent = bytes.subarray(0, left);
    for (const part of partsOf(sent, act)) {
      paced.push(part);
      if (trickle !== undefined) paced.push({ pauseMs: trickle.everyMs });
    }
    if (chunkMs !== undefined && sent.length > 0) paced.push({ pauseMs: chunkMs });
    left -= sent.length;
    if (left <= 0) break;
  }
  return end === undefined ? paced : [...paced, end.step];
}

function endOf({ stallAt, resetAt, cutAt }: UpstreamAct): { at: number; step: Step } | undefined {
  const ends = [
    stallAt !== undefined && { at: stallAt, step: "stall!" as const },
    resetAt !== undefined && resetAt >= 0 && { at: resetAt, step: "reset!" as const },
    cutAt !== undefined && { at: cutAt, step: "cut!" as const },
  ].filter((one) => one !== false);
  return ends.sort((one, other) => one.at - other.at)[0];
}

function partsOf(bytes: Buffer, { trickle, splitsCharacters }: UpstreamAct): readonly Buffer[] {
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length; at++) {
    const isInside = (bytes[at]! & 0b1100_0000) === 0b1000_0000;
    if (trickle !== undefined ? at % trickle.bytes === 0 : splitsCharacters && isInside) {
      cuts.push(at);
    }
  }
  return [0, ...cuts].map((at, index) => bytes.subarray(at, cuts[index] ?? bytes.length));
}
