/**
 * A request for an operation, made from its schemas: one that fits, one that nearly does, or one that
 * has little to do with them.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import type { ApiOperation, Parameter, Schema } from "../api_operation.ts";
import { type FuzzCase, joined, latin1 } from "../fuzz_case.ts";
import type { KnownIds } from "../known_ids.ts";
import { MODELS } from "../fuzz_catalogue.ts";
import { fieldHints, PNG } from "./field_hints.ts";
import { noise, oddText, oddValue } from "./odd_values.ts";
import { SchemaValues } from "./schema_values.ts";

/** What requests are made of beside the schemas. */
export interface CaseParts {
  readonly random: SeededRandom;
  readonly ids: KnownIds;
  /** Keys by what their holder may do. */
  readonly keys: Readonly<Record<"paying" | "poor" | "hurried" | "disabled", string>>;
}

const MANNERS = { fitting: 50, near: 28, wild: 12, protocol: 10 } as const;
type Manner = keyof typeof MANNERS;

export function schemaCase(operation: ApiOperation, parts: CaseParts): FuzzCase {
  const manner = parts.random.weighted(MANNERS);
  const { method, target } = requestLine(operation, manner, parts);
  const headers = new Map([["Host", "gateway.test"]]);
  const authorization = authorizationOf(operation, parts);
  if (authorization !== undefined) {
    addKey(headers, operation, { authorization, random: parts.random });
  }
  addParameters(headers, operation, { manner, parts });
  const body = bodyOf(operation, { manner, parts, headers });
  if (body !== undefined || operation.method === "POST") {
    headers.set("Content-Length", String(body?.length ?? 0));
  }
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = latin1(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`);
  return {
    name: `${operation.id} ${manner}`,
    bytes: body === undefined ? head : joined(head, body),
    operation,
    isWhole: true,
  };
}

function requestLine(operation: ApiOperation, manner: Manner, { random, ids }: CaseParts) {
  const isOdd = manner === "wild" && random.chance(0.4);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    if (isOdd) return encodeURIComponent(oddText(random).toWellFormed().slice(0, 300));
    return pathValue(operation, name, { random, ids });
  });
  const query = operation.parameters.filter((one) => one.in === "query" && random.chance(0.5))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(queryValue(name, schema))}`);
  function queryValue(name: string, schema: Schema): string {
    if (manner === "wild") return oddText(random).toWellFormed();
    if (name === "after" && random.chance(0.8)) return ids.pick("video", random);
    const values = new SchemaValues(random, () => undefined);
    return String(manner === "near" ? values.broken(schema) : values.fitting(schema))
      .toWellFormed();
  }
  if (manner === "protocol" && random.chance(0.1)) {
    query.push(random.pick(["", "&&=", "%zz", "a=%ff"]));
  }
  const method = manner === "protocol" && random.chance(0.4)
    ? random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
    : operation.method;
  return { method, target: query.length > 0 ? `${path}?${query.join("&")}` : path };
}

function pathValue(
  { path, method }: ApiOperation,
  name: string,
  { random, ids }: Pick<CaseParts, "random" | "ids">,
): string {
  if (random.chance(0.08)) {
    return random.pick(["0", "a".repeat(300), "%00", "..", "%2e%2e", "x%2Fy"]);
  }
  if (name === "request_id") return ids.pick("req", random);
  if (name === "file") return `${ids.pick("video", random)}.mp4`;
  if (path.includes("/models/")) return random.pick([...MODELS.chat, ...MODELS.video, "hidden"]);
  if (path.endsWith("/cancel") && !path.includes("/batches/") && random.chance(0.6)) {
    return ids.pick("job", random);
  }
  if (path.includes("/batches/")) return ids.pick("batch", random);
  const kind = (["video", "file"] as const).find((one) => path.includes(`/${one}s/`)) ?? "resp";
  return ids.pick(kind, random, { toDelete: method === "DELETE" });
}

function authorizationOf(operation: ApiOperation, { random, keys }: CaseParts): string | undefined {
  if (operation.isPublic) return undefined;
  const key = random.weighted({ paying: 88, poor: 3, hurried: 4, disabled: 1, none: 1, odd: 3 });
  if (key === "none") return undefined;
  if (key === "odd") {
    return random.pick([
      "Basic YTpi",
      "Bearer",
      "Bearer sk-tg-",
      `Bearer ${"k".repeat(400)}`,
      "é\xff",
    ]);
  }
  return `Bearer ${keys[key]}`;
}

