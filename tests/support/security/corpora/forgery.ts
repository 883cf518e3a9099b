/**
 * Every place where a caller's value might become an address: nothing of it may be
 * called, and no upstream may be asked for anything but what its operator set.
 *
 * @module
 */

import { until } from "../../until.ts";
import type { Reply } from "../../fake_upstream.ts";
import type { Canary } from "../canary.ts";
import { Cases, type Sample } from "../cases.ts";
import type { SecurityWorld } from "../security_world.ts";
import { addressesOf } from "./address_spellings.ts";

/** What to try it with. */
export interface ForgeryOptions {
  readonly canary: Canary;
  /** Names that lead to addresses which are not public, once they are looked up. */
  readonly names: readonly string[];
  /** Default: every spelling. */
  readonly sample?: Sample;
}

export async function tryForgery(
  world: SecurityWorld,
  { canary, names, sample = (corpus) => corpus }: ForgeryOptions,
): Promise<Cases> {
  const cases = new Cases();
  const trial = { cases, urls: sample(addressesOf(canary.port)) };
  cases.that(
    await canary.isAlive(),
    () => "The canary cannot be reached: its silence says nothing",
  );
  await tryCallbacks(world, trial);
  await tryNames(world, { ...trial, names, port: canary.port });
  await tryImages(world, trial);
  await tryFields(world, trial);
  await tryHeads(world, trial);
  await tryModels(world, trial);
  await tryRedirects(world, { cases, port: canary.port });
  for (const seen of canary.seen) cases.that(false, () => `The canary was called: ${seen}`);
  cases.add(world.faults);
  return cases;
}

/** The script of the world's upstream: `redirect-307 to PORT` in a prompt makes it send there. */
export function redirectAsAsked({ body }: { readonly body: string }): Reply | undefined {
  const [, status, port] = /redirect-(\d+) to (\d+)/.exec(body) ?? [];
  if (status === undefined) return undefined;
  const location = `http://127.0.0.1:${port}/v1/chat/completions`;
  return {
    status: Number(status),
    headers: { location, "refresh": `0; url=${location}`, "content-location": location },
    steps: ["{}"],
    framing: "length",
  };
}

interface Trial {
  readonly cases: Cases;
  readonly urls: readonly string[];
}

async function tryCallbacks(world: SecurityWorld, { cases, urls }: Trial): Promise<void> {
  for (const url of urls) {
    const got = await world.ask({
      method: "POST",
      target: "/v1/videos",
      key: world.keys.mine,
      body: { model: "film", prompt: "a kite", callback_url: url },
    });
    cases.that(
      got.status === 400 && got.body.includes('"param":"callback_url"'),
      () => `callback_url ${JSON.stringify(url)}: ${got.status} ${got.body.slice(0, 200)}`,
    );
  }
}

/** A name is taken, and refused when it has been looked up: for good, and without a word to it. */
async function tryNames(
  world: SecurityWorld,
  { cases, names, port }: Trial & { readonly names: readonly string[]; readonly port: number },
): Promise<void> {
  for (const name of names) {
    const url = `http://${name}:${port}/hook`;
    const { id } = await world.film({ callback_url: url });
    const line = await until(
      `what became of ${url}`,
      () =>
        world.gateway.server.stderr.split("\n").find((one) =>
          one.includes('"webhook_') && one.includes(id)
        ),
    );
    cases.that(
      /"webhook_given_up"/.test(line) && line.includes("not on the public internet"),
      () => `${url}: ${line}`,
    );
  }
}

