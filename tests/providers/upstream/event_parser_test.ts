import assert from "node:assert/strict";
import { EventParser } from "../../../src/providers/upstream/event_parser.ts";

function parse(pieces: readonly string[], options = {}): [data: string, name: string][] {
  const events: [string, string][] = [];
  const parser = new EventParser((data, name) => events.push([data, name]), options);
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return events;
}

const ROWS: readonly [name: string, text: string, events: [string, string][]][] = [
  ["one event", "data: a\n\n", [["a", ""]]],
  ["two events", "data: a\n\ndata: b\n\n", [["a", ""], ["b", ""]]],
  ["no space after the colon", "data:a\n\n", [["a", ""]]],
  ["one space is dropped, not two", "data:  a\n\n", [[" a", ""]]],
  ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [["a", ""], ["b", ""]]],
  ["CR alone", "data: a\r\rdata: b\r\r", [["a", ""], ["b", ""]]],
  ["mixed line ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\r", [["a", ""], ["b", ""], ["c", ""]]],
  ["several data lines", "data: a\ndata: b\n\n", [["a\nb", ""]]],
  ["several data lines with CRLF", "data: a\r\ndata: b\r\n\r\n", [["a\nb", ""]]],
  ["empty data lines", "data\ndata:\n\n", [["\n", ""]]],
  ["comments", ": keepalive\n\n: x\ndata: a\n: y\n\n", [["a", ""]]],
  ["an event name", "event: error\ndata: a\n\ndata: b\n\n", [["a", "error"], ["b", ""]]],
  ["a name without data", "event: ping\n\ndata: a\n\n", [["a", ""]]],
  ["id and retry", "id: 7\nretry: 10\ndata: a\n\n", [["a", ""]]],
  ["a byte order mark", "\ufeffdata: a\n\n", [["a", ""]]],
  ["no final blank line", "data: a\n\ndata: b\n", [["a", ""], ["b", ""]]],
  ["no final line end", "data: a\n\ndata: b", [["a", ""], ["b", ""]]],
  ["[DONE] with spaces", "data:   [DONE]  \n\n", [["  [DONE]  ", ""]]],
  ["unknown fields", "datum: x\ndata: a\nfoo\n\n", [["a", ""]]],
  ["nothing", "", []],
  ["blank lines", "\n\n\r\n\n", []],
];

for (const [name, text, events] of ROWS) {
  Deno.test(`EventParser reads ${name}, however it is divided`, () => {
    assert.deepEqual(parse([text]), events, "whole");
    assert.deepEqual(parse([...text]), events, "character by character");
    for (let at = 1; at < text.length; at++) {
      assert.deepEqual(parse([text.slice(0, at), text.slice(at)]), events, `cut at ${at}`);
    }
  });
}

Deno.test("EventParser gives each event as soon as its blank line is there", () => {
  const seen: string[] = [];
  const parser = new EventParser((data) => seen.push(data));
  parser.push("data: a\n");
  assert.deepEqual(seen, []);
  parser.push("\nda");
  assert.deepEqual(seen, ["a"]);
  parser.push("ta: b\n\n");
  assert.deepEqual(seen, ["a", "b"]);
});

Deno.test("EventParser refuses a line longer than its cap", () => {
  assert.throws(() => parse(["data: ", "x".repeat(60), "x".repeat(60)], { maxCharacters: 100 }), {
    name: "RangeError",
    message: "Cannot read an event longer than 100 characters",
  });
});

Deno.test("EventParser refuses an event whose data lines together are longer than its cap", () => {
  const line = `data: ${"x".repeat(60)}\n`;
  assert.throws(() => parse([line, line], { maxCharacters: 100 }), RangeError);
  assert.equal(parse([`${line}\n`, `${line}\n`], { maxCharacters: 100 }).length, 2);
});
