import assert from "node:assert/strict";
import OpenAI from "openai7";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { sseReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import { never, openAiCompatible, readAll } from "../../../support/provider_parts.ts";
import {
  beginEvents,
  callEvents,
  callItem,
  completedEvent,
  helloEvents,
  messageEvents,
  messageItem,
  nativeCall,
} from "../../../support/response_bodies.ts";
import { assertWholeStream } from "../../../support/response_stream_check.ts";

const EVENT_STREAM = { "content-type": "text/event-stream" };

async function stream(events: readonly object[]): Promise<AnswerEvent[]> {
  await using upstream = await startFakeUpstream(sseReply(structuredClone(events)));
  return await readAll(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
  );
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => event.text).join("");
}

/** What clients get of a stream, which is whole whatever the upstream left out. */
async function whole(events: readonly object[]) {
  const read = await stream(events);
  const chunks = read.map((event) => event.chunk);
  const output = assertWholeStream(chunks);
  assert.deepEqual(await textsInClient(chunks), textsOf(output));
  return { output, chunks, text: textOf(read) };
}

/** What an official client's `.stream()` has put together from deltas, by output index. */
async function textsInClient(chunks: readonly JsonObject[]): Promise<string[]> {
  const body = chunks
    .map((chunk) => `event: ${chunk.type}\ndata: ${JSON.stringify(chunk)}\n\n`).join("");
  const client = new OpenAI({
    apiKey: "none",
    fetch: () => Promise.resolve(new Response(body, { headers: EVENT_STREAM })),
  });
  const texts: string[] = [];
  await client.responses.stream({ model: "m", input: "Hello" })
    .on("response.output_text.delta", ({ output_index, snapshot }) => {
      texts[output_index] = snapshot;
    })
    .on("response.function_call_arguments.delta", ({ output_index, snapshot }) => {
      texts[output_index] = snapshot;
    })
    .finalResponse();
  return texts.filter((text) => text !== undefined);
}

function textsOf(output: readonly JsonObject[]): unknown[] {
  return output.flatMap((item) => {
    if (item.type === "function_call") return [item.arguments];
    return item.type === "message" ? [(item.content as JsonObject[])[0]!.text] : [];
  });
}

function types(chunks: readonly JsonObject[]): unknown[] {
  return chunks.map(({ type }) => type);
}

function without(...left: readonly string[]): JsonObject[] {
  return helloEvents().filter(({ type }) => !left.includes((type as string).slice(9)));
}

Deno.test("any one event that is missing before the last is put in where it belongs", async () => {
  const optional = new Set(["response.in_progress"]);
  const sent = helloEvents();
  for (let at = 0; at < sent.length - 1; at++) {
    const { type } = sent[at]!;
    if (optional.has(type as string) || (type as string).endsWith(".delta")) continue;
    const { chunks, output, text } = await whole(sent.toSpliced(at, 1));
    assert.deepEqual(types(chunks), types(sent), `without ${type}`);
    assert.equal(text, "Hello");
    assert.deepEqual(output, [messageItem("Hello", { id: output[0]!.id })]);
  }
});

const GAPS: readonly [name: string, events: JsonObject[]][] = [
  [
    "nothing but deltas",
    without(
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.done",
      "content_part.done",
      "output_item.done",
    ),
  ],
  ["no deltas", without("output_text.delta")],
  [
    "nothing but the whole text",
    without(
      "output_text.delta",
      "output_item.added",
      "content_part.added",
      "content_part.done",
      "output_item.done",
    ),
  ],
  ["nothing but the whole item", [...beginEvents(), helloEvents().at(-2)!, completedEvent()]],
  ["nothing but an item begun", [...beginEvents(), helloEvents()[2]!, completedEvent()]],
  ["nothing but the end", [completedEvent()]],
  ["nothing but both ends", [...beginEvents(), completedEvent()]],
  [
    "everything twice",
    helloEvents().slice(0, -1).flatMap((event) =>
      (event.type as string).endsWith(".delta") ? [event] : [event, event]
    ).concat(completedEvent()),
  ],
];

for (const [name, sent] of GAPS) {
  Deno.test(`a stream of ${name} becomes a whole one`, async () => {
    const { chunks, output, text } = await whole(sent);
    assert.equal(text, "Hello");
    assert.deepEqual(output, [messageItem("Hello", { id: output[0]!.id })]);
    const deltas = chunks.filter(({ type }) => type === "response.output_text.delta");
    assert.equal(deltas.map(({ delta }) => delta).join(""), "Hello");
  });
}

