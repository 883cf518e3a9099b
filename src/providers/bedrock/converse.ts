/**
 * Converse at Bedrock: one form for the models of all vendors there.
 *
 * @module
 */

import { CONVERSE_ERRORS } from "../../dialects/bedrock_converse/read_error.ts";
import { readUsage, termsOf } from "../../dialects/bedrock_converse/usage.ts";
import type { Answer, AnswerStream } from "../../dialects/base/answer.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";
import { CHAT_LIMIT_FIELDS } from "../../dialects/openai_chat/schemas.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { applyRules, dropFields } from "../contract/body_rules.ts";
import type { Conversation, ProviderCall } from "../contract/provider.ts";
import type { Endpoint } from "../upstream/endpoint.ts";
import { openEventStream, type StreamMedia } from "../upstream/open_event_stream.ts";
import { ConverseReader, requireSound } from "./converse_reader.ts";
import { awsError, awsErrors, statusOfException } from "./errors.ts";
import { EventFrames } from "./event_frames.ts";

const FRAMES: StreamMedia = {
  accept: "application/vnd.amazon.eventstream",
  type: /^application\/vnd\.amazon\.eventstream\b/i,
  framing: (onEvent) => new EventFrames(onEvent),
};

/** How Converse tells errors, in answers and within streams. */
export const ERRORS: ErrorForm = {
  ...awsErrors(CONVERSE_ERRORS),
  read(value) {
    const body = CONVERSE_ERRORS.read(value);
    if (body.type === undefined) return body;
    return { ...awsError(body, kindOf(body.type)), status: statusOfException(body.type) };
  },
};

/** `throttlingException` in a stream is `ThrottlingException` elsewhere. */
function kindOf(exception: string): string {
  return exception.charAt(0).toUpperCase() + exception.slice(1);
}

export class Converse implements Conversation {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async answer(call: ProviderCall, signal: AbortSignal): Promise<Answer> {
    const body = JSON.stringify(bodyOf(call));
    const path = `${pathOf(call)}/converse`;
    const answer = await this.#endpoint.withKeys(async (credential) => {
      const request = { method: "POST", path, body, credential } as const;
      const response = await this.#endpoint.send(request, signal);
      return await this.#endpoint.jsonOf(response, { room: call.room });
    });
    const content = asArray(asObject(asObject(answer.output)?.message)?.content);
    if (asObject(answer.output) === undefined || !content.every(isObject)) {
      throw new UpstreamError("broken", "The upstream's answer is no message", { status: 200 });
    }
    requireSound(answer.stopReason);
    const reported = asObject(answer.usage);
    return {
      body: answer,
      usage: reported && readUsage(reported, call.route.supports.contextTokens),
      terms: termsOf(answer),
      text: () => content.map((block) => textOf(block as JsonObject)).join(""),
    };
  }

  async stream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream> {
    return await openEventStream(this.#endpoint, {
      path: `${pathOf(call)}/converse-stream`,
      body: JSON.stringify(bodyOf(call)),
      reader: new ConverseReader(call.route.supports.contextTokens),
      media: FRAMES,
      room: call.room,
      signal,
    });
  }
}

/** An id has colons, an ARN slashes too. */
function pathOf({ route }: ProviderCall): string {
  return `/model/${encodeURIComponent(route.upstreamModel)}`;
}

/**
 * The body by the route's rules. Of `inferenceConfig` a rule says what it names, and leaves the rest; a
 * limit under chat's names is the call's cap already.
 */
function bodyOf({ route, body: asked, outputTokensCap: cap }: ProviderCall): JsonObject {
  const body: JsonObject = { ...asked };
  const rules = route.body;
  const config: JsonObject = {
    ...asObject(rules.default.inferenceConfig),
    ...asObject(asked.inferenceConfig),
    ...asObject(rules.set.inferenceConfig),
    ...(cap !== undefined && { maxTokens: cap }),
  };
  applyRules(body, rules);
  for (const field of CHAT_LIMIT_FIELDS) delete body[field];
  for (const field of rules.drop) delete config[field];
  if (Object.keys(config).length > 0) body.inferenceConfig = config;
  dropFields(body, rules, []);
  return body;
}

/** What the model wrote in a block. */
function textOf({ text, toolUse, reasoningContent }: JsonObject): string {
  const call = asObject(toolUse);
  if (call !== undefined) return `${String(call.name)}${JSON.stringify(call.input ?? {})}`;
  const thought = asObject(asObject(reasoningContent)?.reasoningText)?.text;
  return [thought, text].filter((one) => typeof one === "string").join("");
}
