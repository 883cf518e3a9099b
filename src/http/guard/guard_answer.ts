/**
 * Has an answer looked at before it is delivered: all of it, so a stream waits until it has ended.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import type { Stay } from "../../limits/stay.ts";
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
  { asked, stay, response }: {
    readonly asked: GuardedRequest;
    readonly stay: Stay;
    readonly response: Response;
  },
): Promise<Response> {
  const lean = LeanResponse.of(response);
  // Sound, say, is no text that anybody could look at.
  const isText = TEXTS.test(response.headers.get("content-type") ?? "");
  if (lean === undefined || !response.ok || !isText) return response;
  const text = await wholeOf(lean.content, stay);
  const value = parsed(text);
  const body = isObject(value)
    ? JSON.stringify(await guard.lookAtAnswer(asked, value))
    : await guard.lookAtAnswer(asked, text);
  return LeanResponse.withContent(response, body);
}

async function wholeOf(content: LeanContent, stay: Stay): Promise<string> {
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
