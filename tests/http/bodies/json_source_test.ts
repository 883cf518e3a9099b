/**
 * Bodies that are passed on as they came, against the same bodies parsed and written anew: every upstream
 * gets the same bytes, and every caller the same refusal.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { chatFacts } from "../../../src/dialects/openai_chat/facts.ts";
import { writeJson } from "../../../src/domain/json_source.ts";
import { isObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { GatewayError } from "../../../src/errors.ts";
import { readJson } from "../../../src/http/bodies/read_json.ts";
import { convertRequest } from "../../../src/providers/openai_compatible/chat/convert_request.ts";
import { freeStay } from "../../support/free_stay.ts";
import { chatCall, chatRoute } from "../../support/provider_parts.ts";
import { receivedRequest } from "../../support/received_request.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

const MAX_DEPTH = 8;
const LIMITS = {
  maxBytes: 10_000_000,
  maxDepth: MAX_DEPTH,
  budget: { reserve() {}, release() {} },
};

type Outcome = { readonly value: unknown } | { readonly code: string; readonly message: string };

async function readOf(body: Uint8Array): Promise<Outcome> {
  const headers = { "content-type": "application/json" };
  try {
    const { value } = await readJson(receivedRequest({ headers, body }), LIMITS);
    return { value };
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return { code: error.code, message: error.message };
  }
}

/** Byte by byte, then the runtime's own decoder and parser. */
function readPlainly(body: Uint8Array): Outcome {
  const fault = (message: string) => ({ code: "invalid_json", message: `The body is ${message}` });
  if (deepest(body) > MAX_DEPTH) return fault(`nested more than ${MAX_DEPTH} levels deep`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return fault("not valid UTF-8");
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    return fault(`not valid JSON${place === undefined ? "" : `: look ${place}`}`);
  }
}

function deepest(body: Uint8Array): number {
  let depth = 0;
  let most = 0;
  let isText = false;
  for (let index = 0; index < body.length; index++) {
    const character = String.fromCharCode(body[index]!);
    if (isText && character === "\\") index++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if ("[{".includes(character)) most = Math.max(most, ++depth);
    else if ("]}".includes(character)) depth = Math.max(0, depth - 1);
  }
  return most;
}

const PLAIN = [
  "word ",
  "another one, ",
  "{[:",
  "]}",
  "é",
  "漢字",
  "🦊",
  "\u2028",
  "\u007f",
  "\ufeff",
];
const ESCAPES = ["\\n", '\\"', "\\\\", "\\t", "\\r", "\\b", "\\f", "\\u001b", "\\u0000", "\\u000b"];
const ODD_ESCAPES = [
  "\\/",
  "\\u0041",
  "\\u001B",
  "\\u000a",
  "\\u0008",
  "\\ud83d\\ude00",
  "\\uD800",
];
const LONE_ESCAPES = ["\\ud800", "\\udc00", "\\u007f", "\\u00e9", "\\u2028", "\\u0022"];
const NUMBERS = ["0", "7", "-5", "128000", "0.5", "1e+21", "9007199254740991", "5e-7", "1.25"];
const ODD_NUMBERS = [
  "-0",
  "1.0",
  "1e400",
  "1e21",
  "1E5",
  "0.0000005",
  "12345678901234567890",
  "-0.0",
];
const ODD_NAMES = [
  "role",
  "content",
  "1",
  "10",
  "0",
  "__proto__",
  "a\\u0062",
  "ab",
  "",
  "é",
  "2x",
  "toJSON",
];
const NO_JSON = [
  "\u00a0",
  "\u0001",
  "NaN",
  "'",
  ",",
  "]",
  "}",
  '"',
  "\\",
  "\\x",
  "00",
  "+1",
  "{",
  "[",
  ":",
];
const SPACES = [" ", "\n", "\t", "\r\n", "  "];

