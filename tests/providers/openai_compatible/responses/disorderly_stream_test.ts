import assert from "node:assert/strict";
import OpenAI6 from "openai6";
import OpenAI7 from "openai7";
import { createCompletionIds } from "../../../../src/dialects/base/completion_ids.ts";
import { ResponseReader } from "../../../../src/providers/openai_compatible/responses/response_reader.ts";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import { UpstreamError } from "../../../../src/domain/upstream_error.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import {
  beginEvents,
  callEvents,
  callItem,
  completedEvent,
  messageEvents,
  messageItem,
  responseBody,
} from "../../../support/response_bodies.ts";
import { assertWholeStream } from "../../../support/response_stream_check.ts";

/** What a reader makes of events, up to the last one. */
function read(events: readonly JsonObject[]): JsonObject[] {
  const reader = new ResponseReader({
    ids: createCompletionIds(Math.random),
    clock: { now: () => 1_700_000_000_000, monotonic: () => 0 },
    upstreamModel: "upstream-model",
    bounds: { contextTokens: 100_000 },
    request: {},
    concealed: { secrets: [], host: "" },
  });
  const made: AnswerEvent[] = [];
  for (const event of structuredClone(events)) {
    reader.read(event, "", made);
    if (reader.isOver) return made.map(({ chunk }) => chunk);
  }
  reader.end();
  return [];
}

/** Official clients read the stream without raising. */
async function assertReadable(chunks: readonly JsonObject[]): Promise<void> {
  const body = chunks.map((chunk, sequence_number) =>
    `event: ${chunk.type}\ndata: ${JSON.stringify({ ...chunk, sequence_number })}\n\n`
  ).join("");
  const options = {
    apiKey: "none",
    fetch: () =>
      Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
  };
  const asked = { model: "m", input: "Hello" };
  await new OpenAI6(options).responses.stream(asked).finalResponse();
  await new OpenAI7(options).responses.stream(asked).finalResponse();
}

async function whole(events: readonly JsonObject[]): Promise<JsonObject[]> {
  const chunks = read(events);
  assertWholeStream(chunks);
  await assertReadable(chunks);
  return chunks;
}

function outputOf(chunks: readonly JsonObject[]): unknown {
  return (chunks.at(-1)!.response as JsonObject).output;
}

const REASONING = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm" }],
};
const HELLO = messageItem("Hello");
const CALL = callItem('{"a":1}');

Deno.test("a beginning that is told again or late is told once", async () => {
  const [created, inProgress] = beginEvents() as [JsonObject, JsonObject];
  const message = messageEvents(["Hel", "lo"]);
  const chunks = await whole([
    ...[created, created, inProgress],
    ...message.slice(0, 3),
    ...[created, inProgress],
    ...message.slice(3),
    ...[inProgress, created],
    completedEvent(),
  ]);
  assert.deepEqual(chunks.slice(0, 3).map(({ type }) => type), [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
  ]);
  assert.equal(chunks.length, 2 + message.length + 1);
  assert.deepEqual(outputOf(chunks), [HELLO]);
});

Deno.test("an item without a type is what its id or its role says, and nothing otherwise", async () => {
  const message = messageEvents(["Hello"]);
  const { type: _type, ...untyped } = HELLO;
  const done = { type: "response.output_item.done", output_index: 0, item: untyped };
  const nothing = { type: "response.output_item.done", item: { id: "x", summary: [] } };
  for (
    const sent of [
      [...message.slice(0, -1), done],
      [done],
      [nothing, ...message, nothing, { ...nothing, type: "response.output_item.added" }],
    ]
  ) {
    const output = [{ ...untyped }, { id: "y" }];
    const chunks = await whole([...beginEvents(), ...sent, completedEvent({ output })]);
    assert.deepEqual(outputOf(chunks), [HELLO]);
  }
});

