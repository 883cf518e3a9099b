/**
 * A request for a message in the neutral form.
 *
 * @module
 */

import { createHash } from "node:crypto";
import {
  asArray,
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ReadOptions } from "../base/turns_format.ts";
import type { OtherBlock, Turn } from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import type { OutputFormat, Settings, TurnsRequest } from "../turns/turns_request.ts";
import { formatOf } from "./facts.ts";
import { ANTHROPIC, THREAD_UNSUPPORTED } from "./family.ts";
import { isSaid, ownFields } from "./own_needs.ts";
import { readContent, readTexts } from "./read_blocks.ts";
import { readTools } from "./read_tools.ts";
import { ANTHROPIC_MESSAGES, API_VERSIONS } from "./schemas.ts";

/**
 * Reads a request. Marks for a cache, and what manages the upstream's own context, are left to
 * upstreams of the dialect.
 *
 * @throws {UpstreamError} `caller` (400), naming what is wrong.
 */
export function readRequest(
  body: Readonly<JsonObject>,
  { headers = {}, continuesLast = false }: ReadOptions = {},
): TurnsRequest {
  if (headers["anthropic-version"] === API_VERSIONS[1]) refuseOfOldVersion(body);
  if (isSaid(body.thread)) throw refuseThread();
  if (body.max_tokens === 0) {
    throw invalidField(
      "max_tokens",
      "Cannot only fill a cache: the upstream of this model has none",
    );
  }
  const { output_config: config, thinking } = body;
  const format = readFormat(body);
  const effort = effortOf(asObject(thinking) ?? {}, nonEmptyString(asObject(config)?.effort));
  const maxOutputTokens = asCount(body.max_tokens);
  return {
    model: body.model,
    instructions: readTexts(body.system, "system"),
    turns: asArray(body.messages).map((message, index) => readTurn(message, `messages[${index}]`)),
    ...readTools(body),
    ...(format !== undefined && { format }),
    ...(effort !== undefined && { effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    settings: readSettings(body),
    shared: { of: ANTHROPIC.name, fields: {} },
    extra: { of: ANTHROPIC_MESSAGES, fields: {} },
    others: [
      ...ownFields(body).map((field) => otherField(field, body[field])),
      ...(continuesLast ? [] : readPrefill(body)),
    ],
  };
}

function readTurn(message: unknown, at: string): Turn {
  if (!isObject(message)) throw invalidField(at, `Invalid value for '${at}': expected an object`);
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    throw invalidField(
      `${at}.role`,
      `Invalid value for '${at}.role': expected 'user', 'assistant' or 'system'`,
    );
  }
  return { role, blocks: readContent(content, `${at}.content`), at };
}

function readFormat(body: Readonly<JsonObject>): OutputFormat | undefined {
  const { type, schema } = formatOf(body) ?? {};
  if (type !== "json_schema" || !isObject(schema)) return undefined;
  return { type: "schema", name: "answer", schema, strict: true };
}

/** Thoughts that only may be there are the model's own choice. */
function effortOf(
  { type, budget_tokens: budget }: JsonObject,
  named: string | undefined,
): string | undefined {
  if (type === "disabled") return "none";
  if (named !== undefined || type !== "enabled" || typeof budget !== "number") return named;
  return budget >= 4_096 ? "high" : budget >= 2_048 ? "medium" : "low";
}

function readSettings(body: Readonly<JsonObject>): Settings {
  const { temperature, top_p: topP, top_k: topK, stop_sequences: stop, metadata } = body;
  const user = nonEmptyString(asObject(metadata)?.user_id);
  return {
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof topP === "number" && { topP }),
    ...(typeof topK === "number" && { topK }),
    ...(Array.isArray(stop) && stop.length > 0 && { stop: stop.filter(isText) }),
    // Longer than others take, and nobody else's to read.
    ...(user !== undefined && { user: createHash("sha256").update(user).digest("hex") }),
  };
}

/** Others begin an answer of their own after one that was begun for them. */
function readPrefill({ messages }: Readonly<JsonObject>): readonly OtherBlock[] {
  const all = asArray(messages);
  const at = `messages[${all.length - 1}]`;
  return asObject(all.at(-1))?.role === "assistant"
    ? [{ ...otherField("messages", []), at, what: `an answer that '${at}' begins for the model` }]
    : [];
}

function otherField(field: string, value: unknown): OtherBlock {
  return {
    type: "other",
    of: ANTHROPIC_MESSAGES,
    value: { [field]: value },
    at: field,
    what: `'${field}'`,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What the newer version of the API has not, whatever its value. */
function refuseOfOldVersion(body: Readonly<JsonObject>): void {
  for (const field of ["temperature", "top_p", "top_k"]) {
    if (body[field] === undefined) continue;
    throw invalidField(
      field,
      `'${field}' is not in version ${API_VERSIONS[1]} of this API: remove it`,
    );
  }
  for (const [index, message] of asArray(body.messages).entries()) {
    const { role, content } = asObject(message) ?? {};
    for (const [place, block] of asArray(content).entries()) {
      const at = `messages[${index}].content[${place}]`;
      if (isObject(block)) refuseOldBlock(block, { at, role });
    }
  }
}

function refuseOldBlock(
  { type, citations, content }: JsonObject,
  { at, role }: { readonly at: string; readonly role: unknown },
): void {
  if (role === "assistant" && type === "document") {
    throw invalidField(
      at,
      `A document may not be in an assistant's message in version ${
        API_VERSIONS[1]
      } of this API: '${at}'`,
    );
  }
  if (role === "user" && type === "text" && asArray(citations).length > 0) {
    throw invalidField(
      `${at}.citations`,
      `A user's text has no citations in version ${
        API_VERSIONS[1]
      } of this API: remove '${at}.citations'`,
    );
  }
  if (type !== "search_result") return;
  for (const [place, part] of asArray(content).entries()) {
    if (isObject(part)) refuseOldBlock(part, { at: `${at}.content[${place}]`, role });
  }
}

/** Their tool runners send it unasked, and go on without it when they are told so by this code. */
function refuseThread(): UpstreamError {
  return new UpstreamError("caller", "The request cannot be converted: 'thread'", {
    status: 400,
    code: THREAD_UNSUPPORTED,
    param: "thread",
    publicMessage: "The upstream of this model has no threads: send the request without 'thread'",
  });
}
