/**
 * OpenAI's Responses, as their callers speak them.
 *
 * @module
 */

import type { Caller, Read, Reason, Turn } from "../neutral.ts";
import { eventsOf } from "../neutral.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a client without types reads them
type Json = any;

export const responses: Caller = {
  name: "responses",
  path: "/v1/responses",
  countPath: "/v1/responses/input_tokens",

  body({ system, turns, tools, mostTokens, effort, schema }, model) {
    return {
      model,
      store: false,
      input: turns.flatMap(itemsOf),
      ...(system !== undefined && { instructions: system }),
      ...(tools !== undefined && {
        tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })),
      }),
      ...(mostTokens !== undefined && { max_output_tokens: mostTokens }),
      ...(effort !== undefined && { reasoning: { effort } }),
      ...(schema !== undefined && {
        text: { format: { type: "json_schema", name: "answer", schema } },
      }),
    };
  },

  read: (body) => readResponse(body),

  readStream(text) {
    const events = eventsOf(text) as Json[];
    const failed = events.find(({ type }) => type === "error" || type === "response.failed");
    if (failed !== undefined) {
      throw new Error(failed.message ?? failed.response.error.message);
    }
    const read = readResponse(events.at(-1)!.response);
    // What the pieces say must be what the end says.
    const deltas = (type: string) =>
      events.filter((event) => event.type === type).map(({ delta }) => delta).join("");
    const streamed = {
      thoughts: deltas("response.reasoning_text.delta") +
        deltas("response.reasoning_summary_text.delta"),
      text: deltas("response.output_text.delta") + deltas("response.refusal.delta"),
    };
    const inputs = deltas("response.function_call_arguments.delta");
    if (inputs.length > 0 !== read.calls.length > 0) throw new Error(`calls but ${inputs}`);
    return { ...read, ...streamed };
  },

  readError: (status, { error }) => ({ status, message: (error as Json).message }),
};

function readResponse(body: Json): Read {
  const { output, usage, status, incomplete_details: why, provider, route, pricing } = body;
  const of = (type: string): Json[] => output.filter((item: Json) => item.type === type);
  const calls = of("function_call").map(({ call_id, name, arguments: input }) => ({
    id: call_id,
    name,
    input: JSON.parse(input),
  }));
  const thoughts = of("reasoning").flatMap(({ content = [], summary = [] }) => [
    ...content,
    ...summary,
  ]).map(({ text }) => text).join("");
  const parts = of("message").flatMap(({ content }) => content);
  const cached = usage.input_tokens_details.cached_tokens;
  const thought = usage.output_tokens_details.reasoning_tokens;
  return {
    thoughts,
    text: parts.map(({ text, refusal }) => text ?? refusal).join(""),
    calls,
    reason: reasonOf(status, why?.reason, calls.length > 0),
    counts: {
      input: usage.input_tokens - cached,
      cached,
      output: usage.output_tokens - thought,
      thoughts: thought,
    },
    provider,
    route,
    cost: pricing?.cost_amount,
  };
}

function reasonOf(status: string, why: string | undefined, hasCalls: boolean): Reason {
  if (status === "incomplete") return why === "content_filter" ? "refused" : "length";
  return hasCalls ? "calls" : "end";
}

function itemsOf(turn: Turn): object[] {
  switch (turn.by) {
    case "user": {
      const { text, image, document } = turn;
      const content: object[] = [{ type: "input_text", text }];
      if (image !== undefined) {
        content.push({ type: "input_image", image_url: `data:image/png;base64,${image}` });
      }
      if (document !== undefined) {
        const file_data = `data:application/pdf;base64,${document}`;
        content.push({ type: "input_file", filename: "paper.pdf", file_data });
      }
      return [{ role: "user", content }];
    }
    case "model":
      return [
        ...(turn.text === undefined ? [] : [{ role: "assistant", content: turn.text }]),
        ...(turn.calls ?? []).map(({ id, name, input }) => ({
          type: "function_call",
          call_id: id,
          name,
          arguments: JSON.stringify(input),
        })),
      ];
    case "tools":
      return turn.results.map(({ of, text }) => ({
        type: "function_call_output",
        call_id: of.id,
        output: text,
      }));
  }
}