/** Texts of chat requests, most of them as clients write them and some with one oddity or more. */
class Bodies {
  readonly #random: SeededRandom;
  /** How often something odd stands where it may. */
  #oddity = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(): Uint8Array {
    const random = this.#random;
    this.#oddity = random.pick([0, 0, 0, 0.0005, 0.002, 0.02]);
    const messages = Array.from({ length: random.integer(1, 40) }, () => this.#message());
    const members = [
      this.#member("model", '"m"'),
      this.#member("messages", `[${messages.join(this.#comma())}]`),
    ];
    const more = [
      () => this.#member("stream", random.pick(["true", "false", "null"])),
      () => this.#member("stream_options", `{"include_usage":${random.pick(["true", "null"])}}`),
      () => this.#member("temperature", this.#number()),
      () => this.#member("max_tokens", "5"),
      () => this.#member("tools", `[${this.#tool()},${this.#tool()}]`),
      () => this.#member("metadata", this.#object(random.integer(0, 30), 0)),
      () => this.#member(random.pick(ODD_NAMES), this.#value(0)),
      () => this.#member("messages", `[${this.#message()}]`),
      () => `${this.#text()}:${this.#text()}`,
    ];
    for (const [index, make] of more.entries()) {
      if (random.chance(index < 6 ? 0.3 : 0.03)) {
        members.splice(random.integer(0, members.length), 0, make());
      }
    }
    const text = `${random.chance(0.02) ? "\ufeff" : ""}{${members.join(this.#comma())}}`;
    const bytes = new TextEncoder().encode(random.chance(0.05) ? this.#broken(text) : text);
    if (random.chance(0.02)) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
    return random.chance(0.01) ? bytes.slice(0, random.integer(1, bytes.length)) : bytes;
  }

  #isOdd(): boolean {
    return this.#random.chance(this.#oddity);
  }

  #broken(text: string): string {
    const at = this.#random.integer(0, text.length);
    return text.slice(0, at) + this.#random.pick(NO_JSON) + text.slice(at);
  }

  #comma(): string {
    return this.#isOdd() ? `,${this.#random.pick(SPACES)}` : ",";
  }

  #member(name: string, value: string): string {
    const odd = this.#isOdd() ? this.#random.pick(SPACES) : "";
    return `"${name}":${odd}${value}`;
  }

  #message(): string {
    const members = [this.#member("role", '"user"'), this.#member("content", this.#content())];
    if (this.#isOdd()) members.push(this.#member(this.#random.pick(ODD_NAMES), this.#value(0)));
    if (this.#random.chance(0.1)) members.push(this.#member("index", this.#number()));
    return `{${members.join(this.#comma())}}`;
  }

  #content(): string {
    if (this.#random.chance(0.8)) return this.#text();
    return `[{"type":"text","text":${this.#text()}},{"type":"image_url","image_url":{"url":"x"}}]`;
  }

  #tool(): string {
    return `{"type":"function","function":{"name":"f","parameters":${this.#object(8, 0)}}}`;
  }

  #object(members: number, depth: number): string {
    const random = this.#random;
    const name = (index: number) => this.#isOdd() ? random.pick(ODD_NAMES) : `field_${index}`;
    const all = Array.from(
      { length: members },
      (_, at) => this.#member(name(at), this.#value(depth)),
    );
    return `{${all.join(this.#comma())}}`;
  }

  #value(depth: number): string {
    const random = this.#random;
    switch (random.integer(0, 7)) {
      case 0:
        return depth > 2 ? "{}" : this.#object(random.integer(0, 3), depth + 1);
      case 1:
        return depth > 2 ? "[]" : `[${this.#value(depth + 1)}${this.#comma()}${this.#number()}]`;
      case 2:
        return this.#number();
      case 3:
        return random.pick(["true", "false", "null"]);
      case 4:
        return this.#isOdd() ? `${"[".repeat(9)}${"]".repeat(9)}` : "[[]]";
      default:
        return this.#text();
    }
  }

  #number(): string {
    return this.#random.pick(this.#isOdd() ? ODD_NUMBERS : NUMBERS);
  }

  #text(): string {
    const random = this.#random;
    let text = random.chance(0.1) ? "x".repeat(random.integer(0, 600)) : "";
    for (let left = random.integer(0, 12); left > 0; left--) {
      if (this.#isOdd()) text += random.pick([...ODD_ESCAPES, ...LONE_ESCAPES]);
      else text += random.pick(random.chance(0.8) ? PLAIN : ESCAPES);
    }
    return `"${text}"`;
  }
}

/** What is sent for a body, written one way or the other. */
function sentFor(value: JsonObject, random: SeededRandom, write: (body: JsonObject) => unknown) {
  const route = chatRoute({
    body: random.pick([{}, {}, { set: { top_p: 0.5 } }, { drop: ["tools"] }, {
      default: { n: 1 },
    }]),
  });
  const outputTokensCap = random.pick([undefined, 100]);
  const call = { ...chatCall({}, { route }), body: value, outputTokensCap };
  return write(convertRequest(call, { stream: random.chance(0.5), limitField: "max_tokens" }));
}