Deno.test("annotations without their text are left out, others are counted from 0", async () => {
  const annotation = {
    type: "url_citation",
    start_index: 0,
    end_index: 1,
    url: "https://a.example",
    title: "A",
  };
  const cited = {
    type: "response.output_text.annotation.added",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    annotation,
  };
  const message = messageEvents(["Hello"]);
  const chunks = await whole([
    ...beginEvents(),
    ...message.slice(0, 1),
    cited,
    ...message.slice(1, 3),
    { ...cited, annotation_index: 7 },
    cited,
    ...message.slice(3, 5),
    cited,
    ...message.slice(5),
    completedEvent(),
  ]);
  const told = chunks.filter(({ type }) => type === cited.type);
  assert.deepEqual(told.map((event) => event.annotation_index), [0, 1]);
});

Deno.test("the end has every item that was streamed, in the order in which they began", async () => {
  const sent = [...beginEvents(), ...messageEvents(["Hello"]), ...callEvents(['{"a":1}'], 1)];
  for (const output of [[HELLO], [CALL], [CALL, HELLO], [HELLO, CALL]]) {
    const chunks = await whole([...sent, completedEvent({ output })]);
    assert.deepEqual(outputOf(chunks), [HELLO, CALL]);
  }
});

Deno.test("an item that has another place and another id at the end is not told twice", async () => {
  const output = [REASONING, messageItem("Hello", { id: "msg_other" })];
  const sent = messageEvents(["Hel", "lo"]);
  const chunks = await whole([...beginEvents(), ...sent, completedEvent({ output })]);
  assert.deepEqual(outputOf(chunks), [HELLO, REASONING]);
  const texts = chunks.filter(({ type }) => type === "response.output_text.delta");
  assert.equal(texts.map(({ delta }) => delta).join(""), "Hello");
});

Deno.test("parts of other kinds are numbered in messages, and left out elsewhere", () => {
  const [added, ...rest] = messageEvents(["Hello"]) as [JsonObject, ...JsonObject[]];
  const part = (verb: string, changes: JsonObject) => ({
    type: `response.content_part.${verb}`,
    item_id: "msg_1",
    output_index: 0,
    content_index: 5,
    part: { type: "vendor" },
    ...changes,
  });
  const call = callEvents(["{}"], 1);
  const chunks = read([
    ...beginEvents(),
    added,
    part("done", {}),
    ...rest.slice(0, -1),
    part("added", {}),
    part("done", {}),
    part("done", { content_index: 9 }),
    rest.at(-1)!,
    ...call.slice(0, 1),
    part("added", { item_id: "fc_1", output_index: 1 }),
    ...call.slice(1),
    completedEvent({ output: [HELLO, callItem("{}")] }),
  ]);
  const strange = chunks.filter(({ part }) => (part as JsonObject | undefined)?.type === "vendor");
  assert.deepEqual(
    strange.map(({ type, output_index, content_index }) => [type, output_index, content_index]),
    [["response.content_part.added", 0, 1], ["response.content_part.done", 0, 1]],
  );
});

Deno.test("whatever the order of its events, a stream is one that official clients read, or broken", async () => {
  let seed = 5;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 2_147_483_648 * most);
  };
  let wholes = 0;
  for (let round = 0; round < 150; round++) {
    const events: JsonObject[] = [
      ...beginEvents(),
      { type: "response.output_item.done", output_index: 0, item: REASONING },
      ...messageEvents(["Hel", "lo"], 1),
      ...callEvents(['{"a"', ":1}"], 2),
      { type: "response.completed", response: responseBody({ output: [REASONING, HELLO, CALL] }) },
    ];
    for (let change = 0; change <= round % 4; change++) {
      const [from, to] = [below(events.length), below(events.length)];
      const event = events[from]!;
      if (below(2) === 0) events.splice(from, 1);
      if (below(4) > 0) events.splice(to, 0, structuredClone(event));
    }
    let chunks: JsonObject[];
    try {
      chunks = read(events);
    } catch (error) {
      assert.ok(error instanceof UpstreamError && error.failure === "broken", String(error));
      continue;
    }
    await assertReadable(chunks);
    wholes++;
  }
  assert.ok(wholes > 50, `${wholes} whole streams`);
});
