/**
 * Starts the program as an operator does and calls it as a first caller does, so that the engine has
 * compiled by then what a start needs.
 *
 * @module
 */

import { isThere } from "../../src/cli/base/is_there.ts";
import { runCommand } from "../run_command.ts";

const GIVE_UP_MS = 60_000;
const MODEL = "first";
const UPSTREAM_ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "first",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "Hello!" },
    finish_reason: "stop",
  }],
  usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
};
const UPSTREAM_CHUNK = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "first",
  choices: [{ index: 0, delta: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
};

/**
 * Has an executable that keeps what is compiled (`start_keeping.ts`) write it into `folder`.
 *
 * @param scripts Those of which something is to be kept.
 * @throws {Error} with the program's words when it does not start, answer or keep.
 */
export async function firstCalls(
  executable: string,
  { folder, scripts }: { readonly folder: string; readonly scripts: readonly string[] },
): Promise<void> {
  const dataDir = `${folder}/data`;
  const key = await serving(executable, { dataDir, folder }, ({ printed }) => {
    const [found] = /sk-tg-[\w-]+/.exec(printed()) ?? [];
    if (found === undefined) throw new Error(`There is no key in ${printed()}`);
    return Promise.resolve(found);
  });
  await using upstream = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    answerAsUpstream,
  );
  await Deno.writeTextFile(`${folder}/catalogue.json`, catalogueOf(upstream.addr.port));
  const applied = await runCommand(
    [executable, "apply", `${folder}/catalogue.json`, "--data-dir", dataDir],
    { clearEnv: true, env: environment(folder) },
  );
  if (!applied.success) throw new Error(`Cannot apply a catalogue: ${applied.stderr}`);
  await serving(executable, { dataDir, folder }, async ({ baseUrl }) => {
    for (const stream of [false, true]) await call(baseUrl, { key, stream });
    await Deno.writeTextFile(`${folder}/now`, "");
    for (const name of scripts) await until(() => isThere(`${folder}/${name}.cache`));
  });
}

interface Served {
  readonly baseUrl: string;
  printed(): string;
}

/** Serves until `use` is done. */
async function serving<Value>(
  executable: string,
  { dataDir, folder }: { readonly dataDir: string; readonly folder: string },
  use: (served: Served) => Promise<Value>,
): Promise<Value> {
  const child = new Deno.Command(executable, {
    args: ["serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0"],
    clearEnv: true,
    env: environment(folder),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let printed = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) printed += text;
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  try {
    await until(() => /^Data dir .+\n/m.test(printed), () => printed);
    const [, baseUrl] = /^Base URL +(\S+)$/m.exec(printed) ?? [];
    if (baseUrl === undefined) throw new Error(`There is no base URL in ${printed}`);
    return await use({ baseUrl, printed: () => printed });
  } finally {
    child.kill("SIGTERM");
    await Promise.all([child.status, reading]);
  }
}

function environment(folder: string): Record<string, string> {
  return { HOME: folder, TOLLGATE_START_CACHES: folder };
}

async function call(
  baseUrl: string,
  { key, stream }: { readonly key: string; readonly stream: boolean },
): Promise<void> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Hi" }], stream }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`A first call was answered with ${answer}`);
}

async function answerAsUpstream(request: Request): Promise<Response> {
  const { stream } = await request.json();
  if (stream !== true) return Response.json(UPSTREAM_ANSWER);
  const events = [UPSTREAM_CHUNK, { ...UPSTREAM_CHUNK, choices: [], usage: UPSTREAM_ANSWER.usage }];
  const text = [...events.map((event) => JSON.stringify(event)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

function catalogueOf(port: number): string {
  return JSON.stringify({
    providers: [{
      id: "upstream",
      kind: "openai_compatible",
      base_url: `http://127.0.0.1:${port}/v1`,
      auth: "none",
    }],
    models: [{
      id: MODEL,
      kind: "chat",
      routes: [{
        id: "upstream/first",
        provider: "upstream",
        upstream_model: MODEL,
        sale: { input: "1", output: "2" },
      }],
    }],
    projects: [{ id: "default", unlimited: true }],
  });
}

async function until(
  isSo: () => boolean,
  words: () => string = () => "it has not kept what was compiled",
): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error(`The program does not come to serve: ${words()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
