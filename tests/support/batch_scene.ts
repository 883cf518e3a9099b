/**
 * A gateway over a fake upstream, with a paying project that makes batches.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { BatchView } from "../../src/http/schemas/batch_view.ts";
import { answerBody } from "./chat_bodies.ts";
import { jsonReply, type Script, startFakeUpstream } from "./fake_upstream.ts";
import { startTestGateway, type TestGatewayOptions } from "./gateway.ts";
import { until } from "./until.ts";

/** How to start. */
export interface BatchSceneOptions extends Omit<TestGatewayOptions, "catalogue"> {
  readonly script?: Script;
  /** What the project has; each line is charged 0.00002. */
  readonly credit?: string;
  /** Further settings of the project, as the catalogue file has them. */
  readonly project?: string;
  /** Further models, as the catalogue file has them: its provider is `a`. */
  readonly models?: string;
}

/** The request of a line. */
export function chatLine(customId: string, content = "Hello", more: object = {}): string {
  return JSON.stringify({
    custom_id: customId,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "m", max_tokens: 8, messages: [{ role: "user", content }], ...more },
  });
}

/** A line of a file of answers. */
export interface ResultLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    // deno-lint-ignore no-explicit-any
    readonly body: any;
  } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Starts both. */
export async function startBatchScene(
  { script = jsonReply(answerBody("Hi")), credit = "10", project = "", models = "", ...options }:
    BatchSceneOptions = {},
) {
  await using begun = new AsyncDisposableStack();
  const upstream = begun.use(await startFakeUpstream(script));
  const gateway = begun.use(
    await startTestGateway({
      ...options,
      catalogue: `
providers:
  - { id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: a/m, provider: a, sale: { input: "1", output: "2" } }]
  - id: e
    kind: embedding
    routes: [{ id: a/e, provider: a, sale: { input: "1" } }]
${models}
projects:
  - { id: paying, unlimited: false${project} }
  - { id: other, unlimited: true }
`,
    }),
  );
  if (credit !== "0") await gateway.credit("paying", credit);
  const key = await gateway.key("paying");
  const ask = (path: string, init: RequestInit = {}, asKey = key) =>
    fetch(`${gateway.url}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${asKey}`, ...init.headers },
    });
  const upload = async (lines: readonly BlobPart[], asKey = key): Promise<string> => {
    const body = new FormData();
    body.set("purpose", "batch");
    body.set("file", new File(lines.flatMap((line) => [line, "\n"]), "lines.jsonl"));
    const response = await ask("/files", { method: "POST", body }, asKey);
    const file = await response.json();
    assert.equal(response.status, 200, JSON.stringify(file));
    return file.id;
  };
  const post = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    ask("/batches", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
        ...body,
      }),
    });
  const show = async (id: string): Promise<BatchView> => await (await ask(`/batches/${id}`)).json();
  const create = async (lines: readonly BlobPart[], more: object = {}): Promise<BatchView> => {
    const response = await post({ input_file_id: await upload(lines), ...more });
    const batch = await response.json();
    assert.equal(response.status, 200, JSON.stringify(batch));
    return batch;
  };
  const ended = (id: string) =>
    until(`batch ${id} to end`, async () => {
      const batch = await show(id);
      const isOpen = ["validating", "in_progress", "finalizing", "cancelling"];
      return isOpen.includes(batch.status) ? undefined : batch;
    });
  const lines = async (fileId: string | null): Promise<ResultLine[]> => {
    if (fileId === null) return [];
    const text = await (await ask(`/files/${fileId}/content`)).text();
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  };
  const stack = begun.move();
  return {
    ...{ upstream, gateway, key, ask, upload, post, show, create, ended, lines },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
