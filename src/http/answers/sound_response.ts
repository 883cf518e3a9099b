/**
 * Answers that are sound, of texts that are data URLs: part by part, and cut off where they break.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { BROKEN_SOUND } from "../../dialects/openai_speech/sound_writer.ts";
import { GatewayError } from "../../errors.ts";
import type { StreamAnswer } from "../../gateway/call_engine.ts";
import { KEEP_ALIVE } from "../../gateway/stream_relay.ts";
import type { TextParts } from "../../domain/text_parts.ts";

const HEAD = /^data:([\w.+/-]{1,100});base64,/;

/**
 * Makes the answer; resolves when its first sound is there, as its type is told with it.
 *
 * @throws {GatewayError} `upstream_error` when the sound breaks off before that.
 */
export async function soundResponse(
  { body, provider, route }: StreamAnswer,
  requestId: string,
  extra?: Readonly<Record<string, string>>,
): Promise<Response> {
  const parts = new SoundParts(body);
  const mediaType = await parts.begin();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const bytes = await parts.next();
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes);
    },
    cancel: () => body.cancel(),
  }, { highWaterMark: 0 });
  return new Response(stream, {
    headers: {
      "content-type": mediaType,
      "cache-control": "no-store",
      "x-request-id": requestId,
      "x-tollgate-provider": provider,
      "x-tollgate-route": route,
      ...extra,
    },
  });
}

/** The bytes that the parts of a data URL are. */
class SoundParts {
  readonly #parts: TextParts;
  /** Characters that make no whole bytes yet. */
  #rest = "";

  constructor(parts: TextParts) {
    this.#parts = parts;
  }

  /** Reads the head; says the media type. */
  async begin(): Promise<string> {
    const first = await this.#text();
    const [head, mediaType] = HEAD.exec(first ?? "") ?? [];
    if (head === undefined) throw brokenOff();
    this.#rest = first!.slice(head.length);
    return mediaType!;
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const whole = this.#rest.length - this.#rest.length % 4;
      if (whole > 0) {
        const bytes = Buffer.from(this.#rest.slice(0, whole), "base64");
        this.#rest = this.#rest.slice(whole);
        return bytes;
      }
      const text = await this.#text();
      if (text === undefined) return undefined;
      this.#rest += text;
    }
  }

  async #text(): Promise<string | undefined> {
    for (;;) {
      const text = await this.#parts.next();
      if (text === BROKEN_SOUND) {
        await this.#parts.cancel();
        throw brokenOff();
      }
      // What shows that a stream of events is alive is no sound.
      if (text !== KEEP_ALIVE && text !== "") return text;
    }
  }
}

function brokenOff(): GatewayError {
  return new GatewayError(
    "upstream_error",
    "The upstream broke off in the middle of the sound: it is not charged. Send the request again",
  );
}
