/**
 * A body that may be slow: a shape in a field of an otherwise plain request.
 *
 * @module
 */

import { SeededRandom } from "../../support/seeded_random.ts";
import { latin1 } from "../fuzz_case.ts";
import { SHAPES } from "./shapes.ts";

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

/** A path, its models and what a plain request has; "*" is the body itself, "~" is any other field. */
interface Target {
  readonly path: string;
  readonly models: readonly string[];
  readonly plain: Readonly<Record<string, string>>;
  readonly fields: readonly string[];
  readonly isForm?: true;
}

const MESSAGES = '[{"role":"user","content":"Hello"}]';
const OWN_FIELDS = ["*", "~", "model", "source_policy", "provider", "metadata"];

/** Every path that takes a body. */
export const TARGETS: readonly Target[] = [
  {
    path: "/v1/chat/completions",
    models: ["echo", "plain"],
    plain: { messages: MESSAGES },
    fields: [...OWN_FIELDS, "messages", "tools", "stop", "response_format", "logit_bias"],
  },
  {
    path: "/v1/responses",
    models: ["echo", "plain"],
    plain: { input: '"Hello"' },
    fields: [...OWN_FIELDS, "input", "tools", "text", "include", "instructions"],
  },
  {
    path: "/v1/embeddings",
    models: ["vectors", "remote-vectors"],
    plain: { input: '"Hello"' },
    fields: [...OWN_FIELDS, "input"],
  },
  {
    path: "/v1/videos",
    models: ["no-film"],
    plain: { prompt: '"A red fox"' },
    fields: [...OWN_FIELDS, "prompt", "input_reference", "seconds", "size"],
  },
  {
    path: "/v1/videos",
    models: ["no-film"],
    plain: {},
    fields: ["pairs", "separators", "percents", "parts", "heads", "dashes", "one part"],
    isForm: true,
  },
];

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

/** Some body. */
export function anyBody(random: SeededRandom, bytes: number): SlowBody {
  const target = random.pick(TARGETS);
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
  const { plain } = TARGETS.find((target) => target.path === path)!;
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

function formOf({ field, bytes }: SlowBody): [type: string, body: Uint8Array<ArrayBuffer>] {
  const pairs = "application/x-www-form-urlencoded";
  const parts = "multipart/form-data; boundary=xyz";
  const times = (piece: string) => piece.repeat(Math.ceil(bytes / piece.length));
  const part = (head: string, text: string) =>
    `--xyz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  switch (field) {
    case "pairs":
      return [pairs, latin1(times("a=1&"))];
    case "separators":
      return [pairs, latin1(times("&"))];
    case "percents":
      return [pairs, latin1(`prompt=${times("%41")}`)];
    case "parts":
      return [parts, latin1(`${times(part('name="a"', "1"))}--xyz--\r\n`)];
    case "heads":
      return [
        parts,
        latin1(
          times(part(`name="a${";b=c".repeat(1_900)}"`, "1")) + "--xyz--\r\n",
        ),
      ];
    case "dashes":
      return [parts, latin1(`${part('name="prompt"', times("\r\n--xy"))}--xyz--\r\n`)];
    default:
      return [parts, latin1(`${part('name="prompt"', times("x"))}--xyz--\r\n`)];
  }
}