/** Images by URL are their upstream's matter, and no film's. */
async function tryImages(world: SecurityWorld, { cases, urls }: Trial): Promise<void> {
  for (const url of urls.filter((_, at) => at % 4 === 0)) {
    const part = { type: "image_url", image_url: { url } };
    for (const model of ["echo", "plain"]) {
      const { status } = await world.ask({
        method: "POST",
        target: "/v1/chat/completions",
        key: world.keys.mine,
        body: { model, messages: [{ role: "user", content: [part] }] },
      });
      cases.that(status === 200 || status === 400, () => `an image at ${url}: ${status}`);
    }
    for (
      const content of [{ type: "input_image", image_url: url }, {
        type: "input_file",
        file_url: url,
      }]
    ) {
      for (const model of ["echo", "plain", "native"]) {
        const { status } = await world.ask({
          method: "POST",
          target: "/v1/responses",
          key: world.keys.mine,
          body: { model, input: [{ role: "user", content: [content] }] },
        });
        cases.that(status === 200 || status === 400, () => `${content.type} at ${url}: ${status}`);
      }
    }
  }
  for (const url of urls) {
    for (const reference of [url, { image_url: url }, { image_url: { url } }, { file_id: url }]) {
      const got = await world.ask({
        method: "POST",
        target: "/v1/videos",
        key: world.keys.mine,
        body: { model: "film", prompt: "a kite", input_reference: reference },
      });
      cases.that(
        got.status === 400 && got.body.includes('"param":"input_reference'),
        () => `input_reference ${JSON.stringify(reference)}: ${got.body.slice(0, 200)}`,
      );
    }
  }
}

/** Fields by which gateways have let callers choose the upstream, its key or its headers. */
const FIELDS = [
  "base_url",
  "api_base",
  "api_key",
  "headers",
  "extra_headers",
  "litellm_params",
  "baseURL",
  "apiKey",
  "api_version",
  "extra_body",
  "extra_query",
  "url",
  "host",
  "endpoint",
  "proxy",
  "azure_endpoint",
  "custom_llm_provider",
  "model_list",
  "fallbacks",
  "default_headers",
  "user_config",
  "webhook_url",
  "aws_bedrock_runtime_endpoint",
  "vertex_credentials",
  "deployment",
  "__proto__",
  "constructor",
] as const;
/** Those that are no one's but a gateway's own. */
const NEVER_FORWARDED = FIELDS.slice(0, 6);

async function tryFields(world: SecurityWorld, { cases, urls: [url = ""] }: Trial): Promise<void> {
  for (const field of FIELDS) {
    for (const value of [url, { authorization: "Bearer stolen", host: url, base_url: url }]) {
      const one = { [field]: value };
      const messages = [{ role: "user", content: "Hi" }];
      const plain = { model: "plain", messages };
      const shapes: readonly (readonly [path: string, body: object])[] = [
        ["/chat/completions", { ...plain, ...one }],
        ["/chat/completions", { ...plain, metadata: one, extra_body: one, litellm_params: one }],
        ["/chat/completions", {
          ...plain,
          messages: [{ ...messages[0], ...one }],
          user_config: { a: { b: [one] } },
        }],
        ["/responses", { model: "native", input: "Hi", ...one }],
        ["/responses", { model: "native", input: [{ role: "user", content: "Hi", ...one }] }],
        ["/embeddings", { model: "remote-vectors", input: "Hi", ...one }],
        ["/embeddings", { model: "remote-vectors", input: "Hi", extra: { deep: [one] } }],
      ];
      for (const [path, body] of shapes) {
        const from = world.upstream.requests.length;
        const { status } = await world.ask({
          method: "POST",
          target: `/v1${path}`,
          key: world.keys.mine,
          body: body,
        });
        const asked = world.upstream.requests.slice(from);
        const isKept = asked.every((request) =>
          request.headers.get("authorization") ===
            `Bearer ${world.secrets["the upstream's key"]}` &&
          NEVER_FORWARDED.every((name) => !Object.hasOwn(request.json(), name))
        );
        cases.that(
          isKept && (status === 200 || status === 400),
          () => `${path} with ${JSON.stringify(body).slice(0, 200)}: ${status}`,
        );
      }
    }
  }
}

