/**
 * For every operation that changes something, what to ask of it so that it does.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Caller } from "../../src/accounts/key_directory.ts";
import { createKey } from "../../src/admin/accounts/keys.ts";
import { rotateKey } from "../../src/admin/accounts/rotate_key.ts";
import { rotateWebhookSecret } from "../../src/admin/accounts/webhook_secret.ts";
import { createToken } from "../../src/admin/accounts/tokens.ts";
import { OPERATIONS } from "../../src/admin/operations.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { WebhookMessage } from "../../src/domain/webhook.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import type { CommitQueue } from "../../src/storage/ports/commit_queue.ts";
import {
  numberedId,
  sampleMessage,
  sampleTask,
  taskCall,
} from "../conformance/storage_video_samples.ts";
import { CATALOGUE, type TestAdmin } from "./test_admin.ts";
import { failVideo, takeCreates } from "./retried_videos.ts";

/** The value of a provider's header, which may be a secret. */
export const HEADER_VALUE = "header-value-that-may-be-a-secret";

/** Chat and films; what `catalogue.apply` is given differs from it in every kind of part. */
export const SCENE = CATALOGUE.replace(
  "models:",
  `  - { id: builtin, kind: builtin }
models:
  - id: film
    kind: video
    routes:
      - { id: builtin/film, provider: builtin, upstream_model: video-2, free: true, video: { sizes: [640x360], seconds: [4] } }`,
);

const NEXT = SCENE.replace(
  'id: two, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1"',
  (part) => `${part}, api_key: "env:TWO_KEY", headers: { x-team: ${HEADER_VALUE} }`,
)
  .replace('input: "0.50"', 'input: "0.75"')
  .replace("aliases: [tiny]", "aliases: [tiny, little]")
  .replace("- { id: free, unlimited: true }", "- { id: free }\n  - { id: added }");

const PRICES = `currency: USD
rows:
  - vendor: openai
    model: gpt-5-mini
    kind: chat
    cost: { input: "0.20", output: "1.50" }
    source: contract
    date: 2026-11-22
`;

/** What to ask of an operation, which is made ready for it. */
export type MakeInput = (admin: TestAdmin) => Promise<object> | object;

/** Inputs by the operation's name. */
export const CHANGING_INPUTS: ReadonlyMap<string, MakeInput> = new Map<string, MakeInput>([
  ["catalogue.apply", () => ({ file: "next.yaml", text: NEXT })],
  ["projects.create", () => ({ id: "shop", models: ["small"], limits: { concurrent: 3 } })],
  ["projects.set", () => ({ project: "paying", limits: { concurrent: 3 } })],
  ["projects.credit", () => ({ project: "paying", amount: "2.5", reference: "invoice-1" })],
  ["projects.enable", disabledProject],
  ["projects.disable", () => ({ project: "paying" })],
  ["projects.resume", (admin) => pause(admin, "project", "paying")],
  ["projects.forget_prompts", (admin) => {
    keepPrompt(admin, "req_aaaaaaaaaaaa1");
    return { project: "paying" };
  }],
  ["projects.webhook_secret", () => ({ project: "paying" })],
  ["keys.create", () => ({ project: "paying", name: "web" })],
  ["keys.set", async (admin) => ({ key_id: await makeKey(admin), name: "phone" })],
  ["keys.enable", disabledKey],
  ["keys.disable", async (admin) => ({ key_id: await makeKey(admin) })],
  ["keys.resume", async (admin) => pause(admin, "key", await makeKey(admin))],
  ["keys.rotate", async (admin) => ({ key_id: await makeKey(admin), grace: "12h" })],
  ["keys.end_grace", async (admin) => {
    const input = { key_id: await makeKey(admin) };
    await runOperation(rotateKey, { deps: admin.deps, input });
    return input;
  }],
  ["keys.delete", async (admin) => ({ key_id: await makeKey(admin) })],
  ["tokens.create", () => ({ name: "anna", role: "member", project: "paying", expires: "30d" })],
  ["tokens.revoke", async (admin) => {
    const input = { name: "anna", role: "viewer" } as const;
    return { token_id: (await runOperation(createToken, { deps: admin.deps, input })).id };
  }],
  ["prices.update", () => ({ file: "prices.yaml", text: PRICES })],
  ["providers.add", () => ({ vendor: "openai", models: ["gpt-5-mini"] })],
  ["providers.set", () => ({ id: "two", settings: { headers: { "x-team": HEADER_VALUE } } })],
  ["providers.delete", async (admin) => {
    const settings = { kind: "openai_compatible", base_url: "http://127.0.0.1:9/v1" };
    await run(admin, "providers.set", { id: "spare", settings });
    return { id: "spare" };
  }],
  ["models.set", () => ({ id: "small", settings: { aliases: ["tiny", "little"] } })],
  ["models.delete", () => ({ id: "large" })],
  ["routes.set", () => ({ id: "one/small", settings: { cost: { input: "1.25" } } })],
  ["routes.delete", () => ({ id: "one/small" })],
  ["routes.enable", disabledRoute],
  ["routes.disable", () => ({ route: "one/small" })],
  ["routes.maintenance", () => ({ route: "one/small" })],
  ["calls.archive", oldCredit],
  ["batches.cancel", async (admin) => ({ batch_id: await makeBatch(admin) })],
  ["files.delete", async (admin) => ({ file_id: await makeFile(admin) })],
  ["videos.move", async (admin) => {
    await makeVideo(admin, { id: `video_${"b".repeat(26)}`, callId: 900 });
    const id = `video_${"c".repeat(26)}`;
    return { video_id: await makeVideo(admin, { id, callId: 901 }), to: "front" };
  }],
  ["videos.pause", () => ({ route: "builtin/film", reason: "new driver" })],
  ["videos.resume", async (admin) => {
    return await run(admin, "videos.pause", { route: "builtin/film" });
  }],
  ["videos.retry", async (admin) => {
    const { id: keyId } = await runOperation(createKey, {
      deps: admin.deps,
      input: { project: "free", name: "films" },
    });
    const video_id = await makeVideo(admin, {
      ...{ keyId, model: "film", size: "640x360", seconds: 4 },
    });
    await failVideo(admin, video_id);
    takeCreates(admin);
    return { video_id };
  }],
  ["videos.delete", async (admin) => ({ video_id: await makeVideo(admin) })],
  ["webhooks.resend", async (admin) => ({ webhook_id: (await makeWebhook(admin)).id })],
]);

