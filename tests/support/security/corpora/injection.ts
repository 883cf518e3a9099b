/**
 * Hostile texts in every place of every documented operation: each stays a text, on
 * the way to the upstream, in the database, in the log and on a terminal.
 *
 * @module
 */

import { type ApiOperation, readOperations } from "../../../fuzz/api_operation.ts";
import { runTollgate } from "../../executable.ts";
import { Cases, type Sample } from "../cases.ts";
import type { RawAnswer, SecurityWorld } from "../security_world.ts";
import { CONTROL_TEXTS, HOSTILE_TEXTS, MARKUP_TEXTS } from "./hostile_texts.ts";

// deno-lint-ignore no-control-regex -- control characters are what it is to find
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
/** What a header can carry at all; the rest is tried as it is and ends in a refused head. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

export async function tryInjection(
  world: SecurityWorld,
  { sample = (corpus) => corpus }: { readonly sample?: Sample } = {},
): Promise<Cases> {
  const cases = new Cases();
  const document = await world.ask({ method: "GET", target: "/openapi.json" });
  const operations = readOperations(JSON.parse(document.body)).filter(({ path }) =>
    // Both prefixes are the same sub-app: each text is tried at one of them.
    !path.startsWith("/api/gateway/")
  );
  for (const [at, text] of sample(HOSTILE_TEXTS).entries()) {
    for (const operation of operations) await tryOperation(world, operation, { cases, text });
    await tryHeads(world, { cases, text, at });
    await tryBodies(world, { cases, text });
  }
  await tryNames(world, { cases });
  const { differences } = await world.gateway.cli("ledger", "verify");
  cases.that(differences.length === 0, () => `The books differ: ${JSON.stringify(differences)}`);
  checkLog(world, cases);
  cases.add(world.faults);
  return cases;
}

interface Trial {
  readonly cases: Cases;
  readonly text: string;
}

/** A text in place of each parameter. */
async function tryOperation(
  world: SecurityWorld,
  { method, path, parameters }: ApiOperation,
  { cases, text }: Trial,
): Promise<void> {
  // A lone surrogate has no encoding.
  const escaped = encodeURIComponent(text.toWellFormed());
  const targets = path.includes("{") ? [path.replace(/\{\w+\}/, escaped)] : [];
  if (path.includes("{")) {
    // As it is, where a request line can carry it.
    const bare = text.replaceAll(/[^\x21-\x7e]/g, "");
    if (bare !== "") targets.push(path.replace(/\{\w+\}/, bare));
  }
  for (const { name } of parameters.filter((one) => one.in === "query")) {
    targets.push(`${path.replace(/\{\w+\}/, "none")}?${name}=${escaped}`);
  }
  for (const target of targets) {
    const body = method === "POST" ? {} : undefined;
    const got = await world.ask({ method, target, key: world.keys.mine, body });
    check(got, { cases, text, where: `${method} ${path}` });
  }
}

/** A text in headers that are read or noted. */
async function tryHeads(
  world: SecurityWorld,
  { cases, text, at }: Trial & { readonly at: number },
): Promise<void> {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text.toWellFormed()));
  if (!SENDABLE.test(bytes)) return;
  const names = ["idempotency-key", "user-agent", "x-request-id", "x-stainless-retry-count"];
  const body = { model: "plain", messages: [{ role: "user", content: `head ${at}` }] };
  for (const name of names) {
    const got = await world.ask({
      method: "POST",
      target: "/v1/chat/completions",
      key: world.keys.mine,
      headers: { [name]: text },
      body,
    });
    check(got, { cases, text, where: `the header ${name}` });
  }
  for (const authorization of [text, `Bearer ${text}`]) {
    const headers = { authorization };
    const got = await world.ask({ method: "GET", target: "/v1/key", headers });
    cases.that(got.status === 401, () => `The key ${JSON.stringify(text)}: ${got.status}`);
  }
}

