/**
 * An upstream whose model mends a file: it looks for a tool, reads the file, edits it and says that it
 * is done. It speaks Anthropic's dialect and chat.
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

/** Of each of the model's answers, in Anthropic's form. */
export const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 10,
};
const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
/** What it is told to write. */
export const WRONG = "wrld";
export const RIGHT = "world";

interface Said {
  readonly thought?: string;
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
}

/** What it says once so many tools have answered. */
function turns(file: string): readonly Said[] {
  return [
    { call: { name: "ToolSearch", input: { query: "select:WebFetch", max_results: 3 } } },
    {
      thought: "Let me look.",
      text: "I read it.",
      call: { name: "Read", input: { file_path: file } },
    },
    {
      call: {
        name: "Edit",
        input: { file_path: file, old_string: WRONG, new_string: RIGHT },
      },
    },
    { text: "Done." },
  ];
}

/** Answers whatever an agent asks while it works on a file. */
export function codingModel(file: string): (request: RecordedRequest) => Reply {
  return (request) => {
    const body = request.json() as { messages: unknown; stream?: boolean; tools?: unknown[] };
    if (request.target.endsWith("count_tokens")) return jsonReply({ input_tokens: 100 });
    const isChat = request.target.endsWith("/chat/completions");
    const done = JSON.stringify(body.messages).match(
      isChat ? /"role":"tool"/g : /"type":"tool_result"/g,
    );
    const step = done?.length ?? 0;
    // Agents have small questions besides, such as for a title.
    const said = body.tools === undefined ? { text: "A title" } : turns(file)[step]!;
    if (isChat) return sseReply(chatChunks(said, step));
    const options = { usage: USAGE };
    const blocks = blocksOf(said, step);
    return body.stream === true
      ? messageReply(messageEvents(blocks, options).map((event) => withId(event, step)))
      : jsonReply({ ...messageBody(blocks, options), id: `msg_${step}` });
  };
}

/** Agents put messages of one id together. */
function withId(event: object, step: number): object {
  const { message } = event as { message?: object };
  return message === undefined ? event : { ...event, message: { ...message, id: `msg_${step}` } };
}

function blocksOf({ thought, text, call }: Said, step: number): readonly Block[] {
  return [
    ...(thought === undefined
      ? []
      : [{ type: "thinking", thinking: thought, signature: "EqQBc2lnbmF0dXJl" }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(call === undefined ? [] : [{ type: "tool_use", id: `toolu_${step}`, ...call }]),
  ];
}

function chatChunks({ thought, text, call }: Said, step: number): (object | string)[] {
  const input = JSON.stringify(call?.input);
  return [
    ...(thought === undefined ? [] : [chunk({ role: "assistant", reasoning_content: thought })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...(call === undefined ? [] : [
      chunk({ tool_calls: [part({ name: call.name, arguments: "" }, `call_${step}`)] }),
      chunk({ tool_calls: [part({ arguments: input.slice(0, 9) })] }),
      chunk({ tool_calls: [part({ arguments: input.slice(9) })] }),
    ]),
    chunk({}, call === undefined ? "stop" : "tool_calls"),
    { ...chunk({}), choices: [], usage: CHAT_USAGE },
    "[DONE]",
  ];
}

function part(called: object, id?: string): object {
  return { index: 0, ...(id !== undefined && { id, type: "function" }), function: called };
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
