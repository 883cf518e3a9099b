/**
 * A model that does what it is told, behind an upstream of each dialect: it calls tools that it is
 * offered, by the names that it is offered them by, one after the other, and then says its last word.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
} from "../../support/fake_upstream.ts";
import { messageEvents, messageReply } from "../../support/message_bodies.ts";
import { completedEvent, numbered } from "../../support/response_bodies.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

/** A call of a tool, by its own name; `input` is what a custom tool takes, or a function's arguments. */
export interface Act {
  readonly tool: string;
  readonly input: string | JsonObject;
}

/** What an upstream does: the acts in turn, one for each result that it has been given, then the word. */
export interface Play {
  readonly acts: readonly Act[];
  readonly word: string;
}

/** An upstream's reply to a request in any of the dialects, which has to ask for a stream. */
export function playReply({ acts, word }: Play): (request: RecordedRequest) => Reply {
  return (request) => {
    const body = request.json();
    const path = request.target.replace(/\?.*/, "");
    const model = MODELS[path];
    if (model === undefined) {
      const error = {
        message: `No ${path}`,
        type: "invalid_request_error",
        param: null,
        code: null,
      };
      return jsonReply({ error }, { status: 404 });
    }
    assert.equal(body.stream, true);
    const done = model.results(body);
    const act = acts[done];
    return act === undefined ? model.say(word) : model.call(act, { body, id: `call_${done}` });
  };
}

interface Model {
  /** How many tools have answered. */
  results(body: JsonObject): number;
  say(text: string): Reply;
  call(act: Act, asked: { readonly body: JsonObject; readonly id: string }): Reply;
}

const USAGE = { prompt: 1_000, completion: 50 };

const CHAT: Model = {
  results: ({ messages }) =>
    (messages as JsonObject[]).filter(({ role }) => role === "tool").length,
  say: (text) =>
    sseReply([
      ...halves(text).map((content) => chunk({ content })),
      finishChunk(),
      usageChunk(USAGE.prompt, USAGE.completion),
      "[DONE]",
    ]),
  call(act, { body, id }) {
    const offered = (body.tools as JsonObject[]).map((tool) => {
      assert.equal(tool.type, "function", "An upstream of chat knows functions alone");
      return (tool.function as JsonObject).name as string;
    });
    const { name, args } = asFunction(act, offered);
    return sseReply([
      chunk({
        tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }],
      }),
      ...halves(args).map((part) =>
        chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })
      ),
      finishChunk("tool_calls"),
      usageChunk(USAGE.prompt, USAGE.completion),
      "[DONE]",
    ]);
  },
};

const MESSAGES: Model = {
  results: ({ messages }) =>
    (messages as JsonObject[]).flatMap(({ content }) => content as JsonObject[])
      .filter(({ type }) => type === "tool_result").length,
  say: (text) => messageReply(messageEvents([{ type: "text", text }])),
  call(act, { body, id }) {
    const offered = (body.tools as JsonObject[]).map(({ name, type }) => {
      assert.equal(type, undefined, "An upstream of Messages runs no tool of OpenAI's");
      return name as string;
    });
    const { name, args } = asFunction(act, offered);
    return messageReply(messageEvents([
      { type: "thinking", thinking: `I call ${act.tool}.`, signature: `seal-of-${id}` },
      { type: "tool_use", id, name, input: JSON.parse(args) },
    ]));
  },
};

const RESPONSES: Model = {
  results: ({ input }) =>
    (input as JsonObject[]).filter(({ type }) => String(type).endsWith("_call_output")).length,
  say(text) {
    const content = [{ type: "output_text", text, annotations: [] }];
    return itemReply({ id: "msg_1", type: "message", role: "assistant", content });
  },
  call({ tool, input }, { id }) {
    const call = { id: `x_${id}`, call_id: id, name: tool, status: "completed" };
    return itemReply(
      typeof input === "string"
        ? { ...call, type: "custom_tool_call", input }
        : { ...call, type: "function_call", arguments: JSON.stringify(input) },
    );
  },
};

const MODELS: { readonly [path: string]: Model | undefined } = {
  "/v1/chat/completions": CHAT,
  "/v1/messages": MESSAGES,
  "/v1/responses": RESPONSES,
};

/** The function that stands for a tool, whatever group it was in. */
function asFunction({ tool, input }: Act, offered: readonly string[]) {
  const name = offered.find((one) => one === tool || one.endsWith(`__${tool}`));
  assert.ok(name !== undefined, `${tool} is not among ${offered.join()}`);
  return { name, args: JSON.stringify(typeof input === "string" ? { input } : input) };
}

function itemReply(item: JsonObject): Reply {
  const events = numbered([
    { type: "response.created", response: { id: "resp_up", status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress" },
    },
    { type: "response.output_item.done", output_index: 0, item },
    completedEvent({ output: [item] }),
  ]);
  return sseReply(events);
}

/** As a stream may cut it: anywhere. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
