/**
 * Has an answer looked at before it is delivered: all of it, so a stream waits until it has ended.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import { type LeanContent, LeanResponse } from "../listener/lean_response.ts";
import type { Guard, GuardedRequest } from "./guard.ts";
import { parsedJson } from "./parsed_json.ts";

const TEXTS = /^(?:application\/json|text\/)/;

/**
 * The answer to deliver in place of this one.
 *
 * @throws {GatewayError} `refused_by_guard` or `guard_unavailable`; `pool_limit_exceeded` where there is
 * no memory for all of it.
 */
export async function guardAnswer(
  guard: Guard,
  { asked, response, onLook }: {
    readonly asked: GuardedRequest;
    readonly response: Response;
    /** Called before the guard is asked; may refuse that. */
    readonly onLook?: () => Promise<void>;
  },
): Promise<Response> {
  const lean = LeanResponse.of(response);
  if (!response.ok) return response;
  const contentType = response.headers.get("content-type") ?? "";
  if (lean === undefined || !TEXTS.test(contentType)) {
    const bytes = await bytesOf(response, asked);
    await onLook?.();
    await guard.lookAtFile(asked, { contentType, bytes: bytes.length });
    const { status, headers } = response;
    return new Response(bytes, { status, headers });
  }
  const text = await wholeOf(lean.content, asked);
  const value = text.startsWith("{") ? parsedJson(text) : undefined;
  if (isObject(value) && isPending(value)) return LeanResponse.withContent(response, text);
  await onLook?.();
  const body = isObject(value)
    ? JSON.stringify(await guard.lookAtAnswer(asked, value))
    : await guard.lookAtAnswer(asked, text);
  return LeanResponse.withContent(response, body);
}

/** Whether an answer in the background has not come yet: there is nothing to look at. */
export function isPending({ object, status, output }: JsonObject): boolean {
  return object === "response" && (status === "queued" || status === "in_progress") &&
    Array.isArray(output) && output.length === 0;
}

/** Of sound, say: nobody looks at it, but it is told of, and waits for what is said. */
async function bytesOf(
  response: Response,
  { stay }: GuardedRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const part of response.body ?? []) {
    stay.reserve(part.length);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

async function wholeOf(content: LeanContent, { stay }: GuardedRequest): Promise<string> {
  if (typeof content === "string") {
    stay.reserve(content.length);
    return content;
  }
  if (!("next" in content)) {
    throw new GatewayError("internal_error", "An answer that is a file cannot be looked at");
  }
  let text = "";
  try {
    for (let part = await content.next(); part !== undefined; part = await content.next()) {
      stay.reserve(part.length);
      text += part;
    }
  } catch (error) {
    await content.cancel(error);
    throw error;
  }
  return text;
}
