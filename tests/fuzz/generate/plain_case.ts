/**
 * A request as the operation wants it, so that every run reaches each operation at least once.
 *
 * @module
 */

import type { ApiOperation } from "../api_operation.ts";
import { type FuzzCase, joined } from "../fuzz_case.ts";
import { MODELS } from "../fuzz_catalogue.ts";
import type { IdKind, KnownIds } from "../known_ids.ts";

/** By the end of a path. */
const bodies = (ids: KnownIds): Readonly<Record<string, object>> => ({
  "/chat/completions": {
    model: MODELS.chat[0],
    messages: [{ role: "user", content: "Hello there" }],
  },
  "v1/completions": { model: MODELS.completion[0], prompt: "Hello there", max_tokens: 5 },
  "/embeddings": { model: MODELS.embedding[0], input: "Hello there" },
  "/images/generations": { model: MODELS.image[0], prompt: "A red fox", n: 2 },
  "/audio/speech": { model: MODELS.speech[0], input: "Hello there", voice: "alloy" },
  "/images/edits": {
    model: MODELS.image[0],
    prompt: "A hat",
    images: [{ image_url: "data:image/png;base64,AAAA" }],
  },
  "/moderations": { model: MODELS.moderation[0], input: "Hello there" },
  "/rerank": { model: MODELS.rerank[0], query: "Hello", documents: ["there", "Hello"] },
  "/messages": {
    model: MODELS.chat[0],
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello there" }],
  },
  "/messages/count_tokens": {
    model: MODELS.chat[0],
    messages: [{ role: "user", content: "Hello there" }],
  },
  "/responses": { model: MODELS.chat[0], input: "Hello there" },
  "/responses/input_tokens": { model: MODELS.chat[0], input: "Hello there" },
  "/responses/compact": { model: MODELS.chat[0], input: "Hello there" },
  "/videos": { model: MODELS.video[0], prompt: "A red fox" },
  "/batches": {
    input_file_id: ids.kept("file"),
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  },
});

/** Forms by what a path has in it: sound to be written down, and a file of a batch's lines. */
const FORMS: readonly (readonly [path: RegExp, form: string])[] = [
  [/\/audio\/trans\w+$/, formOf("model", MODELS.transcription[0]!, "a.wav", "RIFF")],
  [/\/files$/, formOf("purpose", "batch", "lines.jsonl", "{}\n")],
];

function formOf(field: string, value: string, filename: string, content: string): string {
  return [
    "--plain",
    `content-disposition: form-data; name="${field}"`,
    "",
    value,
    "--plain",
    `content-disposition: form-data; name="file"; filename="${filename}"`,
    "",
    content,
    "--plain--",
    "",
  ].join("\r\n");
}

export function plainCase(
  operation: ApiOperation,
  { ids, key }: { readonly ids: KnownIds; readonly key: string },
): FuzzCase {
  const { id, method, path, isPublic } = operation;
  const target = path.replace(/\{\w+\}/, () => {
    if (path.includes("/models/")) return MODELS.chat[0];
    const kind = kindOf(path);
    // A batch is cancelled once; an answer made in the background as often as one likes.
    const isSpent = method === "DELETE" || (kind === "batch" && path.endsWith("/cancel"));
    const found = isSpent ? ids.take(kind) : ids.kept(kind);
    return path.startsWith("/videos/") ? `${found}.mp4` : found;
  });
  const [, form] = FORMS.find(([paths]) => paths.test(path)) ?? [];
  const [, fields] = Object.entries(bodies(ids)).find(([end]) => path.endsWith(end)) ?? [];
  const body = method !== "POST"
    ? ""
    : form ?? (fields === undefined ? "" : JSON.stringify(fields));
  const type = form === undefined ? "application/json" : "multipart/form-data; boundary=plain";
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: gateway.test",
    ...(isPublic ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === "" ? [] : [`Content-Type: ${type}`]),
    ...(method === "POST" ? [`Content-Length: ${body.length}`] : []),
  ];
  return {
    name: `${id} plain`,
    bytes: joined(`${head.join("\r\n")}\r\n\r\n${body}`),
    operation,
    isWhole: true,
  };
}

function kindOf(path: string): IdKind {
  if (path.includes("/calls/")) return "req";
  if (path.includes("/files/")) return "file";
  if (path.includes("/batches/")) return "batch";
  if (path.endsWith("/cancel")) return "job";
  return path.includes("/videos/") ? "video" : "resp";
}