/** As clients of OpenAI or, at paths that Anthropic's clients use too, as those give it. */
function addKey(
  headers: Map<string, string>,
  { path }: ApiOperation,
  { authorization, random }: { readonly authorization: string; readonly random: SeededRandom },
): void {
  const isAnthropic = path.includes("/messages") || path.includes("/models");
  if (!isAnthropic || random.chance(0.4)) headers.set("Authorization", authorization);
  if (!isAnthropic || random.chance(0.3)) return;
  headers.set("x-api-key", authorization.replace("Bearer ", ""));
  headers.set(
    "anthropic-version",
    random.pick(["2023-06-01", "2023-06-01", "2023-01-01", "9", ""]),
  );
  if (random.chance(0.3)) {
    headers.set("anthropic-beta", random.pick(["a-2025-01-01,b", ",", "\xff"]));
  }
}

function addParameters(
  headers: Map<string, string>,
  operation: ApiOperation,
  { manner, parts: { random } }: { readonly manner: Manner; readonly parts: CaseParts },
): void {
  for (const parameter of operation.parameters) {
    if (parameter.in !== "header" || !random.chance(0.35)) continue;
    const value = manner === "fitting" ? likelyHeader(parameter, random) : oddText(random);
    // What would be another line, or no HTTP at all, is for mutations.
    headers.set(parameter.name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").trim());
  }
}

function likelyHeader({ name }: Parameter, random: SeededRandom): string {
  switch (name.toLowerCase()) {
    case "range":
      return random.pick([
        "bytes=0-99",
        "bytes=-5",
        "bytes=5-",
        "bytes=9999999999-",
        "bytes=0-1,3-4",
      ]);
    case "idempotency-key":
      return `key-${random.integer(0, 400)}`;
    default:
      return random.pick(["*", '"abc"', 'W/"abc"', "Wed, 21 Oct 2015 07:28:00 GMT"]);
  }
}

function bodyOf(
  operation: ApiOperation,
  { manner, parts, headers }: {
    readonly manner: Manner;
    readonly parts: CaseParts;
    readonly headers: Map<string, string>;
  },
): Uint8Array | undefined {
  const { random } = parts;
  if (operation.bodies.length === 0) return undefined;
  const [type, schema] = random.pick(operation.bodies);
  const values = new SchemaValues(random, fieldHints(operation.path, parts.ids));
  const value = manner === "near"
    ? values.broken(schema)
    : manner === "wild"
    ? oddValue(random)
    : values.fitting(schema);
  if (type === "multipart/form-data") return form(value, { random, headers });
  headers.set("Content-Type", type);
  if (manner === "protocol") {
    headers.set(
      "Content-Type",
      random.pick([type, "text/plain", "multipart/form-data", "a/b;c", ""]),
    );
    if (random.chance(0.3)) {
      headers.set("Content-Encoding", random.pick(["gzip", "br", "identity"]));
    }
    if (random.chance(0.2)) headers.set("Expect", "100-continue");
  }
  return new TextEncoder().encode(JSON.stringify(value));
}

function form(
  value: unknown,
  { random, headers }: { readonly random: SeededRandom; readonly headers: Map<string, string> },
): Uint8Array {
  const boundary = `b${random.integer(1e8, 9e8)}`;
  headers.set("Content-Type", `multipart/form-data; boundary=${boundary}`);
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const parts = fields.flatMap(([name, one]) => {
    if (one === null) return [];
    const about = `--${boundary}\r\ncontent-disposition: form-data; name="${
      name.replaceAll(/["\r\n]/g, "_")
    }"`;
    const isFile = (name === "input_reference" && random.chance(0.6)) ||
      (["file", "image", "mask"].includes(name) && random.chance(0.95));
    if (name === "expires_after") {
      const { seconds } = one as { readonly seconds?: unknown };
      const part = (field: string, text: string) =>
        `${about.slice(0, -1)}[${field}]"\r\n\r\n${text}\r\n`;
      return [part("anchor", "created_at"), part("seconds", JSON.stringify(seconds) ?? "")];
    }
    if (isFile) {
      const bytes = random.chance(0.7)
        ? PNG
        : latin1(noise(random, 40).replaceAll(/[^\0-\xff]/g, "?"));
      return [`${about}; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`, bytes, "\r\n"];
    }
    return [`${about}\r\n\r\n${typeof one === "string" ? one : JSON.stringify(one)}\r\n`];
  });
  return joined(...parts, `--${boundary}--\r\n`);
}
