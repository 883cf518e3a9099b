/**
 * Images that Google's models make: Gemini's, one at a time and counted in tokens, and Imagen's, several
 * at a time and counted each.
 *
 * @module
 */

import type { Answer, AnswerEvent, AnswerStream } from "../../../dialects/base/answer.ts";
import { imageTerms } from "../../../dialects/openai_images/facts.ts";
import { imageUsageBody } from "../../../dialects/openai_images/usage.ts";
import { asCount, type JsonObject } from "../../../domain/json_value.ts";
import {
  addWork,
  completionTokens,
  NO_WORK,
  promptTokens,
  type Work,
} from "../../../domain/work.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { Conversation, ProviderCall } from "../../contract/provider.ts";
import { MAX_IMAGES_BYTES } from "../../transport/limits.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { type GivenImage, givenImages, ImageSlots } from "./given_images.ts";
import { filtered } from "./refuse_image.ts";
import { formOf, type ImageForm, type Made } from "./image_forms.ts";

/** Whether images are made of a text, or of images and a text. */
export type Making = "generation" | "edit";

/** Images of a provider; `pathOf` tells where a model is. */
export class Images implements Conversation {
  readonly #endpoint: Endpoint;
  readonly #pathOf: (model: string) => string;
  readonly #making: Making;

  constructor(
    endpoint: Endpoint,
    pathOf: (model: string) => string,
    making: Making = "generation",
  ) {
    this.#endpoint = endpoint;
    this.#pathOf = pathOf;
    this.#making = making;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const form = formOf(call.route.upstreamModel);
    const given = this.#making === "edit" ? await givenImages(call.body) : [];
    const wanted = asCount(call.body.n) ?? 1;
    const parts: number[] = [];
    for (let left = wanted; left > 0; left -= form.mostAtOnce) {
      parts.push(Math.min(left, form.mostAtOnce));
    }
    const made = await Promise.all(
      parts.map((count) => this.#make(form, count, { call, given, signal })),
    );
    const images = made.flatMap(({ images }) => images);
    if (images.length === 0) {
      const reason = made.find(({ reason }) => reason !== undefined)?.reason;
      if (reason !== undefined) throw filtered(reason);
      throw new UpstreamError("broken", "The upstream's answer has no image", { status: 200 });
    }
    const tokens = made.reduce<Work>((sum, { usage }) => addWork(sum, usage), NO_WORK);
    const usage = { ...tokens, imageOut: images.length };
    const isCounted = promptTokens(usage) + completionTokens(usage) > 0;
    return {
      body: {
        created: Math.floor(this.#endpoint.clock.now() / 1_000),
        data: images.map((b64_json) => ({ b64_json })),
        ...(isCounted && { usage: imageUsageBody(usage) }),
      },
      usage,
      terms: imageTerms({}, call.body),
      text: () => "",
    };
  }

  /** They come whole: each is told as done at once. */
  async stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    const { body, usage, terms } = await this.answer(call, signal);
    const data = body.data as readonly JsonObject[];
    const last = data.length - 1;
    let events: readonly AnswerEvent[] | undefined = data.map((image, at) => ({
      chunk: { type: `image_${this.#making}.completed`, ...image, created_at: body.created },
      text: "",
      usage: at === last ? usage : undefined,
      terms,
      usageBody: at === last ? body.usage as JsonObject ?? {} : undefined,
      finished: at === last,
      empty: false,
    }));
    return {
      next() {
        const told = events;
        events = undefined;
        return Promise.resolve(told);
      },
      cancel() {
        events = undefined;
      },
    };
  }

  async #make(
    form: ImageForm,
    count: number,
    { call, given, signal }: {
      readonly call: ProviderCall;
      readonly given: readonly GivenImage[];
      readonly signal: AbortSignal;
    },
  ): Promise<Made> {
    const path = `${this.#pathOf(call.route.upstreamModel)}:${form.verb}`;
    const slots = new ImageSlots();
    const parts = given.map((image) => slots.partOf(image));
    const body = slots.write(form.body(call, count, parts));
    return await this.#endpoint.withKeys(async (credential) => {
      const response = await this.#endpoint.send(
        { method: "POST", path, body, credential },
        signal,
      );
      const answer = await this.#endpoint.jsonOf(response, {
        maxBytes: MAX_IMAGES_BYTES,
        room: call.room,
        longTexts: call.longTexts,
      });
      return form.read(answer, call.route.supports.contextTokens);
    });
  }
}