Deno.test("an end without output has the output that was streamed", async () => {
  for (const output of [[], null, undefined]) {
    const sent = [
      ...beginEvents(),
      ...messageEvents(["Hel", "lo"]),
      ...callEvents(["{}"], 1),
      completedEvent({ output }),
    ];
    const end = await whole(sent);
    assert.deepEqual(end.output, [messageItem("Hello"), callItem("{}")]);
  }
});

Deno.test("events without ids, indexes and log probabilities get them", async () => {
  const bare = [...messageEvents(["Hel", "lo"]), ...callEvents(['{"a":', "1}"])].map((event) => {
    const {
      item_id: _id,
      output_index: _at,
      content_index: _part,
      logprobs: _,
      name: _name,
      ...rest
    } = event;
    if (typeof rest.item === "object") {
      const { id: _itemId, ...item } = rest.item as JsonObject;
      return { ...rest, item };
    }
    return rest;
  });
  const message = messageItem("Hello", { id: "" });
  const { output, chunks, text } = await whole([
    ...beginEvents(),
    ...bare,
    completedEvent({ output: [message, callItem('{"a":1}', { id: undefined })] }),
  ]);
  assert.equal(text, 'Helloweather{"a":1}');
  assert.deepEqual(output.map(({ type }) => type), ["message", "function_call"]);
  assert.match(output[0]!.id as string, /^msg_\w{24}$/);
  assert.match(output[1]!.id as string, /^fc_\w{24}$/);
  assert.equal(output[1]!.call_id, "call_1");
  for (const chunk of chunks) {
    if (/output_text/.test(String(chunk.type))) assert.deepEqual(chunk.logprobs, []);
    if (/_text\.|content_part/.test(String(chunk.type))) assert.equal(chunk.content_index, 0);
  }
});

Deno.test("ids that change on the way, and indexes that repeat or start late, are put right", async () => {
  const thought = { type: "reasoning", id: "", summary: [], content: null, status: null };
  const place = { item_id: "msg_other", output_index: 7, content_index: 0 };
  const { output, text, chunks } = await whole([
    ...beginEvents(),
    { type: "response.output_item.added", output_index: 7, item: thought },
    // As vLLM has sent them: the part of a message, and events of its own around it.
    {
      type: "response.content_part.added",
      ...place,
      part: { type: "output_text", text: "", annotations: [] },
    },
    { type: "response.reasoning_part.added", ...place, part: {} },
    { type: "response.reasoning_text.delta", ...place, delta: "Hm" },
    { type: "response.reasoning_text.done", ...place, text: "Hm" },
    {
      type: "response.output_item.done",
      output_index: 7,
      item: { ...thought, content: [{ type: "reasoning_text", text: "Hm" }] },
    },
    ...messageEvents(["Hello"], 7).map((event) =>
      "item_id" in event ? { ...event, item_id: "msg_changed" } : event
    ),
    completedEvent({
      output: [
        { ...thought, id: "rs_new", content: [{ type: "reasoning_text", text: "Hm" }] },
        messageItem("Hello", { id: "msg_new" }),
      ],
    }),
  ]);
  assert.deepEqual(output.map(({ type }) => type), ["reasoning", "message"]);
  assert.match(output[0]!.id as string, /^rs_\w{24}$/);
  assert.equal(output[1]!.id, "msg_1");
  assert.equal(text, "HmHello");
  const [added] = chunks.filter(({ type }) => type === "response.content_part.added");
  assert.equal((added!.part as JsonObject).type, "reasoning_text");
  assert.ok(!types(chunks).includes("response.reasoning_part.added"));
});

Deno.test("parts that are counted from elsewhere, or change their kind, are counted from 0", async () => {
  const place = { item_id: "msg_1", output_index: 0, content_index: 3 };
  const [added] = messageEvents([]);
  const { output, chunks } = await whole([
    ...beginEvents(),
    added!,
    { type: "response.output_text.delta", ...place, delta: "Hel" },
    { type: "response.output_text.delta", ...place, delta: "lo" },
    {
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index: 0,
      annotation: { type: "file_path", file_id: "file_1", index: 0 },
    },
    { type: "response.refusal.delta", ...place, delta: "No." },
    completedEvent({ output: [] }),
  ]);
  assert.deepEqual(
    (output[0]!.content as JsonObject[]).map(({ text, refusal }) => text ?? refusal),
    ["Hello", "No."],
  );
  const indexes = chunks.flatMap((chunk) =>
    String(chunk.type).endsWith(".delta") ? [chunk.content_index] : []
  );
  assert.deepEqual(indexes, [0, 0, 1]);
});

