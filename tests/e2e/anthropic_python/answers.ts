/**
 * What an upstream answers to what the Python client's program asks, in Anthropic's dialect and in
 * chat's.
 *
 * @module
 */

import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
} from "../../support/fake_upstream.ts";
import {
  type Block,
  messageBody,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";

const USAGE = { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 20 };
const CHAT_USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
};
/** What the upstream says of a request that it takes for wrong. */
const REFUSAL = "messages.0: refused";

interface Said {
  readonly thought?: string;
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: object };
}

function saidTo(body: string): Said {
  if (body.includes('"Think"')) return { thought: "Hm.", text: "So it is." };
  if (body.includes('"tools"') && !/tool_result|"role":"tool"/.test(body)) {
    return { text: "I look.", call: { name: "look", input: { where: "up" } } };
  }
  return { text: body.includes("tool_result") || body.includes('"tool"') ? "A cat." : "Hello!" };
}

/** Answers a request. */
export function answerTo({ target, body }: RecordedRequest): Reply {
  const { stream } = JSON.parse(body) as { stream?: boolean };
  if (target.endsWith("/count_tokens")) return jsonReply({ input_tokens: 7 });
  const isChat = target.endsWith("/chat/completions");
  if (body.includes("Refuse")) return refusal(isChat);
  if (body.includes("Never end")) return endless(isChat);
  const said = saidTo(body);
  if (isChat) return stream === true ? sseReply(chunks(said)) : jsonReply(completion(said));
  const blocks = blocksOf(said);
  return stream === true
    ? messageReply(messageEvents(blocks, { usage: USAGE }))
    : jsonReply(messageBody(blocks, { usage: USAGE }));
}

function refusal(isChat: boolean): Reply {
  const error = { type: "invalid_request_error", message: REFUSAL };
  const body = isChat
    ? { error: { ...error, param: "messages", code: null } }
    : { type: "error", error, request_id: "req_upstream" };
  return jsonReply(body, { status: 400 });
}

/** One that its caller has to leave. */
function endless(isChat: boolean): Reply {
  if (isChat) return stalling(sseReply([chunk({ content: "One " })]));
  const events = messageEvents([{ type: "text", text: "One two" }], { usage: USAGE });
  return stalling(messageReply(events.slice(0, 4)));
}

function stalling(reply: Reply): Reply {
  return { ...reply, steps: [...reply.steps, "stall!"] };
}

function blocksOf({ thought, text, call }: Said): readonly Block[] {
  return [
    ...(thought === undefined
      ? []
      : [{ type: "thinking", thinking: thought, signature: "EqQBc2lnbmF0dXJl" }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(call === undefined ? [] : [{ type: "tool_use", id: "toolu_1", ...call }]),
  ];
}

function completion({ thought, text, call }: Said): object {
  const message = {
    role: "assistant",
    content: text ?? null,
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(call !== undefined && { tool_calls: [called(call)] }),
  };
  const finish_reason = call === undefined ? "stop" : "tool_calls";
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "box-model",
    choices: [{ index: 0, message, finish_reason }],
    usage: CHAT_USAGE,
  };
}

function chunks({ thought, text, call }: Said): (object | string)[] {
  return [
    ...(thought === undefined ? [] : [chunk({ reasoning_content: thought })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...(call === undefined ? [] : [chunk({ tool_calls: [{ index: 0, ...called(call) }] })]),
    chunk({}, call === undefined ? "stop" : "tool_calls"),
    { ...chunk({}), choices: [], usage: CHAT_USAGE },
    "[DONE]",
  ];
}

function called({ name, input }: NonNullable<Said["call"]>): object {
  return { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function chunk(delta: object, finish: string | null = null): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "box-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}