async function tryHeads(world: SecurityWorld, { cases, urls: [url = ""] }: Trial): Promise<void> {
  const host = new URL(url).host;
  const heads: readonly Readonly<Record<string, string>>[] = [
    { host },
    { host: `${host}\t` },
    {
      "x-forwarded-host": host,
      "x-forwarded-proto": "gopher",
      "x-forwarded-for": "169.254.169.254",
    },
    { forwarded: `host=${host};for=127.0.0.1;proto=http` },
    { "x-original-url": "/admin/v1/projects", "x-rewrite-url": "/admin/v1/projects" },
    { "x-http-method-override": "DELETE", "x-method-override": "DELETE" },
    { "x-base-url": url, "x-api-base": url, "openai-base-url": url, "api-base": url },
    { "x-portkey-custom-host": url, "x-portkey-provider": "openai", "x-portkey-config": "{}" },
    { "helicone-target-url": url, "helicone-openai-api-base": url, "x-target-url": url },
    { "openai-organization": "org", "openai-project": "proj", "openai-beta": "x" },
    { "proxy-connection": "keep-alive", proxy: url, via: "1.1 evil" },
    { te: "trailers", upgrade: "h2c", "http2-settings": "AAMAAABk" },
    { "x-request-id": "req_forged", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad-01" },
    { cookie: "session=stolen", referer: url, origin: url, "user-agent": url },
    { "x-envoy-original-path": "/admin", "x-real-ip": "127.0.0.1", "true-client-ip": "127.0.0.1" },
    { accept: "text/html", "accept-language": url, "if-none-match": url },
  ];
  for (const headers of heads) {
    for (const [path, body] of POSTS) {
      const got = await world.ask({
        method: "POST",
        target: `/v1${path}`,
        key: world.keys.mine,
        headers,
        body,
      });
      cases.that(
        got.status === 200 && !got.body.includes(host),
        () => `${path} with ${JSON.stringify(headers)}: ${got.status} ${got.body.slice(0, 300)}`,
      );
    }
  }
}

const POSTS: readonly (readonly [path: string, body: object])[] = [
  ["/chat/completions", { model: "plain", messages: [{ role: "user", content: "Hi" }] }],
  ["/chat/completions", {
    model: "plain",
    stream: true,
    messages: [{ role: "user", content: "Hi" }],
  }],
  ["/responses", { model: "native", input: "Hi" }],
  ["/embeddings", { model: "remote-vectors", input: "Hi" }],
  ["/videos", { model: "film", prompt: "a kite" }],
];

/** Names of models, providers and routes are looked up, never made into anything. */
async function tryModels(world: SecurityWorld, { cases, urls }: Trial): Promise<void> {
  const names = urls.filter((url, at) => at % 5 === 0 && url !== "");
  for (const name of names) {
    for (const [path, body] of POSTS) {
      for (const fields of [{ model: name }, { provider: name }, { route: name }]) {
        const got = await world.ask({
          method: "POST",
          target: `/v1${path}`,
          key: world.keys.mine,
          body: { ...body, ...fields },
        });
        cases.that(
          [400, 403, 404].includes(got.status),
          () => `${path} with ${JSON.stringify(fields)}: ${got.status} ${got.body.slice(0, 200)}`,
        );
      }
    }
  }
}

/** An upstream that sends the request elsewhere is not followed, and gets no key carried there. */
async function tryRedirects(
  world: SecurityWorld,
  { cases, port }: Pick<Trial, "cases"> & { readonly port: number },
): Promise<void> {
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    for (const stream of [false, true]) {
      const content = `redirect-${status} to ${port}`;
      const got = await world.ask({
        method: "POST",
        target: "/v1/chat/completions",
        key: world.keys.mine,
        body: { model: "plain", stream, messages: [{ role: "user", content }] },
        mayFail: true,
      });
      cases.that(
        (got.status === 502 || got.status === 503) && !got.headers.has("location"),
        () => `an upstream's ${status}: ${got.status} ${got.body.slice(0, 200)}`,
      );
    }
  }
}
