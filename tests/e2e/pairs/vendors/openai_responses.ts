/**
 * Upstreams with OpenAI's Responses API.
 *
 * @module
 */

import { jsonReply, rawSseReply } from "../../../support/fake_upstream.ts";
import {
  beginEvents,
  callEvents,
  callItem,
  messageEvents,
  messageItem,
  numbered,
  responseBody,
} from "../../../support/response_bodies.ts";
import { type Counts, halves, type Heard, type Said, type Vendor } from "../neutral.ts";
import { failOpenAi } from "./openai_chat.ts";

// deno-lint-ignore no-explicit-any -- bodies are read as a server without types reads them
type Json = any;

export const openaiResponses: Vendor = {
  name: "OpenAI's Responses",
  provider: (origin) => `kind: openai_compatible, base_url: "${origin}/v1", auth: none`,
  route: "supports: { responses: true }",
  // Whoever asks for chat is served by the chat of such an upstream.
  callers: ["responses"],
  counting: ["responses"],
  givesIds: true,
  isStream: ({ body }) => JSON.parse(body).stream === true,
  answer: (said) => jsonReply(responseOf(said)),
  stream: (said) =>
    eventReply([
      ...contentEvents(said),
      {
        type: said.reason === "length" || said.reason === "refused"
          ? "response.incomplete"
          : "response.completed",
        response: responseOf(said),
      },
    ]),
  cut: (said) => eventReply(contentEvents(said), "cut!"),
  fail: failOpenAi,

  hear({ body }) {
    const {
      model,
      instructions = "",
      input,
      tools = [],
      text,
      reasoning,
      max_output_tokens: most,
    } = JSON
      .parse(body);
    const of = (type: string): Json[] => input.filter((item: Json) => item.type === type);
    const parts = input.flatMap(({ content }: Json) => Array.isArray(content) ? content : []);
    const fileData = (data: string) => data.slice(data.indexOf(",") + 1);
    return {
      model,
      system: instructions,
      texts: input.filter(({ role }: Json) => role !== undefined).map(({ content }: Json) =>
        typeof content === "string" ? content : content.map(({ text = "" }: Json) => text).join("")
      ),
      images: parts.filter(({ type }: Json) => type === "input_image")
        .map(({ image_url }: Json) => fileData(image_url)),
      documents: parts.filter(({ type }: Json) => type === "input_file")
        .map(({ file_data }: Json) => fileData(file_data)),
      tools: tools.map(({ name, description, parameters }: Json) => ({
        name,
        description,
        parameters,
      })),
      calls: of("function_call").map(({ name, arguments: args }) => ({
        name,
        input: JSON.parse(args),
      })),
      results: of("function_call_output").map(({ output }) => ({ text: output })),
      mostTokens: most,
      effort: reasoning?.effort,
      schema: text?.format?.schema,
    } satisfies Heard;
  },
};

function responseOf({ thoughts, text, calls, reason, counts }: Said): object {
  const why = { length: "max_output_tokens", refused: "content_filter" }[reason as string];
  return responseBody({
    ...(why !== undefined && { status: "incomplete", incomplete_details: { reason: why } }),
    output: [
      ...(thoughts === "" ? [] : [thoughtItem(thoughts)]),
      ...(text === "" ? [] : [messageItem(text)]),
      ...calls.map(({ id, name, input }) =>
        callItem(JSON.stringify(input), { id: `fc_${id}`, call_id: id, name })
      ),
    ],
    usage: usageOf(counts),
  });
}

function thoughtItem(text: string) {
  return { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text }] };
}

function contentEvents({ thoughts, text, calls }: Said): Json[] {
  let index = 0;
  const thoughtIndex = thoughts === "" ? undefined : index++;
  const textIndex = text === "" ? undefined : index++;
  const place = { item_id: "rs_1", output_index: thoughtIndex, summary_index: 0 };
  return [
    ...beginEvents(),
    ...(thoughtIndex === undefined ? [] : [
      {
        type: "response.output_item.added",
        output_index: thoughtIndex,
        item: { ...thoughtItem(""), summary: [] },
      },
      ...halves(thoughts).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        ...place,
        delta,
      })),
      {
        type: "response.output_item.done",
        output_index: thoughtIndex,
        item: thoughtItem(thoughts),
      },
    ]),
    ...(textIndex === undefined ? [] : messageEvents(halves(text), textIndex)),
    ...calls.flatMap(({ id, name, input }, at) =>
      callEvents(halves(JSON.stringify(input)), index + at).map((event: Json) => ({
        ...event,
        ...(event.item !== undefined && {
          item: { ...event.item, id: `fc_${id}`, call_id: id, name },
        }),
        ...(event.item_id !== undefined && { item_id: `fc_${id}` }),
      }))
    ),
  ];
}

function eventReply(events: readonly Json[], end: "cut!" | "" = "") {
  return rawSseReply([
    ...numbered(events).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    end,
  ]);
}

function usageOf({ input, cached, output, thoughts }: Counts) {
  return {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output + thoughts,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: input + cached + output + thoughts,
  };
}