/** What operations that only read are asked, by their names; the others need nothing. */
export const READING_INPUTS: ReadonlyMap<string, MakeInput> = new Map<string, MakeInput>([
  ["projects.show", () => ({ project: "paying" })],
  ["jobs.show", async (admin) => ({ job_id: await makeJob(admin, "ledger.verify") })],
  ["jobs.cancel", async (admin) => ({ job_id: await makeJob(admin, "ledger.verify") })],
  ["keys.find", () => ({ begins: "key_x" })],
  ["keys.show", async (admin) => ({ key_id: await makeKey(admin) })],
  ["providers.show", () => ({ id: "one" })],
  ["models.show", () => ({ id: "small" })],
  ["routes.show", () => ({ id: "one/small" })],
  ["providers.models", () => ({ id: "one" })],
  ["providers.test", () => ({ provider: "builtin" })],
  ["routes.explain", () => ({ model: "small" })],
  ["videos.show", async (admin) => ({ video_id: await makeVideo(admin) })],
  ["batches.show", async (admin) => ({ batch_id: await makeBatch(admin) })],
  ["files.show", async (admin) => ({ file_id: await makeFile(admin) })],
  ["calls.content", async (admin) => {
    const request_id = "req_aaaaaaaaaaaa1";
    await makeVideo(admin, { requestId: request_id });
    keepPrompt(admin, request_id, "free");
    return { request_id };
  }],
  ["calls.show", async (admin) => {
    const request_id = "req_aaaaaaaaaaaa1";
    await makeVideo(admin, { requestId: request_id });
    return { request_id };
  }],
]);

function keepPrompt({ prompts, clock }: TestAdmin, requestId: string, project = "paying"): void {
  prompts.keep({
    project: { id: project, quotas: { promptDays: 1 } },
    ...{ requestId, at: clock.now(), path: "/chat/completions", model: "small", status: 200 },
    ...{ state: "complete", request: { messages: [] }, requestBytes: 15 },
    answer: { form: "json", text: "{}", isCut: false },
  });
}

async function makeKey({ deps }: TestAdmin): Promise<string> {
  const input = { project: "paying", name: "web" };
  return (await runOperation(createKey, { deps, input })).id;
}

async function run({ deps }: TestAdmin, name: string, input: object): Promise<object> {
  const operation = OPERATIONS.find((one) => one.name === name)!;
  await runOperation(operation, { deps, input });
  return input;
}

