/**
 * Canaries in everything that is secret, then a search of every byte that was
 * written: keys are nowhere, and prompts only where somebody asked to keep them.
 *
 * @module
 */

import { until } from "../../until.ts";
import { type RecordedRequest, type Reply, textReply } from "../../fake_upstream.ts";
import { Cases } from "../cases.ts";
import type { SecurityWorld } from "../security_world.ts";
import { ModeWatch, type Needle, needlesIn, readWritten } from "../written_bytes.ts";

/** Starts the program under a mask that leaves everything open to everybody. */
export const PERMISSIVE = ["bash", "-c", 'umask 000; exec "$0" "$@"'];

/** Where what somebody asked to keep may be: the database, its log and its backups. */
const KEPT = /^\/(?:cwd|data)?.*\.db(?:-wal)?$/;
const NO_ANSWER = [400, 401, 402, 403, 404, 405, 413, 415, 422];

/** The script of the world's upstream: `tell-key STATUS` in a prompt makes it repeat the key it got. */
export function keyAsAsked({ body, headers }: RecordedRequest): Reply | undefined {
  const status = /tell-key (\d+)/.exec(body)?.[1];
  if (status === undefined) return undefined;
  const message = `Incorrect key provided: ${headers.get("authorization")}. Prompt was ${body}`;
  return Number(status) === 500
    ? textReply("text/html", `<h1>${message}</h1>`, { status: 500 })
    : textReply("application/json", JSON.stringify({ error: { message, param: message } }), {
      status: Number(status),
      headers: { "x-debug-key": headers.get("authorization") ?? "" },
    });
}

/** `folder` is everything the program may write to. */
export async function trySecrets(
  world: SecurityWorld,
  { folder }: { readonly folder: string },
): Promise<Cases> {
  const cases = new Cases();
  const canary = (what: string) => `canary-${what}-${crypto.randomUUID()}`;
  const hidden = {
    "a chat's prompt": canary("chat"),
    "a stream's prompt": canary("stream"),
    "a repeatable chat's prompt": canary("repeatable"),
    "an input to embed": canary("embedding"),
    "an answer that was not to be kept": canary("unkept"),
    "what was refused": canary("refused"),
    "a header": canary("header"),
    "a query": canary("query"),
    "a wrong key": `sk-tg-${crypto.randomUUID().replaceAll("-", "")}wrongcanary`,
    "a wrong admin key": canary("wrong-admin"),
    "a secret written into a catalogue": `sk-${canary("literal")}`,
  };
  const kept = {
    "a film's prompt": canary("film"),
    "a kept answer's input": canary("kept"),
    "a callback's token": canary("callback"),
    "a repeated key": canary("repeated"),
    "a model's name that nobody has": canary("model"),
  };
  await using modes = new ModeWatch(world.gateway.server.dataDir);
  await askEverything(world, { ...hidden, ...kept });
  await administer(world, hidden);

  const needles: readonly Needle[] = [
    ...entries({ ...world.secrets, ...hidden }),
    ...entries(kept).map((needle) => ({ ...needle, allowed: KEPT })),
  ].map((needle) => /webhook secret/.test(needle.name) ? { ...needle, allowed: KEPT } : needle);
  await search(world, { cases, folder, needles });
  await world.gateway.server.kill();
  await search(world, { cases, folder, needles });
  const files = await readWritten(folder);
  for (const [name, text] of Object.entries(kept)) {
    const found = needlesIn(files, [{ name, text }]);
    cases.that(found.length > 0, () => `The search does not even find ${name} where it is`);
  }
  for (const name of ["/tollgate.db-wal", "/tollgate.db-shm", "/control.sock"]) {
    cases.that(modes.seen.has(name), () => `${name} was never seen: ${[...modes.seen]}`);
  }
  cases.that([...modes.seen].some((name) => name.startsWith("/backups/")), () => "No backup");
  cases.add(modes.open);
  cases.add(world.faults);
  return cases;
}

type Texts = Readonly<Record<string, string>>;

function entries(texts: Texts): readonly Needle[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text }));
}

