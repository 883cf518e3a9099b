/**
 * The world in which a document's snippets are run as they stand: a served gateway, vendors that are
 * one fake upstream, a folder with the files that snippets name, and the commands that they call.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "./chat_bodies.ts";
import { commandOf } from "./executable.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
  textReply,
} from "./fake_upstream.ts";
import { writeExecutable } from "./executable_files.ts";
import { judgement } from "./moderation_answers.ts";
import { onDemand } from "../../src/domain/on_demand.ts";
import { pollUntil } from "../e2e/videos/poll_until.ts";
import { runTool, type ToolRun } from "./outside_tool.ts";
import { foldersOf, python } from "./python_client.ts";
import { type ServedGateway, serveGateway } from "./served_gateway.ts";
import type { Snippet } from "./snippets.ts";

/** A document's world. `await using` ends it. */
export interface SnippetWorld extends AsyncDisposable {
  readonly gateway: ServedGateway;
  /** Runs a shell's command. */
  shell(text: string): Promise<ToolRun>;
  /** Runs a program of JavaScript; what a fragment leaves out is put before it. */
  script(text: string): Promise<ToolRun>;
  python(text: string): Promise<ToolRun>;
  /** Applies a catalogue whose vendors are the fake one. */
  apply(text: string): Promise<void>;
}

/** What snippets name, by what tests have of it. */
const PACKAGES: Readonly<Record<string, string>> = {
  "openai": "openai7",
  "@anthropic-ai/sdk": "anthropic1",
};
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const SECRETS = [
  ...["OPENAI", "ANTHROPIC", "MISTRAL", "COHERE", "OPENROUTER", "GEMINI", "GROQ", "DEEPSEEK"],
  ...["XAI", "TOGETHER", "FIREWORKS", "AZURE_OPENAI", "CEREBRAS"],
].map((name) => `${name}_API_KEY`).concat(
  ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "LOCALAI_KEY"],
  ["AZURE_CLIENT_ID", "AZURE_SECRET"],
);

const VENDOR_SECRET = "secret-of-a-vendor";

/** What a vendor answers, by the end of its path. */
function vendor({ target, method }: RecordedRequest): Reply {
  const usage = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };
  if (method === "GET") {
    return jsonReply({ object: "list", data: [{ id: "qwen3:8b", object: "model" }] });
  }
  if (target.includes("/images/")) {
    return jsonReply({ created: 1_790_000_000, data: [{ b64_json: PNG }], usage });
  }
  if (target.includes("/speech")) return textReply("audio/mpeg", "ID3 a sound");
  if (target.includes("/transcriptions")) return jsonReply({ text: "Hello", duration: 2 });
  if (target.includes("/moderations")) {
    return jsonReply(judgement(1));
  }
  if (target.includes("/rerank")) {
    return jsonReply({
      id: "r-1",
      results: [{ index: 1, relevance_score: 0.9 }],
      meta: { billed_units: { search_units: 1 } },
    });
  }
  if (target.includes("/completions") && !target.includes("/chat/")) {
    return jsonReply({
      id: "cmpl-1",
      object: "text_completion",
      choices: [{ index: 0, text: "a + b", finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    });
  }
  return jsonReply(answerBody("Hello"));
}

/** Files of a reader, by name. */
const FILES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "fox.png": Uint8Array.fromBase64(PNG),
  "speech.mp3": "ID3 a sound",
  "config.yaml":
    "model_list:\n  - model_name: gpt-5-mini\n    litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/OPENAI_API_KEY }\n",
  "channels.json": JSON.stringify([
    { id: 1, type: 1, name: "openai", key: "", models: "gpt-5-mini", group: "default", status: 1 },
  ]),
  "my-prices.yaml":
    `currency: USD\nrows:\n  - { vendor: openai, model: gpt-own, kind: chat, cost: { input: "1", output: "2" }, supports: {}, source: me, date: "2026-11-01" }\n`,
};