function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) frozen(one);
    Object.freeze(value);
  }
  return value;
}

Deno.test("bodies are sent and refused as if each were parsed and written anew", async () => {
  const random = new SeededRandom(20_261_123);
  const bodies = new Bodies(random);
  const encoder = new TextEncoder();
  const seen = { copied: 0, written: 0, refused: 0 };
  for (let round = 0; round < 10_000; round++) {
    const body = bodies.next();
    const [read, plain] = [await readOf(body), readPlainly(body)];
    const shown = () => `body ${round}: ${new TextDecoder("latin1").decode(body).slice(0, 3_000)}`;
    assert.deepEqual(read, plain, shown());
    if (!("value" in read) || !("value" in plain)) {
      seen.refused++;
      continue;
    }
    const { value } = read;
    if (!isObject(value) || !isObject(plain.value)) continue;
    // Nothing on the way may change what was read: its bytes would be sent all the same.
    chatFacts({ body: frozen(value), bodyBytes: body.length }, false);
    const way = `way ${round}`;
    const sent = sentFor(value, random.of(way), writeJson);
    const expected = sentFor(plain.value, random.of(way), JSON.stringify);
    assert.ok(typeof expected === "string");
    if (typeof sent === "string") {
      seen.written++;
      assert.equal(sent, expected, shown());
    } else {
      seen.copied++;
      assert.ok(Array.isArray(sent));
      assert.equal(Buffer.compare(Buffer.concat(sent), encoder.encode(expected)), 0, shown());
    }
  }
  assert.ok(Math.min(...Object.values(seen)) > 500, JSON.stringify(seen));
});

const LONG = "long ".repeat(300);
const ONE = `[{"role":"user","content":"${LONG}"}]`;
const OTHER = '[{"role":"user","content":"short"}]';
const CASES: readonly [name: string, text: string, isCopied: boolean][] = [
  ["as clients write", `{"model":"m","messages":${ONE},"n":1}`, true],
  ["a space between members", `{ "model" : "m" , "messages" :${ONE}, "n": 1 }\n`, true],
  ["a mark of its order", `\ufeff{"messages":${ONE}}`, true],
  ["a text without an escape to the end", `{"messages":["${LONG}","\\"","é"]}`, true],
  ["the same name before", `{"messages":${OTHER},"messages":${ONE}}`, false],
  ["the same name behind", `{"messages":${ONE},"messages":${OTHER}}`, false],
  ["the same name behind, escaped", `{"messages":${ONE},"m\\u0065ssages":${OTHER}}`, false],
  ["a name that is escaped", `{"m\\u0065ssages":${ONE}}`, false],
  ["a space within", `{"messages":${ONE.replace(":", ": ")}}`, false],
  ["a space right behind", `{"messages":${ONE} }`, false],
  ["a member that is short", `{"messages":${OTHER}}`, false],
  ["a text alone", `{"prompt":"${LONG}"}`, false],
  ["a list", ONE, false],
];

for (const [name, text, isCopied] of CASES) {
  Deno.test(`a body with ${name} is ${isCopied ? "copied" : "written anew"}`, async () => {
    const read = await readOf(new TextEncoder().encode(text));
    assert.ok("value" in read);
    const sent = writeJson(read.value as JsonObject);
    assert.equal(typeof sent !== "string", isCopied);
    const expected = JSON.stringify(JSON.parse(text.replace("\ufeff", "")));
    assert.equal(typeof sent === "string" ? sent : Buffer.concat(sent).toString(), expected);
  });
}

for (const isKept of [false, true]) {
  const then = isKept ? "is copied as before where it is kept" : "is written anew";
  Deno.test(`a body whose memory is not needed any more ${then}`, async () => {
    const text = `{"model":"m","messages":${ONE}}`;
    const headers = { "content-type": "application/json" };
    const stay = freeStay();
    const request = receivedRequest({ headers, body: text, isKept });
    const { value } = await readJson(request, { ...LIMITS, budget: stay });
    assert.notEqual(typeof writeJson(value as JsonObject), "string");
    stay.leave();
    const sent = writeJson(value as JsonObject);
    assert.equal(typeof sent === "string", !isKept);
    assert.equal(typeof sent === "string" ? sent : Buffer.concat(sent).toString(), text);
  });
}