/** Every kind of request, with its canary. */
async function askEverything(world: SecurityWorld, texts: Texts): Promise<void> {
  const chat = (content: string, fields: object = {}) => ({
    model: "plain",
    messages: [{ role: "user", content }],
    user: content,
    metadata: { content },
    ...fields,
  });
  const ask = (target: string, body: unknown, more: object = {}) =>
    world.ask({ method: "POST", target, key: world.keys.mine, body, ...more });
  await ask("/v1/chat/completions", chat(texts["a chat's prompt"]!));
  await ask("/v1/chat/completions", chat(texts["a stream's prompt"]!, { stream: true }));
  const repeatable = chat(texts["a repeatable chat's prompt"]!);
  const headers = { "idempotency-key": texts["a repeated key"]! };
  for (let time = 0; time < 2; time++) await ask("/v1/chat/completions", repeatable, { headers });
  const input = texts["an input to embed"]!;
  for (const model of ["vectors", "remote-vectors"]) await ask("/v1/embeddings", { model, input });
  const unkept = texts["an answer that was not to be kept"]!;
  for (const model of ["plain", "native"]) {
    await ask("/v1/responses", { model, input: unkept, instructions: unkept, store: false });
  }
  await ask("/v1/responses", { model: "echo", input: texts["a kept answer's input"]! });
  await world.film({
    prompt: texts["a film's prompt"]!,
    callback_url: `https://hooks.invalid/${texts["a callback's token"]}?x=y`,
  });
  const refused = texts["what was refused"]!;
  const bad: readonly unknown[] = [
    chat(refused, { model: texts["a model's name that nobody has"] }),
    chat(refused, { provider: refused }),
    chat(refused, { route: refused }),
    chat(refused, { max_tokens: refused }),
    chat(refused, { source_policy: { [refused]: refused } }),
    chat(refused, { messages: refused }),
    `{"model":"plain","messages":[{"role":"user","content":"${refused}"`,
    `${refused}`,
  ];
  for (const body of bad) {
    for (const path of ["/chat/completions", "/responses", "/embeddings", "/videos"]) {
      await ask(`/v1${path}`, body);
    }
  }
  for (const status of [400, 401, 403, 404, 413, 422, 429, 500]) {
    await ask("/v1/chat/completions", chat(`${refused} tell-key ${status}`), { mayFail: true });
    await ask("/v1/responses", {
      model: "native",
      input: `${refused} tell-key ${status}`,
      store: false,
    }, { mayFail: true });
  }
  await tryHeads(world, texts);
}

async function tryHeads(world: SecurityWorld, texts: Texts): Promise<void> {
  const header = texts["a header"]!;
  const query = texts["a query"]!;
  const names = ["user-agent", "cookie", "referer", "x-request-id", "x-forwarded-for", "accept"];
  for (const name of names) {
    await world.ask({
      method: "GET",
      target: `/v1/key?api_key=${query}&after=${query}`,
      key: world.keys.mine,
      headers: { [name]: header },
    });
  }
  await world.ask({ method: "GET", target: "/v1/key", key: texts["a wrong key"]! });
  await world.ask({ method: "GET", target: "/v1/key", key: `Bearer ${texts["a wrong key"]}` });
  await world.ask({
    method: "GET",
    target: "/admin/v1/projects",
    key: texts["a wrong admin key"]!,
  });
  // In a path a key belongs least of all, and lands there all the same.
  for (const secret of [texts["a wrong key"]!, world.keys.mine, world.secrets["the admin key"]!]) {
    for (
      const path of [`/v1/models/${secret}`, `/v1/${secret}`, `/v1/calls/${secret}?k=${secret}`]
    ) {
      const { url } = world.gateway;
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${world.keys.mine}` },
      });
      await response.body?.cancel();
    }
  }
}

/** Every operation that reads or writes what it might tell too much of, also by the command line. */
async function administer(world: SecurityWorld, texts: Texts): Promise<void> {
  const literal = texts["a secret written into a catalogue"]!;
  for (
    const line of [
      `api_key: "${literal}"`,
      `headers: { x-key: "${literal}" }`,
      `auth: "${literal}"`,
    ]
  ) {
    const text =
      `providers: [{ id: p, kind: openai_compatible, base_url: "http://127.0.0.1:9", ${line} }]`;
    const response = await fetch(`${world.gateway.url}/admin/v1/catalogue/apply`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${world.secrets["the admin key"]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ text, dry_run: true }),
    });
    const answer = await response.text();
    if (line.startsWith("headers")) continue; // A header of an operator need not be a secret.
    if (!NO_ANSWER.includes(response.status) || answer.includes(literal)) {
      throw new Error(`A catalogue with a secret in it: ${response.status} ${answer}`);
    }
  }
  for (const command of COMMANDS) await world.gateway.cli(...command);
  await world.gateway.cli("backup", "create");
  await until("the calls to be on disk", async () => {
    const { project: { held } } = await world.get("/key");
    return Number(held) === 0;
  });
}

const COMMANDS: readonly (readonly string[])[] = [
  ["keys", "create", "--project", "mine"],
  ["keys", "list"],
  ["projects", "list"],
  ["providers", "list"],
  ["routes", "list"],
  ["audit", "list"],
  ["config", "show"],
  ["usage", "report"],
  ["ledger", "verify"],
  // What was refused is on the disk then.
  ["calls", "list", "--status", "refused"],
];

async function search(
  world: SecurityWorld,
  { cases, folder, needles }: {
    readonly cases: Cases;
    readonly folder: string;
    readonly needles: readonly Needle[];
  },
): Promise<void> {
  const { stdout, stderr } = world.gateway.server;
  const output = new TextEncoder().encode(stdout + stderr);
  const written = [...await readWritten(folder), { name: "the output", bytes: output }];
  for (const needle of needles) {
    const found = needlesIn(written, [needle]);
    cases.that(found.length === 0, () => found.join(", "));
  }
}