/** Opens it: with the projects that documents speak of. */
export async function openSnippetWorld(): Promise<SnippetWorld> {
  const upstream = await startFakeUpstream(vendor);
  const folder = await Deno.makeTempDir({ prefix: "tollgate-snippets-" });
  await Deno.mkdir(`${folder}/credentials`);
  await Deno.writeTextFile(`${folder}/credentials/openai`, VENDOR_SECRET, { mode: 0o600 });
  const gateway = await serveGateway({
    env: {
      ...Object.fromEntries(SECRETS.map((name) => [name, VENDOR_SECRET])),
      CREDENTIALS_DIRECTORY: `${folder}/credentials`,
    },
  });
  for (const [name, content] of Object.entries(FILES)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${folder}/${name}`, bytes);
  }
  await Deno.mkdir(`${folder}/bin`);
  const quoted = commandOf([]).map((word) => `'${word}'`).join(" ");
  await writeProgram(
    `${folder}/bin/tollgate`,
    // Whoever is asked on a terminal says yes.
    `case "$*" in "providers add "*|"prices update "*) set -- "$@" --yes;; esac\nexec ${quoted} "$@"`,
  );
  await writeProgram(
    `${folder}/bin/curl`,
    `PATH=${Deno.env.get("PATH")} exec curl --silent --show-error --fail-with-body "$@"`,
  );
  const env = {
    PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
    HOME: folder,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    TOLLGATE_DATA_DIR: gateway.server.dataDir,
    NO_COLOR: "1",
  };
  const things = await thingsOf(gateway);
  const fill = async (text: string) => {
    let whole = filled(text, { gateway, upstream }).replaceAll("/mnt/archives", folder);
    for (const [name, make] of things) {
      if (whole.includes(name)) whole = whole.replaceAll(name, await make());
    }
    return whole;
  };
  return {
    gateway,
    async shell(text) {
      return await runTool("bash", ["-euo", "pipefail", "-c", await fill(text)], {
        cwd: folder,
        env,
      });
    },
    async script(text) {
      const file = `${folder}/program.mjs`;
      await Deno.writeTextFile(file, await fill(program(text)));
      const config = `--config=${Deno.cwd()}/tests/deno.json`;
      return await runTool(Deno.execPath(), ["run", "--quiet", config, "-A", file], {
        cwd: folder,
        env,
      });
    },
    async python(text) {
      const name = text.includes("import anthropic") ? "_ANTHROPIC" : "";
      const { success, stdout, stderr } = await python(
        ["-c", await fill(text)],
        foldersOf(`TOLLGATE_TEST${name}_PYTHONPATH`)[0],
      );
      return { code: success ? 0 : 1, stdout, stderr };
    },
    async apply(text) {
      const ofFake = text.replaceAll(
        /base_url: *"?https?:[^\s",}]+"?/g,
        `base_url: "${upstream.url}"`,
      );
      await gateway.admin("POST", "/catalogue/apply", { text: ofFake });
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** What documents name by ids of their own, each made when it is first named. */
async function thingsOf(
  gateway: ServedGateway,
): Promise<ReadonlyMap<string, () => Promise<string>>> {
  const { server: { key }, url } = gateway;
  await gateway.admin("POST", "/projects", { id: "shop", unlimited: true });
  const post = async (path: string, body: object | FormData) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(!isForm && { "content-type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const told = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(told));
    return String(told.id);
  };
  const film = onDemand(async () => {
    const id = await post("/v1/videos", { prompt: "A fox", size: "640x360", seconds: "1" });
    await pollUntil({
      what: `the film ${id}`,
      read: () => gateway.get(`/v1/videos/${id}`, key),
      isThere: ({ status }) => status === "completed" || status === "failed",
    });
    return id;
  });
  const file = onDemand(async () => {
    const body = { model: "echo-1", messages: [{ role: "user", content: "Hello" }] };
    const line = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body };
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", new File([JSON.stringify(line)], "lines.jsonl"));
    return await post("/v1/files", form);
  });
  const inShell = (command: string) => () => Promise.resolve(`$(${command})`);
  return new Map([
    [
      "key_x3yk2qvu7w5a",
      async () => (await gateway.admin("POST", "/keys", { project: "shop" })).id,
    ],
    [
      "tok_x3yk2qvu7w5a",
      async () => (await gateway.admin("POST", "/tokens", { name: "ben", role: "viewer" })).id,
    ],
    ["req_f3k2…", async () => {
      await gateway.admin("POST", "/projects/shop", { quotas: { prompt_days: 1 } });
      const messages = [{ role: "user", content: "Hello" }];
      const shopKey = await gateway.key("shop");
      const answer = await gateway.chat(shopKey, { model: "echo-1", messages });
      await answer.body?.cancel();
      const id = answer.headers.get("x-request-id")!;
      await pollUntil({
        what: `what ${id} said`,
        read: () => gateway.admin("GET", `/calls/${id}/content`).then(() => true, () => false),
        isThere: (isKept) => isKept,
      });
      return id;
    }],
    ["video_…", film],
    ["file-…", file],
    ["batch_…", async () => {
      const input = { input_file_id: await file(), endpoint: "/v1/chat/completions" };
      return await post("/v1/batches", { ...input, completion_window: "24h" });
    }],
    ["04f26df789887859", inShell("tollgate routes show openai/gpt-5-mini --json | jq -r .version")],
    [
      "tollgate_data/backups/tollgate-20261121-145306.db",
      inShell(`ls "$TOLLGATE_DATA_DIR"/backups/*.db`),
    ],
  ]);
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeExecutable(path, `#!/bin/sh\n${text}\n`);
}

/** Addresses, keys and ids are those of the world. */
function filled(
  text: string,
  { gateway: { url, server: { key } }, upstream }: {
    readonly gateway: ServedGateway;
    readonly upstream: FakeUpstream;
  },
): string {
  return text.replaceAll("http://127.0.0.1:8080", url)
    .replaceAll("sk-tg-…", key)
    .replaceAll("dist/tollgate", "tollgate")
    .replaceAll(/http:\/\/10\.0\.0\.\d+:\d+\/v1/g, upstream.url)
    .replaceAll(/--base-url https:\/\/api\.\S+/g, `--base-url ${upstream.url}`)
    .replaceAll(
      /(providers add (?:ollama|vllm|lmstudio)\b)(?!.*--base-url)/g,
      `$1 --base-url ${upstream.url}`,
    );
}

/** The whole program of a fragment, with the names that tests have of packages. */
function program(text: string): string {
  const named = text.replaceAll(/from "([^"]+)"/g, (_, name) => `from "${PACKAGES[name] ?? name}"`);
  const isMissing = (name: string) =>
    new RegExp(`\\b${name}\\b`).test(text) && !new RegExp(`import ${name} `).test(text);
  return [
    // Node's own names are global there, and Deno has them as a module.
    ...(text.includes("import process") ? [] : [`import process from "node:process";`]),
    ...(isMissing("fs") ? [`import fs from "node:fs";`] : []),
    ...(text.includes("import OpenAI") || text.includes("import Anthropic")
      ? []
      : [`import OpenAI from "openai7";`]),
    ...(/const client =|import /.test(text) ? [] : [
      `const client = new OpenAI({ baseURL: "http://127.0.0.1:8080/v1", apiKey: "sk-tg-…" });`,
    ]),
    named,
  ].join("\n");
}

/** The commands of a shell's snippet, in their order. */
export function commandsIn({ text }: Snippet): readonly string[] {
  return text.trimEnd().split(/\n(?=[a-z./])/);
}

/** Fails unless it went well, and said nothing that is a secret. */
export function assertWentWell({ code, stdout, stderr }: ToolRun, world: SnippetWorld): void {
  assert.equal(code, 0, `${stderr}${stdout}`);
  assert.ok(!stdout.includes(world.gateway.server.key), "the key is not printed");
  assert.ok(!(stdout + stderr).includes(VENDOR_SECRET));
}
