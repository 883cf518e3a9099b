/**
 * A request for each operation, to paste into a shell: what the smallest one that means something is.
 *
 * @module
 */

import type { PlacedOperation } from "./described.ts";
import type { JsonSchema } from "./schema_rows.ts";

/** Bodies of operations that have more than one good field, or whose required ones say too little. */
const BODIES: Readonly<Record<string, object>> = {
  createChatCompletion: {
    model: "echo-1",
    messages: [{ role: "user", content: "Hello!" }],
  },
  createCompletion: { model: "echo-1", prompt: "Hello!" },
  createEmbedding: { model: "hash-embed-1", input: "Hello!" },
  createImage: { model: "gpt-image-1.5", prompt: "A red fox in the snow", size: "1024x1024" },
  createModeration: { model: "omni-moderation-latest", input: "Hello!" },
  createRanking: { model: "rerank-v3.5", query: "fox", documents: ["a red fox", "a boat"] },
  createRankingV2: { model: "rerank-v3.5", query: "fox", documents: ["a red fox", "a boat"] },
  createSpeech: { model: "gpt-4o-mini-tts", input: "Hello!", voice: "alloy" },
  createMessage: {
    model: "echo-1",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello!" }],
  },
  countMessageTokens: { model: "echo-1", messages: [{ role: "user", content: "Hello!" }] },
  createResponse: { model: "echo-1", input: "Hello!" },
  countInputTokens: { model: "echo-1", input: "Hello!" },
  compactConversation: { model: "echo-1", input: "Hello!" },
  createVideo: { prompt: "A red fox in the snow", size: "640x360", seconds: "1" },
  createBatch: {
    input_file_id: "file-…",
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  },
  "projects.create": { id: "anna", budgets: { daily: "5.00" } },
  "projects.set": { budgets: { daily: "10.00" } },
  "keys.create": { project: "anna", name: "laptop" },
  "keys.set": { name: "laptop" },
  "tokens.create": { name: "anna", role: "viewer" },
  "providers.add": { vendor: "openai", models: ["gpt-5-mini"], dry_run: true },
};

/** Forms, by their fields. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createImageEdit: { model: "gpt-image-1.5", prompt: "Make it night", image: "@fox.png" },
  createTranscription: { model: "gpt-4o-transcribe", file: "@speech.mp3" },
  createTranslation: { model: "whisper-1", file: "@speech.mp3" },
  createFile: { purpose: "batch", file: "@lines.jsonl" },
};

/** What stands for fields by these names. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  amount: "50.00",
  before: "2026-11-01",
  id: "anna",
  model: "gpt-5-mini",
  project: "anna",
  route: "openai/gpt-5-mini",
};

/** The parameters that a query has to have, by name. */
export function exampleQuery({ parameters = [] }: PlacedOperation): Readonly<
  Record<string, string>
> {
  return Object.fromEntries(
    parameters.filter((one) => one.in === "query" && one.required === true)
      .map(({ name, schema }) => [name, String(BY_NAME[name] ?? valueOf(schema))]),
  );
}

/** A body in JSON; `undefined` where none is needed, or a form is sent. */
export function exampleBody({ operationId, requestBody }: PlacedOperation): object | undefined {
  if (BODIES[operationId] !== undefined) return BODIES[operationId];
  const schema = requestBody?.content["application/json"]?.schema;
  const { properties = {}, required = [] } = schema ?? {};
  if (FORMS[operationId] !== undefined || required.length === 0) return undefined;
  return Object.fromEntries(
    required.map((name) => [name, BY_NAME[name] ?? valueOf(properties[name] ?? {})]),
  );
}

/** The simplest value that a schema takes. */
function valueOf({ const: fixed, enum: choices, anyOf, type }: JsonSchema): unknown {
  if (fixed !== undefined) return fixed;
  if (choices !== undefined) return choices[0];
  if (anyOf?.[0] !== undefined) return valueOf(anyOf[0]);
  const kind = typeof type === "string" ? type : type?.[0];
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return true;
  if (kind === "array") return [];
  return kind === "object" ? {} : "…";
}

/** Who asks, as a header has it. */
export type Bearer = "sk-tg-…" | "$TOLLGATE_ADMIN_KEY";

/** The request as a command of `curl`. */
export function curlOf(
  operation: PlacedOperation,
  { baseUrl, bearer }: { readonly baseUrl: string; readonly bearer: Bearer },
): string {
  const { operationId, method, path, security } = operation;
  const body = exampleBody(operation);
  const form = FORMS[operationId];
  const query = new URLSearchParams(exampleQuery(operation)).toString();
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(name).toUpperCase());
  const url = `${baseUrl}${place}${query === "" ? "" : `?${query}`}`;
  const isBare = method === "POST" && body === undefined && form === undefined;
  const isFile = operationId.startsWith("download") || form === undefined &&
      operation.responses["200"]?.content?.["application/json"] === undefined &&
      operation.responses["200"]?.content !== undefined;
  return [
    `curl ${isBare || method === "DELETE" ? `-X ${method} ` : ""}${quoted(url)}`,
    ...(security?.length === 0 ? [] : [`-H "Authorization: Bearer ${bearer}"`]),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body)}'`]),
    ...Object.entries(form ?? {}).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
    ...(isFile ? ["-o FILE"] : []),
  ].join(" \\\n  ");
}

/** As a shell takes it in one piece. */
function quoted(text: string): string {
  return /^[\w:/.@=-]+$/.test(text) ? text : `'${text}'`;
}
