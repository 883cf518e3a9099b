/**
 * A body that may be slow: a shape in a field of an otherwise plain request.
 *
 * @module
 */

import { SeededRandom } from "../../support/seeded_random.ts";
import { latin1 } from "../fuzz_case.ts";
import { SHAPES } from "./shapes.ts";
import { type Target, TARGETS } from "./targets.ts";

export interface SlowBody {
  readonly path: string;
  readonly model: string;
  readonly field: string;
  readonly shape: string;
  /** About so many bytes. */
  readonly bytes: number;
  /** With an `Idempotency-Key` the parsed body is made one text once more. */
  readonly isRepeatable: boolean;
  readonly stream: boolean;
}

/** What is sent. */
export interface SlowRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The plain body that others are compared with: a long text, long enough to be measured. */
export const PLAIN_BODY: SlowBody = {
  path: "/v1/chat/completions",
  model: "plain",
  field: "messages",
  shape: "one message",
  bytes: 4_000_000,
  isRepeatable: false,
  stream: false,
};

/** Some body; of a target where one is given. */
export function anyBody(
  random: SeededRandom,
  bytes: number,
  target: Target = random.pick(TARGETS),
): SlowBody {
  return {
    path: target.path,
    model: random.pick(target.models),
    field: random.pick(target.fields),
    shape: target.isForm ? "form" : random.pick(Object.keys(SHAPES)),
    bytes,
    isRepeatable: random.chance(0.5),
    stream: random.chance(0.3),
  };
}

/** A body near another one: of another shape, or in another field. */
export function mutatedBody(body: SlowBody, random: SeededRandom): SlowBody {
  const other = anyBody(random, body.bytes);
  if (body.shape === "form") return other;
  switch (random.integer(0, 3)) {
    case 0:
      return { ...other, shape: other.shape === "form" ? "form" : body.shape };
    case 1:
      return { ...body, shape: pickShape(random) };
    case 2:
      return { ...body, isRepeatable: !body.isRepeatable };
    default:
      return { ...body, stream: !body.stream };
  }
}

function pickShape(random: SeededRandom): string {
  return random.pick(Object.keys(SHAPES));
}

/** What is told of a body. */
export function nameOf(
  { path, model, field, shape, bytes, isRepeatable, stream }: SlowBody,
): string {
  return `${shape} as '${field}' of ${path}, ${bytes} bytes, model ${model}` +
    (isRepeatable ? ", with an Idempotency-Key" : "") + (stream ? ", streamed" : "");
}

/** The request that a body is in; the same body always gives the same one but for its key. */
export function requestOf(body: SlowBody): SlowRequest {
  const { path, isRepeatable } = body;
  const [type, bytes] = body.shape === "form" ? formOf(body) : [
    "application/json",
    new TextEncoder().encode(jsonOf(body)),
  ];
  return {
    path,
    headers: {
      "content-type": type!,
      ...(isRepeatable && { "idempotency-key": crypto.randomUUID() }),
      ...(path.includes("/messages") && { "anthropic-version": "2023-06-01" }),
    },
    body: bytes,
  };
}

function jsonOf({ path, model, field, shape, bytes, stream }: SlowBody): string {
  const random = new SeededRandom(1, shape);
  if (shape === "one message") {
    const text = "many words ".repeat(Math.ceil(bytes / 11));
    return `{"model":"${model}","messages":[{"role":"user","content":"${text}"}]}`;
  }
  const value = SHAPES[shape]!(bytes, random);
  if (field === "*") return value;
  const { plain } = TARGETS.find((one) => one.path === path && one.isForm === undefined)!;
  const fields: Record<string, string> = {
    model: JSON.stringify(model),
    ...plain,
    ...(stream && { stream: "true" }),
    [field === "~" ? "extra" : field]: field === "source_policy"
      ? `{"exclude_risk_levels":${value}}`
      : field === "text"
      ? `{"format":${value}}`
      : value,
  };
  return `{${Object.entries(fields).map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

function formOf(
  { path, model, field, bytes }: SlowBody,
): [type: string, body: Uint8Array<ArrayBuffer>] {
  const pairs = "application/x-www-form-urlencoded";
  const parts = "multipart/form-data; boundary=xyz";
  const times = (piece: string) => piece.repeat(Math.ceil(bytes / piece.length));
  const part = (head: string, text: string) =>
    `--xyz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const { plain } = TARGETS.find((one) => one.path === path && one.isForm)!;
  const first = Object.entries({ ...(model !== "" && { model }), ...plain })
    .map(([name, text]) => part(`name="${name}"`, text)).join("");
  const form = (rest: string): [string, Uint8Array<ArrayBuffer>] => [
    parts,
    latin1(`${first}${rest}--xyz--\r\n`),
  ];
  const file = (text: string) => {
    const name = path.includes("/images/") ? "image" : "file";
    return form(part(`name="${name}"; filename="a.bin"`, text));
  };
  switch (field) {
    case "pairs":
      return [pairs, latin1(times("a=1&"))];
    case "separators":
      return [pairs, latin1(times("&"))];
    case "percents":
      return [pairs, latin1(`prompt=${times("%41")}`)];
    case "parts":
      return form(times(part('name="a"', "1")));
    case "heads":
      return form(times(part(`name="a${";b=c".repeat(1_900)}"`, "1")));
    case "dashes":
      return form(part('name="prompt"', times("\r\n--xy")));
    case "a file":
      return file(times("many words "));
    case "a file of dashes":
      return file(times("\r\n--xy"));
    case "a file of empty lines":
      return file(times("\n"));
    case "a file of lines":
      return file(times('{"custom_id":"a","method":"POST","url":"/v1/responses","body":{}}\n'));
    case "a file of sound without end":
      return file(`OggS${times("OggS\0\0")}`);
    default:
      return form(part('name="prompt"', times("x")));
  }
}
