/**
 * What official clients need of a stream of the Responses API, as assertions.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../src/domain/json_value.ts";
import schemas from "../fixtures/openai/response_schemas.json" with { type: "json" };
import { assertSatisfies } from "./schema_check.ts";

/** Fields that hold texts, by the beginning of the names of their events. */
const TEXTS: Readonly<Record<string, string>> = {
  "response.output_text": "text",
  "response.refusal": "refusal",
  "response.reasoning_text": "text",
  "response.reasoning_summary_text": "text",
  "response.function_call_arguments": "arguments",
  "response.custom_tool_call_input": "input",
};

/**
 * Asserts that events satisfy OpenAI's schema and form a stream that no client trips over: `response.created`
 * first and its end last, items numbered from 0 and begun before anything in them,
 * parts before their texts, every bracket closed once, and the deltas of each text
 * together what its `done` event, its item and the last event say.
 *
 * @returns The output of the last event.
 */
export function assertWholeStream(events: readonly JsonObject[]): JsonObject[] {
  assert.equal(events[0]?.type, "response.created");
  const last = events.at(-1)!;
  assert.match(String(last.type), /^response\.(completed|incomplete)$/);
  const items: JsonObject[] = [];
  const done: JsonObject[] = [];
  const open = new Set<string>();
  const texts = new Map<string, string>();
  const told = new Set<string>();
  for (const [sequence_number, event] of events.entries()) {
    assert.ok(!("sequence_number" in event));
    assertSatisfies(schemas, "ResponseStreamEvent", { ...event, sequence_number });
    const type = String(event.type);
    const base = type.slice(0, type.lastIndexOf("."));
    const verb = type.slice(base.length + 1);
    const index = event.output_index as number;
    const place = `${index} ${event.content_index ?? event.summary_index ?? ""}`;
    if (base === "response.output_item") {
      const item = event.item as JsonObject;
      assert.ok(typeof item.id === "string" && item.id !== "", `${type} has an id`);
      if (verb === "added") {
        assert.equal(index, items.length, `${type} is numbered in turn`);
        items.push(item);
      } else {
        assert.equal(item.id, items[index]?.id, `${type} has the id it began with`);
        assert.equal(done[index], undefined, `item ${index} ends once`);
        done[index] = item;
      }
      continue;
    }
    if (!("item_id" in event)) continue;
    assert.equal(event.item_id, items[index]?.id, `${type} names its item`);
    assert.equal(done[index], undefined, `${type} comes before its item ends`);
    const isPart = base === "response.content_part" || base === "response.reasoning_summary_part";
    if (isPart && verb === "added") {
      assert.ok(!open.has(place), `${type} comes once`);
      open.add(place);
    } else if (isPart && verb === "done") {
      assert.ok(open.delete(place), `${type} ends an open part`);
    }
    const field = TEXTS[base];
    if (field === undefined) continue;
    const key = `${base} ${place}`;
    if ("content_index" in event || "summary_index" in event) {
      assert.ok(open.has(place), `${type} is inside a part`);
    }
    if (verb === "delta") texts.set(key, (texts.get(key) ?? "") + event.delta);
    else {
      assert.equal(event[field], texts.get(key) ?? "", `${type} has the text of its deltas`);
      assert.ok(!told.has(key), `${type} comes once`);
      told.add(key);
    }
  }
  assert.equal(open.size, 0, "every part ends");
  assert.equal(done.filter(Boolean).length, items.length, "every item ends");
  const { output } = last.response as { output: JsonObject[] };
  assert.deepEqual(output, done);
  return output;
}
