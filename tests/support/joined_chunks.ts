/**
 * What a chat stream says, as the answer that the same upstream would have given
 * in one piece.
 *
 * @module
 */

import type { JsonObject } from "../../src/domain/json_value.ts";
import { ChunkStream } from "./converted_response.ts";
import { readAll } from "./provider_parts.ts";

/** Joins the deltas of the first choice; the chunks are repaired before. */
export async function joinChunks(
  reads: readonly (readonly JsonObject[])[],
): Promise<JsonObject> {
  const events = await readAll(new ChunkStream(reads));
  const message: Record<string, string> = {};
  const calls: JsonObject[] = [];
  const logprobs: unknown[] = [];
  let finishReason: unknown = null;
  let usage: JsonObject | undefined;
  for (const event of events) {
    usage = event.usageBody ?? usage;
    const choice = (event.chunk.choices as JsonObject[]).find(({ index }) => index === 0);
    if (choice === undefined) continue;
    finishReason = choice.finish_reason ?? finishReason;
    const logged = choice.logprobs as { content?: unknown[] } | null | undefined;
    logprobs.push(...logged?.content ?? []);
    const delta = choice.delta as JsonObject;
    for (const field of ["content", "reasoning_content", "reasoning", "refusal"]) {
      const more = delta[field];
      if (typeof more === "string") message[field] = (message[field] ?? "") + more;
    }
    for (const call of (delta.tool_calls ?? []) as JsonObject[]) joinCall(calls, call);
  }
  const { id, created, model, service_tier } = events[0]!.chunk;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    service_tier,
    choices: [{
      index: 0,
      finish_reason: finishReason,
      logprobs: logprobs.length > 0 ? { content: logprobs } : null,
      message: {
        role: "assistant",
        content: null,
        ...message,
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    }],
    ...(usage !== undefined && { usage }),
  };
}

function joinCall(calls: JsonObject[], delta: JsonObject): void {
  const { index, id, type } = delta;
  const call = calls[index as number] ??= { id, type };
  for (const [kind, field] of [["function", "arguments"], ["custom", "input"]] as const) {
    const more = delta[kind] as JsonObject | undefined;
    if (more === undefined) continue;
    const called = (call[kind] ??= { name: "", [field]: "" }) as Record<string, string>;
    called.name ||= typeof more.name === "string" ? more.name : "";
    if (typeof more[field] === "string") called[field] += more[field];
  }
}
