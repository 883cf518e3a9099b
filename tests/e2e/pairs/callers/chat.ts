/**
 * OpenAI's chat, as its callers speak it.
 *
 * @module
 */

import type { Call, Caller, Counts, Read, Reason, Turn } from "../neutral.ts";
import { eventsOf } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a client without types reads them
type Json = any;

const REASONS: Record<string, Reason> = {
  stop: "end",
  length: "length",
  tool_calls: "calls",
  content_filter: "refused",
};

export const chat: Caller = {
  name: "chat",
  path: "/v1/chat/completions",

  body({ system, turns, tools, mostTokens, effort, schema }, model) {
    return {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...turns.flatMap(messagesOf),
      ],
      ...(tools !== undefined && {
        tools: tools.map((tool) => ({ type: "function", function: tool })),
      }),
      ...(mostTokens !== undefined && { max_completion_tokens: mostTokens }),
      ...(effort !== undefined && { reasoning_effort: effort }),
      ...(schema !== undefined && {
        response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
      }),
    };
  },

  read(body) {
    const { choices: [{ message, finish_reason }] } = body as Json;
    return {
      thoughts: message.reasoning_content ?? "",
      text: message.content ?? "",
      calls: (message.tool_calls ?? []).map(callOf),
      reason: REASONS[finish_reason]!,
      ...factsOf(body),
    };
  },

  readStream(text) {
    let thoughts = "";
    let said = "";
    const calls: Json[] = [];
    let reason: Reason | undefined;
    let last: Json;
    for (const chunk of eventsOf(text) as Json[]) {
      if (chunk.error !== undefined) throw new Error(chunk.error.message);
      last = chunk;
      const [choice] = chunk.choices;
      if (choice === undefined) continue;
      thoughts += choice.delta.reasoning_content ?? "";
      said += choice.delta.content ?? "";
      for (const { index, id, function: called } of choice.delta.tool_calls ?? []) {
        const call = calls[index] ??= { id, function: { name: called.name, arguments: "" } };
        call.function.arguments += called.arguments ?? "";
      }
      reason = REASONS[choice.finish_reason] ?? reason;
    }
    return { thoughts, text: said, calls: calls.map(callOf), reason: reason!, ...factsOf(last) };
  },

  readError: (status, { error }) => ({ status, message: (error as Json).message }),
};

function messagesOf(turn: Turn): object[] {
  switch (turn.by) {
    case "user": {
      const { text, image, document } = turn;
      if (image === undefined && document === undefined) return [{ role: "user", content: text }];
      const parts: object[] = [{ type: "text", text }];
      if (image !== undefined) {
        parts.push({ type: "image_url", image_url: { url: `data:image/png;base64,${image}` } });
      }
      if (document !== undefined) {
        const file_data = `data:application/pdf;base64,${document}`;
        parts.push({ type: "file", file: { filename: "paper.pdf", file_data } });
      }
      return [{ role: "user", content: parts }];
    }
    case "model":
      return [{
        role: "assistant",
        content: turn.text ?? null,
        ...(turn.calls !== undefined && {
          tool_calls: turn.calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
      }];
    case "tools":
      return turn.results.map(({ of, text }) => ({
        role: "tool",
        tool_call_id: of.id,
        content: text,
      }));
  }
}

function callOf({ id, function: { name, arguments: input } }: Json): Call {
  return { id, name, input: JSON.parse(input) };
}

function factsOf({ usage, provider, route, pricing }: Json): Omit<
  Read,
  "thoughts" | "text" | "calls" | "reason"
> {
  return { counts: countsOf(usage), provider, route, cost: pricing?.cost_amount };
}

function countsOf(usage: Json): Counts {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const thoughts = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    input: usage.prompt_tokens - cached,
    cached,
    output: usage.completion_tokens - thoughts,
    thoughts,
  };
}