function disabledProject(admin: TestAdmin): Promise<object> {
  return run(admin, "projects.disable", { project: "paying" });
}

function disabledRoute(admin: TestAdmin): Promise<object> {
  return run(admin, "routes.disable", { route: "one/small" });
}

async function disabledKey(admin: TestAdmin): Promise<object> {
  return await run(admin, "keys.disable", { key_id: await makeKey(admin) });
}

function pause({ deps, clock }: TestAdmin, scope: "project" | "key", id: string): object {
  const pause = { at: clock.now(), spentE8: 9n, usualE8: 1n, mostE8: 5n };
  deps.spending.put({ scope, id, pause, forgiven: {} });
  return scope === "key" ? { key_id: id } : { project: id };
}

async function oldCredit(admin: TestAdmin): Promise<object> {
  await run(admin, "projects.credit", { project: "paying", amount: "2.5" });
  admin.clock.setWall(Date.UTC(2026, 3, 10));
  return { before: "2026-03-01", file: `${admin.path}.archive` };
}

/** A file's row, whose bytes nobody asks for. */
export async function makeFile(
  { deps }: Pick<TestAdmin, "deps">,
  { projectId = "free", letter = "f" }: {
    readonly projectId?: string;
    readonly letter?: string;
  } = {},
): Promise<string> {
  const id = `file-${letter.repeat(26)}`;
  const { commits } = deps as unknown as { readonly commits: CommitQueue };
  const result = await commits.commit({
    kind: "create_upload",
    file: {
      id,
      projectId,
      purpose: "batch",
      filename: `${letter}.jsonl`,
      bytes: 12,
      sha256: "0".repeat(64),
      createdAt: deps.clock.now(),
      expiresAt: deps.clock.now() + 3_600_000,
    },
  });
  assert.ok(result.ok, JSON.stringify(result));
  return id;
}

/** A batch that nobody works on. */
export async function makeBatch(
  { batches }: Pick<TestAdmin, "batches">,
  projectId = "free",
): Promise<string> {
  const { batch } = await batches.create({
    caller: { project: { id: projectId }, key: { id: "key_batches" } } as Caller,
    endpoint: "/v1/chat/completions",
    inputFileId: `file-${"a".repeat(26)}`,
    completionWindow: "24h",
    windowMs: 86_400_000,
    metadata: undefined,
    outputSeconds: undefined,
    remember: undefined,
  });
  return batch.id;
}

/** A queued film that nobody works on. */
export async function makeVideo(
  admin: TestAdmin,
  changes: Partial<VideoTask> = {},
): Promise<string> {
  const { deps, book, files, clock } = admin;
  await files.prepare();
  const task = sampleTask({
    projectId: "free",
    route: "builtin/film",
    createdAt: clock.now(),
    ...changes,
  });
  const call = taskCall(task, {
    projectId: task.projectId,
    heldE8: 0n,
    unlimited: true,
    priceVersion: deps.catalogue.current.route("builtin/film")!.prices.version,
  });
  assert.ok(await book.create(task, { call, idempotency: undefined }));
  return task.id;
}

/** A message that was given up, of a project that has a secret. */
export async function makeWebhook(
  admin: TestAdmin,
  changes: Partial<WebhookMessage> = {},
  number = 800,
): Promise<WebhookMessage> {
  const { deps, book, clock } = admin;
  await runOperation(rotateWebhookSecret, { deps, input: { project: "free" } });
  const videoId = await makeVideo(admin, {
    id: numberedId("video_", number),
    callId: number,
    callbackUrl: "https://hooks.invalid/ended?token=kept",
  });
  const at = clock.now();
  const webhook = sampleMessage({
    ...{ projectId: "free", videoId, url: "https://hooks.invalid/ended?token=kept" },
    ...{ createdAt: at, nextAt: at, tries: 9, state: "given_up", lastError: "answered 500" },
    lastTries: [{ at, milliseconds: 12, status: 500, error: "answered 500" }],
    ...changes,
  });
  await book.change(videoId, () => ({ set: { progress: 1 }, webhook }));
  return webhook;
}

/** A job that goes on until it is cancelled. */
export async function makeJob(
  { deps: { jobs, origin } }: TestAdmin,
  operation: string,
): Promise<string> {
  const { id } = await jobs.start({
    ...{ operation, role: "viewer", input: {}, startedBy: origin.actor },
    run: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  return id;
}
