/**
 * Images at an upstream that speaks OpenAI's protocol: whole, or as a stream of events with images
 * that are not done.
 *
 * @module
 */

import type { Answer, AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import { imageTerms } from "../../../dialects/openai_images/facts.ts";
import { imageUsageBody, readImageUsage } from "../../../dialects/openai_images/usage.ts";
import {
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../../domain/json_value.ts";
import { addWork, completionTokens, promptTokens, type Work } from "../../../domain/work.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import { MAX_IMAGES_BYTES } from "../../transport/limits.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { EventParser } from "../../upstream/event_parser.ts";
import type { EventReader } from "../../upstream/event_feed.ts";
import { openEventStream, SERVER_SENT_EVENTS } from "../../upstream/open_event_stream.ts";
import { isUnixTime } from "../chat/convert_answer.ts";
import { askJson, type SentBody } from "./ask_json.ts";

/** A request for images that is ready to be sent. */
export interface ImageQuestion {
  readonly path: string;
  /** The type of the event that has an image which is done. */
  readonly done: "image_generation.completed" | "image_edit.completed";
  readonly call: ProviderCall;
  /** The fields that are sent, whatever form they are sent in. */
  readonly fields: Readonly<JsonObject>;
  readonly sent: SentBody;
  readonly signal: AbortSignal;
}

/** Images in one piece. */
export function makeImages(
  endpoint: Endpoint,
  { path, call, fields, sent, signal }: ImageQuestion,
): Promise<Answer> {
  const nowSeconds = Math.floor(endpoint.clock.now() / 1000);
  return askJson(endpoint, {
    call,
    sent,
    question: {
      path,
      title: "list of images",
      maxBytes: MAX_IMAGES_BYTES,
      read: (body) => readImages(body, fields, nowSeconds),
    },
    signal,
  });
}

function readImages(
  body: JsonObject,
  fields: Readonly<JsonObject>,
  nowSeconds: number,
): Answer | undefined {
  const { data } = body;
  if (!Array.isArray(data) || data.length === 0 || !data.every(isImage)) return undefined;
  const images = data.slice(0, asCount(fields.n) ?? 1);
  const usage = readImageUsage(body.usage, images.length);
  return {
    body: {
      ...body,
      created: isUnixTime(body.created) ? body.created : nowSeconds,
      data: images,
      usage: usageOf(usage, body.usage),
    },
    usage,
    terms: imageTerms(body, fields),
    text: () => "",
  };
}

/** Without counts of tokens there is nothing of the upstream's to tell. */
function usageOf(work: Work, raw: unknown): JsonObject | undefined {
  const tokens = promptTokens(work) + completionTokens(work);
  return tokens === 0 ? undefined : imageUsageBody(work, asObject(raw));
}

function isImage(value: unknown): boolean {
  return isObject(value) &&
    (nonEmptyString(value.b64_json) ?? nonEmptyString(value.url)) !== undefined;
}

/** An image of the largest size, as text, is longer than events of other streams. */
const IMAGE_EVENTS: typeof SERVER_SENT_EVENTS = {
  ...SERVER_SENT_EVENTS,
  framing: (onEvent) => new EventParser(onEvent, { maxCharacters: 64 * 1024 * 1024 }),
};

/** Images as a stream. */
export function streamImages(
  endpoint: Endpoint,
  { path, done, call, fields, sent, signal }: ImageQuestion,
): Promise<AnswerStream> {
  const nowSeconds = Math.floor(endpoint.clock.now() / 1000);
  return openEventStream(endpoint, {
    path,
    ...sent,
    reader: new ImageReader(fields),
    // Most servers of open models know no streams.
    eventsOf: (whole) => imageEvents(readImages(whole, fields, nowSeconds), done),
    maxWholeBytes: MAX_IMAGES_BYTES,
    media: IMAGE_EVENTS,
    room: call.room,
    longTexts: call.longTexts,
    signal,
  });
}

/** Images in one piece as a stream would have told them; the usage is that of all, and told once. */
function imageEvents(
  answer: Answer | undefined,
  done: ImageQuestion["done"],
): readonly AnswerEvent[] | undefined {
  if (answer === undefined) return undefined;
  const { created, data, usage: usageBody, ...common } = answer.body;
  const images = data as readonly JsonObject[];
  return images.map((image, at) => {
    const isLast = at === images.length - 1;
    return {
      chunk: { ...common, ...image, type: done, created_at: created },
      text: "",
      isAtWork: true,
      usage: isLast ? answer.usage : undefined,
      terms: isLast ? answer.terms : undefined,
      usageBody: isLast ? asObject(usageBody) : undefined,
      finished: true,
      empty: false,
    };
  });
}

/** Reads events; each that is of a whole image tells its usage. */
class ImageReader implements EventReader {
  readonly endMark = "[DONE]";
  readonly #fields: Readonly<JsonObject>;
  #done = 0;
  #usage: Work = {};

  constructor(fields: Readonly<JsonObject>) {
    this.#fields = fields;
  }

  /** With the last image that was asked for: a cut behind it spoils nothing. */
  get isOver(): boolean {
    return this.#done >= (asCount(this.#fields.n) ?? 1);
  }

  read(event: JsonObject, name: string, events: AnswerEvent[]): void {
    const type = nonEmptyString(event.type) ?? name;
    const finished = type.endsWith(".completed");
    if (!isImage(event)) {
      // Signs of life and what else a vendor tells has no image.
      if (!finished && !type.endsWith(".partial_image")) return;
      throw new UpstreamError("broken", "The upstream sent an event without its image");
    }
    if (finished) {
      this.#done++;
      // Each tells of itself alone; whether OpenAI's do is not known.
      this.#usage = addWork(this.#usage, readImageUsage(event.usage, 1));
    }
    events.push({
      chunk: { ...event, type },
      text: "",
      isAtWork: true,
      usage: finished ? this.#usage : undefined,
      terms: finished ? imageTerms(event, this.#fields) : undefined,
      usageBody: finished ? imageUsageBody(this.#usage, asObject(event.usage)) : undefined,
      finished,
      empty: false,
    });
  }

  end(): void {
    if (this.#done === 0) {
      throw new UpstreamError("broken", "The upstream cut its stream before an image was done");
    }
  }

  cutShort(): void {}
}
