/**
 * Transcriptions and translations of sound at an upstream that speaks OpenAI's protocol. A plain text
 * says nothing of what it took: where the caller wants that, JSON is asked for and its text is given.
 *
 * @module
 */

import type { Answer, AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import { normaliseUsage } from "../../../dialects/openai/normalise_usage.ts";
import { transcriptionUsageBody } from "../../../dialects/openai_transcriptions/facts.ts";
import { asObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { SpooledFile } from "../../../files/spooled_file.ts";
import { completionTokens, promptTokens, type Work } from "../../../domain/work.ts";
import type { Conversation, ProviderCall } from "../../contract/provider.ts";
import { MAX_ANSWER_BYTES } from "../../transport/limits.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import type { EventReader } from "../../upstream/event_feed.ts";
import { openEventStream } from "../../upstream/open_event_stream.ts";
import { isSuccess, parseBody } from "../../upstream/upstream_json.ts";
import { askJson, bodyFor } from "./ask_json.ts";
import { formOf } from "./form_parts.ts";

/** Silence, coded as tightly as FLAC and Opus do: nothing plays longer by its bytes. */
const LEAST_BYTES_OF_SECOND = 50;
/** Some vendors bill no less, however short a sound is. */
const LEAST_BILLED_SECONDS = 60;

/** Has sound written down at a path. */
export function transcriber(endpoint: Endpoint, path: string): Conversation {
  return {
    answer(call, signal) {
      const { response_format: format } = call.body;
      if (format === "srt" || format === "vtt") return subtitles(endpoint, call, { path, signal });
      return askJson(endpoint, {
        call,
        sent: formOf(fieldsOf(call, inJson(call))),
        question: {
          path,
          title: "transcription",
          read: (body) => readTranscription(body, mostSeconds(call)),
        },
        signal,
      });
    },
    stream(call, signal): Promise<AnswerStream> {
      return openEventStream(endpoint, {
        path,
        ...formOf(fieldsOf(call, { ...inJson(call), stream: "true" })),
        reader: new TranscriptReader(mostSeconds(call)),
        // Whisper and what looks like it know no streams.
        eventsOf: (whole) => transcriptEvents(whole, mostSeconds(call)),
        room: call.room,
        signal,
      });
    },
  };
}

function inJson({ body }: ProviderCall): JsonObject {
  return body.response_format === "text" ? { response_format: "json" } : {};
}

function fieldsOf(call: ProviderCall, own: JsonObject): JsonObject {
  const { stream: _stream, ...fields } = bodyFor(call);
  return { ...fields, ...own };
}

/** What an upstream may say that the file of a call plays: more is a mistake, or no honest upstream. */
function mostSeconds({ body: { file } }: ProviderCall): number {
  const bytes = file instanceof SpooledFile ? file.bytes : 0;
  return Math.max(LEAST_BILLED_SECONDS, Math.ceil(bytes / LEAST_BYTES_OF_SECOND));
}

function readTranscription(body: JsonObject, most: number): Answer | undefined {
  const { text } = body;
  if (typeof text !== "string") return undefined;
  const usage = usageOf(body.usage, most) ?? secondsWork(body.duration, most);
  return {
    body: { ...body, usage: usage === undefined ? undefined : transcriptionUsageBody(usage) },
    usage,
    text: () => text,
  };
}

/** Tokens, or seconds. */
function usageOf(usage: unknown, most: number): Work | undefined {
  const raw = asObject(usage);
  if (raw === undefined) return undefined;
  if (raw.type === "duration" || raw.seconds !== undefined) return secondsWork(raw.seconds, most);
  const read = normaliseUsage({
    ...raw,
    input_tokens_details: raw.input_token_details ?? raw.input_tokens_details,
  })?.usage;
  return read === undefined || promptTokens(read) + completionTokens(read) === 0 ? undefined : read;
}

/** Whole ones, as they are sold. */
function secondsWork(seconds: unknown, most: number): Work | undefined {
  const count = typeof seconds === "string" ? Number(seconds) : seconds;
  const isCount = typeof count === "number" && count > 0;
  return isCount ? { audioSecond: Math.min(Math.ceil(count), most) } : undefined;
}

/** Subtitles, which end when the sound does, about. */
async function subtitles(
  endpoint: Endpoint,
  call: ProviderCall,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Answer> {
  const sent = formOf(fieldsOf(call, {}));
  return await endpoint.withKeys(async (credential) => {
    const request = { method: "POST", path, ...sent, accept: "text/plain", credential } as const;
    const response = await endpoint.send(request, signal);
    if (!isSuccess(response.status)) throw await endpoint.errorOf(response);
    const { status } = response;
    const text = await response.text(MAX_ANSWER_BYTES, call.room);
    if (text.trimStart().startsWith("{")) endpoint.refuseError(parseBody(text, endpoint.errors));
    if (!isSubtitles(text, call.body.response_format)) {
      throw new UpstreamError("broken", "The upstream's answer has no subtitles", { status });
    }
    const usage = secondsWork(lastSecond(text), mostSeconds(call));
    return {
      body: { text, usage: usage === undefined ? undefined : transcriptionUsageBody(usage) },
      usage,
      text: () => text.replaceAll(/^.*-->.*$/gm, ""),
    };
  });
}

/** Of silence there is nothing in the one format, and the head alone in the other. */
function isSubtitles(text: string, format: unknown): boolean {
  return format === "vtt" ? /-->|^\ufeff?\s*WEBVTT/.test(text) : /-->|^\ufeff?\s*$/.test(text);
}

/** `00:01:02,500 --> 00:01:04,000`, hours and the comma as they like. */
function lastSecond(text: string): number | undefined {
  const at = text.lastIndexOf("-->");
  const [, hours = "0", minutes, seconds] =
    /^-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}[.,]\d{1,3})/.exec(text.slice(at, at + 40)) ?? [];
  if (at === -1 || minutes === undefined) return undefined;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds!.replace(",", "."));
}

