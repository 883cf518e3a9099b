/**
 * Has an answer looked at before it is delivered: all of it, so a stream waits until it has ended.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import { type LeanContent, LeanResponse } from "../listener/lean_response.ts";
import type { Guard, GuardedRequest } from "./guard.ts";

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
    readonly onLook?: () => void;
  },
): Promise<Response> {
  const lean = LeanResponse.of(response);
  // Sound, say, is no text that anybody could look at.
  const isText = TEXTS.test(response.headers.get("content-type") ?? "");
  if (lean === undefined || !response.ok || !isText) return response;
  const text = await wholeOf(lean.content, asked);
  const value = parsed(text);
  if (isObject(value) && isPending(value)) return LeanResponse.withContent(response, text);
  onLook?.();
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

function parsed(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