/** A text in every field of a body that the gateway reads, and in some that it does not. */
async function tryBodies(world: SecurityWorld, { cases, text }: Trial): Promise<void> {
  const messages = [{ role: "user", content: "Hi" }];
  const bodies: readonly (readonly [path: string, body: object])[] = [
    ["/chat/completions", { model: text, messages }],
    ["/chat/completions", {
      model: "plain",
      messages: [{ role: text, name: text, content: text }],
    }],
    ["/chat/completions", { model: "plain", messages, provider: text }],
    ["/chat/completions", { model: "plain", messages, route: text }],
    ["/chat/completions", { model: "plain", messages, routing_preference: text }],
    ["/chat/completions", {
      model: "plain",
      messages,
      user: text,
      metadata: { [text]: text },
      [text]: text,
    }],
    ["/chat/completions", {
      model: "echo",
      stream: true,
      messages: [{ role: "user", content: text }],
    }],
    ["/responses", { model: "echo", input: text, instructions: text, metadata: { a: text } }],
    ["/responses", { model: "plain", input: "Hi", previous_response_id: text }],
    ["/responses", { model: "echo", input: [{ id: text, role: text, content: text }] }],
    ["/embeddings", { model: "vectors", input: [text, "x"], user: text, encoding_format: text }],
    ["/videos", { model: text, prompt: text }],
    ["/videos", { model: "film", prompt: "a kite", size: text, seconds: text }],
    ["/videos", { model: "film", prompt: "a kite", [text]: text, input_reference: text }],
  ];
  for (const [path, body] of bodies) {
    const target = `/v1${path}`;
    const got = await world.ask({ method: "POST", target, key: world.keys.mine, body });
    check(got, { cases, text, where: `${path} ${Object.keys(body).slice(0, 4)}` });
  }
}

/** The text makes no failure, no answer of another kind, and no head of its own. */
function check(
  { status, headers, body }: RawAnswer,
  { cases, text, where }: Trial & { readonly where: string },
): void {
  const isSound = status >= 200 && status < 500 && !headers.has("x-injected") &&
      !/"(?:balance|secret|sql)":/.test(body) || where === "GET /v1/key";
  cases.that(
    isSound,
    () => `${where} with ${JSON.stringify(text)}: ${status} ${body.slice(0, 200)}`,
  );
}

/** Names that an administrator gives, or is talked into, as the API and a terminal show them. */
async function tryNames(world: SecurityWorld, { cases }: Pick<Trial, "cases">): Promise<void> {
  const { url } = world.gateway;
  const headers = {
    "authorization": `Bearer ${world.secrets["the admin key"]}`,
    "content-type": "application/json",
  };
  for (const name of [...MARKUP_TEXTS, ...CONTROL_TEXTS]) {
    for (
      const [path, body] of [["/keys", { project: "mine", name }], ["/projects", {
        id: name,
      }]] as const
    ) {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      const type = response.headers.get("content-type");
      cases.that(
        response.status < 500 && type === "application/json",
        () => `${path} named ${JSON.stringify(name)}: ${response.status} ${type}`,
      );
    }
  }
  for (
    const command of [["keys", "list"], ["projects", "list"], ["audit", "list"], ["models", "list"]]
  ) {
    const dataDir = world.gateway.server.dataDir;
    const { stdout, stderr, code } = await runTollgate([...command, "--data-dir", dataDir]);
    const bad = CONTROL.exec(stdout + stderr)?.[0];
    cases.that(
      code === 0 && bad === undefined,
      () => `tollgate ${command.join(" ")} prints ${JSON.stringify(bad)}: ${stderr}`,
    );
  }
}

/** Every line of the log is one that the program wrote. */
function checkLog(world: SecurityWorld, cases: Cases): void {
  for (const line of world.gateway.server.stderr.split("\n")) {
    if (line === "") continue;
    const bad = CONTROL.exec(line)?.[0];
    cases.that(
      bad === undefined,
      () => `The log has ${JSON.stringify(bad)}: ${line.slice(0, 200)}`,
    );
    if (!line.startsWith("{")) {
      cases.that(!/forged|injected/.test(line), () => `A line of the log is forged: ${line}`);
      continue;
    }
    const { event, time } = JSON.parse(line);
    cases.that(
      event !== "forged" && /^\d{4}-\d\d-\d\dT/.test(time),
      () => `A line of the log is forged: ${line}`,
    );
  }
}