/** A transcription in one piece as a stream would have told it. */
function transcriptEvents(whole: JsonObject, most: number): readonly AnswerEvent[] | undefined {
  const answer = readTranscription(whole, most);
  if (answer === undefined) return undefined;
  const text = answer.text();
  const { usage, body } = answer;
  const events: AnswerEvent[] = text === "" ? [] : [{
    chunk: { type: "transcript.text.delta", delta: text },
    text,
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
  }];
  events.push({
    chunk: { type: DONE, text },
    text: "",
    usage,
    usageBody: body.usage as JsonObject | undefined,
    finished: true,
    empty: false,
  });
  return events;
}

const DONE = "transcript.text.done";

/** Reads events: `transcript.text.delta`, `.segment` and `.done`. */
class TranscriptReader implements EventReader {
  readonly endMark = "[DONE]";
  readonly #most: number;
  #isDone = false;

  /** @param most Seconds that its file may play. */
  constructor(most: number) {
    this.#most = most;
  }

  get isOver(): boolean {
    return this.#isDone;
  }

  read(event: JsonObject, name: string, events: AnswerEvent[]): void {
    const type = nonEmptyString(event.type) ?? name;
    const finished = type === DONE;
    const usage = finished ? usageOf(event.usage, this.#most) : undefined;
    if (finished) this.#isDone = true;
    events.push({
      chunk: { ...event, type },
      text: typeof event.delta === "string" ? event.delta : "",
      usage,
      usageBody: usage === undefined ? undefined : transcriptionUsageBody(usage),
      finished,
      empty: false,
    });
  }

  end(): void {
    if (!this.#isDone) {
      throw new UpstreamError("broken", "The upstream cut its stream before its last event");
    }
  }

  cutShort(): void {}
}
