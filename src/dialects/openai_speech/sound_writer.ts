/**
 * Sound on its way to a caller who wants it as it is. Answers are texts until they are sent, as they
 * are shared and kept as such: sound is a data URL (RFC 2397), part by part.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { AnswerEvent } from "../base/answer.ts";
import type { StreamWriter } from "../base/dialect.ts";

/** A part that says that the sound breaks off. */
export const BROKEN_SOUND = "!";

/** Holds the last bytes back until the call is settled: before that no sound is whole. */
export class SoundWriter implements StreamWriter {
  readonly #mediaType: string;
  /** One to three bytes, which go with the next ones: what is sent of them is whole characters. */
  #rest: Uint8Array = new Uint8Array(0);
  #hasBegun = false;

  /** @param mediaType Where the upstream tells none. */
  constructor(mediaType: string) {
    this.#mediaType = mediaType;
  }

  frame({ chunk: { audio }, mediaType = this.#mediaType }: AnswerEvent): string {
    if (typeof audio !== "string") return "";
    const text = this.#encode(Buffer.from(audio, "base64"));
    if (this.#hasBegun) return text;
    this.#hasBegun = true;
    return `data:${mediaType};base64,${text}`;
  }

  tail(): string {
    return Buffer.from(this.#rest).toString("base64");
  }

  errorFrame(): string {
    return BROKEN_SOUND;
  }

  #encode(bytes: Uint8Array): string {
    const all = Buffer.concat([this.#rest, bytes]);
    const whole = Math.max(0, all.length - (all.length % 3 || 3));
    this.#rest = all.subarray(whole);
    return all.subarray(0, whole).toString("base64");
  }
}
