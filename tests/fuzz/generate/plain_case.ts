/**
 * A request as the operation wants it, so that every run reaches each operation at least once.
 *
 * @module
 */

import type { ApiOperation } from "../api_operation.ts";
import { type FuzzCase, joined } from "../fuzz_case.ts";
import { MODELS } from "../fuzz_catalogue.ts";
import type { IdKind, KnownIds } from "../known_ids.ts";

const BODIES: Readonly<Record<string, object>> = {
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
};

/** Sound to be written down. */
const SOUND_FORM = [
  "--plain",
  'content-disposition: form-data; name="model"',
  "",
  MODELS.transcription[0],
  "--plain",
  'content-disposition: form-data; name="file"; filename="a.wav"',
  "",
  "RIFF",
  "--plain--",
  "",
].join("\r\n");

export function plainCase(
  operation: ApiOperation,
  { ids, key }: { readonly ids: KnownIds; readonly key: string },
): FuzzCase {
  const { id, method, path, isPublic } = operation;
  const target = path.replace(/\{\w+\}/, () => {
    if (path.includes("/models/")) return MODELS.chat[0];
    const kind = kindOf(path);
    const found = method === "DELETE" ? ids.take(kind) : ids.kept(kind);
    return path.startsWith("/videos/") ? `${found}.mp4` : found;
  });
  const [, fields] = Object.entries(BODIES).find(([end]) => path.endsWith(end)) ?? [];
  const isSound = /\/audio\/trans\w+$/.test(path);
  const body = method !== "POST"
    ? ""
    : isSound
    ? SOUND_FORM
    : fields === undefined
    ? ""
    : JSON.stringify(fields);
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: gateway.test",
    ...(isPublic ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === ""
      ? []
      : [`Content-Type: ${isSound ? "multipart/form-data; boundary=plain" : "application/json"}`]),
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
  if (path.endsWith("/cancel")) return "job";
  return path.includes("/videos/") ? "video" : "resp";
}
