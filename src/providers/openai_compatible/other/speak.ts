/**
 * Speech at an upstream that speaks OpenAI's protocol. Sound by itself tells nothing of its tokens: a
 * route that is paid by these is asked for events, whatever its caller wants.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import { normaliseUsage } from "../../../dialects/openai/normalise_usage.ts";
import { charactersOf, isEvents, speechUsageBody } from "../../../dialects/openai_speech/facts.ts";
import { asObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { saleBasis } from "../../../domain/price.ts";
import { listPriced } from "../../../domain/rates_for.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { completionTokens, promptTokens, type Work } from "../../../domain/work.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import type { UpstreamResponse } from "../../transport/contract.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { EventStream } from "../../upstream/event_stream.ts";
import { EventFeed, type EventReader } from "../../upstream/event_feed.ts";
import { notAStream, refuserOf, SERVER_SENT_EVENTS } from "../../upstream/open_event_stream.ts";
import { isSuccess } from "../../upstream/upstream_json.ts";
import { bodyFor } from "./ask_json.ts";

const SOUND = /^(?:audio\/[\w.+-]{1,60}|application\/octet-stream|binary\/octet-stream)/i;
/** Hours of any format but the plainest. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Resolves when the upstream's headers are in and it is sound, or events.
 *
 * @throws {UpstreamError}
 */
export async function speak(
  endpoint: Endpoint,
  call: ProviderCall,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<AnswerStream> {
  const { clock, timeouts } = endpoint;
  const sentAt = clock.monotonic();
  const wantsEvents = isEvents(call.body) || isPaidByTokens(call);
  const fields = bodyFor(call, { stream_format: wantsEvents ? "sse" : undefined });
  const accept = wantsEvents ? `${SERVER_SENT_EVENTS.accept}, audio/*` : "application/octet-stream";
  const body = JSON.stringify(fields);
  const response = await endpoint.withKeys(async (credential) => {
    const request = { method: "POST", path, body, accept, credential, stream: true } as const;
    const opened = await endpoint.send(request, signal);
    if (!isSuccess(opened.status)) throw await endpoint.errorOf(opened);
    const type = opened.header("content-type") ?? "";
    if (SERVER_SENT_EVENTS.type.test(type) || SOUND.test(type)) return opened;
    throw await notAStream(endpoint, opened);
  });
  const character = charactersOf(call.body.input);
  if (SERVER_SENT_EVENTS.type.test(response.header("content-type")!)) {
    return new EventStream(response, {
      clock,
      timeouts,
      sentAt,
      feed: new EventFeed({
        reader: new SpeechReader(character),
        room: call.room,
        framing: SERVER_SENT_EVENTS.framing,
        refuseError: refuserOf(endpoint),
      }),
    });
  }
  return new SoundStream(response, { idleMs: timeouts.idleMs, character });
}

function isPaidByTokens({ route: { prices, supports } }: ProviderCall): boolean {
  if (supports.stream === false) return false;
  return [prices.cost, saleBasis(prices)].some((rates) =>
    rates !== undefined && listPriced(rates, "speech") === 1
  );
}

function eventOf(chunk: JsonObject, more: Partial<AnswerEvent> = {}): AnswerEvent {
  return {
    chunk,
    text: "",
    isAtWork: true,
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
    ...more,
  };
}

const DELTA = "speech.audio.delta";

function lastEvent(work: Work, done: JsonObject = {}): AnswerEvent {
  return eventOf({ ...done, type: "speech.audio.done" }, {
    usage: work,
    usageBody: { ...asObject(done.usage), ...speechUsageBody(work) },
    finished: true,
  });
}

/** Sound as it comes, in the events that would tell of it. */
class SoundStream implements AnswerStream {
  readonly #response: UpstreamResponse;
  readonly #options: { readonly idleMs: number; readonly character: number };
  readonly #mediaType: string | undefined;
  #bytes = 0;
  #isDone = false;

  constructor(
    response: UpstreamResponse,
    options: { readonly idleMs: number; readonly character: number },
  ) {
    this.#response = response;
    this.#options = options;
    const [type] = /^audio\/[\w.+-]{1,60}/i.exec(response.header("content-type") ?? "") ?? [];
    this.#mediaType = type?.toLowerCase();
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    if (this.#isDone) return undefined;
    const bytes = await this.#response.read(this.#options.idleMs);
    if (bytes === undefined) {
      if (this.#bytes === 0) {
        throw new UpstreamError("broken", "The upstream answered with no sound");
      }
      this.#isDone = true;
      return [lastEvent({ character: this.#options.character })];
    }
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_BYTES) {
      this.cancel();
      throw new UpstreamError("broken", "The upstream's sound is longer than any speech");
    }
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
    const mediaType = this.#mediaType;
    return [eventOf({ type: DELTA, audio }, { ...(mediaType !== undefined && { mediaType }) })];
  }

  cancel(): void {
    this.#response.close();
  }
}

/** Reads events; the names of OpenAI's are from its types, and what else comes is left out. */
class SpeechReader implements EventReader {
  readonly endMark = "[DONE]";
  readonly #character: number;
  #hasSound = false;
  #isDone = false;

  constructor(character: number) {
    this.#character = character;
  }

  get isOver(): boolean {
    return this.#isDone;
  }

  read(event: JsonObject, name: string, events: AnswerEvent[]): void {
    const type = nonEmptyString(event.type) ?? name;
    if (typeof event.audio === "string" && event.audio !== "") {
      this.#hasSound = true;
      events.push(eventOf({ ...event, type: DELTA }));
    } else if (type.endsWith(".done")) this.#finish(event, events);
  }

  end(by: "mark" | "body", events: AnswerEvent[]): void {
    if (this.#isDone) return;
    // Half of what was to be said looks just the same.
    if (by === "body" && this.#hasSound) {
      throw new UpstreamError("broken", "The upstream cut its stream before its last event");
    }
    this.#finish({}, events);
  }

  cutShort(): void {}

  #finish(done: JsonObject, events: AnswerEvent[]): void {
    if (!this.#hasSound) {
      throw new UpstreamError("broken", "The upstream's stream ended without sound");
    }
    this.#isDone = true;
    events.push(lastEvent({ ...tokensOf(done.usage), character: this.#character }, done));
  }
}

/** What is written is sound. */
function tokensOf(usage: unknown): Work {
  const raw = asObject(usage);
  if (raw === undefined) return {};
  const read = normaliseUsage({
    ...raw,
    output_tokens_details: { audio_tokens: raw.output_tokens },
  })?.usage;
  return read === undefined || promptTokens(read) + completionTokens(read) === 0 ? {} : read;
}
