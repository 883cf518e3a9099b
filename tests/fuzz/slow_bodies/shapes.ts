/**
 * Shapes of JSON values: each gives one of about a number of bytes. A shape is a knob for the
 * search: whatever grows with a body is somewhere among them.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";

/** JSON text of about `bytes` bytes. */
export type Shape = (bytes: number, random: SeededRandom) => string;

/** So many pieces that they fill the bytes, joined by commas. */
function filled(bytes: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < bytes; index++) {
    const text = piece(index);
    pieces.push(text);
    length += text.length + 1;
  }
  return pieces.join(",");
}

function list(piece: (index: number) => string): Shape {
  return (bytes) => `[${filled(bytes, piece)}]`;
}

function object(name: (index: number) => string, value = "0"): Shape {
  return (bytes) => `{${filled(bytes, (index) => `"${name(index)}":${value}`)}}`;
}

/** A list of objects with so many members each, named by the object and the member. */
function objects(members: number, name: (object: number, member: number) => string): Shape {
  return list((index) =>
    `{${Array.from({ length: members }, (_, at) => `"${name(index, at)}":0`).join(",")}}`
  );
}

function nested(open: string, close: string, levels: number): string {
  return open.repeat(levels) + "0" + close.repeat(levels);
}

function text(piece: string): Shape {
  return (bytes) => `"${piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))}"`;
}

/** A value that is a fixed text, as often as a list holds. */
function many(...values: readonly string[]): Shape {
  return list((index) => values[index % values.length]!);
}

function hashed(index: number): string {
  return (Math.imul(index + 1, 2654435761) >>> 0).toString(36);
}

/** All shapes, by what is in them. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  "a text": text("many words "),
  "a text without blanks": text("x"),
  "a text of ideographs": text("雪"),
  "a text of emoji": text("👍🏽"),
  "a text of escapes": text("\\u0041"),
  "a text of line ends": text("\\n"),
  "a text of backslashes": text("\\\\"),
  "a text of blanks": text(" "),
  "a text of commas": text(","),
  "a text of half base64": (bytes) => `"data:image/png;base64,${"A".repeat(bytes)}="`,
  "a text of broken base64": (bytes) => `"data:image/png;base64,${"A".repeat(bytes)}*"`,
  "digits": (bytes) => "1".repeat(bytes),
  "a fraction of many digits": (bytes) => `0.${"123456789".repeat(Math.ceil(bytes / 9))}`,
  "blanks": (bytes) => " ".repeat(bytes) + "0",
  "zeros": many("0"),
  "numbers beyond all": many("1e400", "-1e400"),
  "long fractions": list((index) => `0.${index}123456789012345`),
  "tokens": list((index) => String(index % 100_000)),
  "nothings": many("null"),
  "truths": many("true", "false"),
  "empty texts": many('""'),
  "short texts": list((index) => `"${hashed(index)}"`),
  "empty lists": many("[]"),
  "empty objects": many("{}"),
  "lists of one": many("[0]"),
  "token lists": list(() => `[${Array.from({ length: 100 }, (_, at) => at).join(",")}]`),
  "one object of members": object((index) => `k${index}`),
  "members in no order": object(hashed),
  "members by number": object(String),
  "equal members": object(() => "a"),
  "members with long names": object((index) => "x".repeat(500) + index),
  "members of objects": object((index) => `k${index}`, '{"type":"string"}'),
  "objects of one member": objects(1, () => "a"),
  "objects of other members": objects(1, (index) => `k${index}`),
  "objects of ten other members": objects(10, (index, at) => `k${index}_${at}`),
  "objects of fifty members": objects(50, (_, at) => `k${at}`),
  "objects of a hundred other members": objects(100, (index, at) => `k${index}_${at}`),
  "objects of a thousand other members": objects(1_000, (index, at) => `k${index}_${at}`),
  "messages": many('{"role":"user","content":"a"}'),
  "messages in parts": many('{"role":"user","content":[{"type":"text","text":"a"}]}'),
  "messages with an image": many(
    '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}',
  ),
  "one message of parts": (bytes) =>
    `[{"role":"user","content":[${filled(bytes, () => '{"type":"text","text":"a"}')}]}]`,
  "messages of the wrong role": many('{"role":0}', '{"role":""}'),
  "tool calls": many(
    '{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}',
  ),
  "tools": list((index) =>
    `{"type":"function","name":"f${index}","function":{"name":"f${index}","parameters":{"type":"object"}}}`
  ),
  "a tool of many properties": (bytes) =>
    `[{"type":"function","name":"f","function":{"name":"f","parameters":{"type":"object","properties":{${
      filled(bytes, (index) => `"p${index}":{"type":"string"}`)
    }}}}}]`,
  "items": many('{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}'),
  "calls and outputs": list((index) =>
    index % 2 === 0
      ? `{"type":"function_call","call_id":"c${index}","name":"f","arguments":"{}"}`
      : `{"type":"function_call_output","call_id":"c${index - 1}","output":"a"}`
  ),
  "uses and results of tools": list((index) =>
    index % 2 === 0
      ? `{"role":"assistant","content":[{"type":"tool_use","id":"t${index}","name":"f","input":{}}]}`
      : `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t${
        index - 1
      }","content":"a"}]}`
  ),
  "signed thoughts": many(
    '{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]}',
  ),
  "blocks to be cached": many('{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}'),
  "documents of texts": many(
    '{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}]}',
  ),
  "references": list((index) => `{"type":"item_reference","id":"msg_${index}"}`),
  "reasoning": many('{"type":"reasoning","summary":[{"type":"summary_text","text":"a"}]}'),
  "a schema of choices": (bytes) =>
    `{"type":"json_schema","json_schema":{"name":"a","schema":{"anyOf":[${
      filled(bytes, (index) => `{"const":${index}}`)
    }]}}}`,
  "a schema of properties": (bytes) =>
    `{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{${
      filled(bytes, (index) => `"p${index}":{"type":"array","items":{"type":"string"}}`)
    }}}}}`,
  "nested lists": list(() => nested("[", "]", 190)),
  "nested objects": list(() => nested('{"a":', "}", 90)),
  "levels of both": list(() => nested('[{"a":', "}]", 90)),
  "nested without end": (bytes) => "[".repeat(bytes),
};