Deno.test("items and calls with ids that were seen before get ids of their own", async () => {
  const call = (args: string) => [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: callItem("", { status: "in_progress" }),
    },
    { type: "response.output_item.done", output_index: 0, item: callItem(args) },
  ];
  const { output, text } = await whole([
    ...beginEvents(),
    ...call('{"a":1}'),
    ...call('{"b":2}'),
    completedEvent({ output: [callItem('{"a":1}'), callItem('{"b":2}')] }),
  ]);
  assert.equal(text, 'weather{"a":1}weather{"b":2}');
  assert.equal(new Set(output.map(({ id }) => id)).size, 2);
  assert.equal(new Set(output.map((item) => item.call_id)).size, 2);
});

Deno.test("two calls in turns keep their arguments, by whatever name their events know them", async () => {
  const begin = (id: string) => ({
    type: "response.output_item.added",
    item: { type: "function_call", call_id: id, name: `name_${id}`, arguments: "" },
  });
  const delta = (item_id: string, text: string) => ({
    type: "response.function_call_arguments.delta",
    item_id,
    delta: text,
  });
  const { output } = await whole([
    ...beginEvents(),
    begin("a"),
    begin("b"),
    delta("a", '{"a":'),
    delta("b", '{"b":'),
    delta("a", "1}"),
    delta("b", "2}"),
    completedEvent({ output: [] }),
  ]);
  assert.deepEqual(
    output.map(({ name, call_id, arguments: args }) => [name, call_id, args]),
    [["name_a", "a", '{"a":1}'], ["name_b", "b", '{"b":2}']],
  );
});

Deno.test("arguments wait for the name of their call", async () => {
  const calls = callEvents(['{"a":', "1}"]);
  for (const sent of [calls.slice(1), calls.slice(1, -1)]) {
    const { output, chunks, text } = await whole([
      ...beginEvents(),
      ...sent,
      completedEvent({ output: [callItem('{"a":1}')] }),
    ]);
    assert.deepEqual(output, [callItem('{"a":1}')]);
    assert.equal(text, 'weather{"a":1}');
    const [added] = chunks.filter(({ type }) => type === "response.output_item.added");
    assert.deepEqual(added!.item, callItem("", { status: "in_progress" }));
  }
});

Deno.test("an item that comes with its texts at once is not told twice", async () => {
  const { output, text } = await whole([
    ...beginEvents(),
    { type: "response.output_item.added", output_index: 0, item: callItem('{"a":1}') },
    { type: "response.output_item.done", output_index: 0, item: callItem('{"a":1}') },
    { type: "response.output_item.added", output_index: 1, item: messageItem("Hello") },
    { type: "response.content_part.added", output_index: 1, part: null },
    completedEvent({ output: [callItem('{"a":1}'), messageItem("Hello")] }),
  ]);
  assert.equal(text, 'weather{"a":1}Hello');
  assert.deepEqual(output, [callItem('{"a":1}'), messageItem("Hello")]);
});

Deno.test("events that official clients raise at are left out", async () => {
  const strange = [
    { type: "keepalive", message: "still there" },
    { type: "response.vendor.thing", vendor: { a: [1] }, delta: "vendor's" },
    { type: "response.output_text.vendor", output_index: 0, item_id: "msg_1", delta: "vendor's" },
    { type: "response.reasoning.delta", output_index: 0, delta: "vendor's" },
    { type: "response.output_item.added", output_index: 0 },
    { type: "response.constructor.added" },
    // Of items that have not begun, or are of another kind.
    { type: "response.web_search_call.searching", output_index: 0, item_id: "msg_1" },
    { type: "response.mcp_call_arguments.delta", output_index: 4, delta: "{}" },
    { type: "response.content_part.added", output_index: 9, part: { type: "vendor" } },
  ];
  const hello = helloEvents();
  const sent = [
    ...hello.slice(0, 4),
    ...strange,
    ...hello.slice(4, -2),
    ...strange,
    ...hello.slice(-2),
  ];
  const { chunks, text } = await whole(sent);
  assert.deepEqual(types(chunks), types(hello));
  assert.equal(text, "Hello");
});

Deno.test("what a cut-off answer leaves open is ended as incomplete", async () => {
  const { output } = await whole([
    ...beginEvents(),
    ...messageEvents(["Hel"]).slice(0, 3),
    {
      ...completedEvent({ status: "incomplete", output: [] }),
      type: "response.incomplete",
    },
  ]);
  assert.deepEqual(output, [messageItem("Hel", { status: "incomplete" })]);
});
