/**
 * A provider of kind `azure`: where it asks, how it is authorised, and what it makes of what only Azure
 * says.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Provider as ProviderSettings } from "../../../src/domain/catalogue.ts";
import { createAzure } from "../../../src/providers/azure/provider.ts";
import type { ProviderCall } from "../../../src/providers/contract/provider.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../../support/fake_upstream.ts";
import {
  chatCall,
  chatRoute,
  chunk,
  completion,
  failureOf,
  never,
  providerSettings,
  readAll,
  textChunk,
} from "../../support/provider_parts.ts";

const SECRETS: Record<string, string> = {
  "env:AZURE_KEY": "azure-key-0123456789",
  "env:ENTRA_SECRET": "entra-secret-0123456789",
};

async function bench(
  settings: Partial<ProviderSettings> = {},
  script: (request: RecordedRequest) => Reply | Promise<Reply> = () => jsonReply(completion()),
) {
  const clock = new FakeClock();
  const upstream = await startFakeUpstream(script);
  const resource = upstream.url.replace(/\/v1$/, "");
  const transport = createTransport({ clock });
  const own = settings.own as { entra?: object } | undefined;
  const provider = createAzure(
    providerSettings({
      kind: "azure",
      baseUrl: resource,
      apiKeys: ["env:AZURE_KEY"],
      auth: { kind: "header", name: "api-key" },
      ...settings,
      ...(own?.entra && { own: { ...own, entra: { ...own.entra, authority: resource } } }),
    }),
    { transport, clock, random: Math.random, secrets: (reference) => SECRETS[reference] },
  );
  return {
    clock,
    upstream,
    provider,
    ask: (call: ProviderCall = chatCall()) => provider.speaks.openai_chat.answer(call, never()),
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  };
}

const DEPLOYED = chatRoute({ upstreamModel: "gpt 5/mini" });

Deno.test("the API is found below a resource, however much of its address is written", async () => {
  for (const path of ["", "/", "/openai", "/openai/v1", "/openai/v1/"]) {
    await using on = await bench();
    const resource = on.upstream.url.replace(/\/v1$/, "");
    await using other = await bench({ baseUrl: resource + path });
    await other.ask(chatCall({}, { route: DEPLOYED, outputTokensCap: 9 }));
    const { target, headers, json } = on.upstream.requests.at(-1)!;
    assert.equal(target, "/openai/v1/chat/completions");
    assert.equal(headers.get("api-key"), "azure-key-0123456789");
    assert.equal(headers.get("authorization"), undefined);
    const sent = on.upstream.requests.at(-1)!.json();
    assert.deepEqual([sent.model, sent.max_completion_tokens], ["gpt 5/mini", 9]);
    assert.equal(typeof json, "function");
  }
});

Deno.test("a version is asked for where there is one", async () => {
  await using on = await bench({ own: { api_version: "preview" } });
  await on.ask();
  assert.equal(
    on.upstream.requests[0]!.target,
    "/openai/v1/chat/completions?api-version=preview",
  );
});

Deno.test("the older paths name the deployment, but for those of responses", async () => {
  await using on = await bench({ own: { azure_paths: "deployments" } }, ({ target }) =>
    jsonReply(
      target.includes("embeddings")
        ? { object: "list", data: [{ index: 0, embedding: [1, 0] }], usage: { prompt_tokens: 1 } }
        : completion(),
    ));
  const call = chatCall({}, { route: DEPLOYED });
  await on.ask(call);
  await on.provider.speaks.openai_embeddings.answer(
    { ...call, body: { model: "m", input: ["a"] } },
    never(),
  );
  const { speaks } = on.provider;
  await failureOf(speaks.openai_responses.answer({ ...call, body: { input: "Hi" } }, never()));
  await on.provider.check(never());
  assert.deepEqual(on.upstream.requests.map(({ target }) => target), [
    "/openai/deployments/gpt%205%2Fmini/chat/completions?api-version=2024-10-21",
    "/openai/deployments/gpt%205%2Fmini/embeddings?api-version=2024-10-21",
    "/openai/responses?api-version=2024-10-21",
    "/openai/models?api-version=2024-10-21",
  ]);
  assert.equal(speaks.openai_responses.isOn?.(DEPLOYED), false);
});

Deno.test("a stream below a deployment keeps its key's turn", async () => {
  await using on = await bench({ own: { azure_paths: "deployments" } }, () =>
    sseReply([
      chunk({ id: "", model: "", created: 0, prompt_filter_results: [{ prompt_index: 0 }] }),
      textChunk("Hi"),
      textChunk("", "stop"),
      // The filter that looks at the answer afterwards.
      chunk({ id: "" }, { content_filter_offsets: { check_offset: 44 }, delta: undefined }),
      chunk({ usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } }),
      "[DONE]",
    ]));
  const stream = await on.provider.speaks.openai_chat.stream(
    chatCall({}, { route: DEPLOYED }),
    never(),
  );
  const events = await readAll(stream);
  assert.deepEqual(new Set(events.map(({ chunk }) => chunk.id)), new Set(["chatcmpl-1"]));
  assert.ok(events.some(({ chunk }) => "prompt_filter_results" in chunk));
  assert.equal(events.map(({ text }) => text).join(""), "Hi");
  assert.deepEqual(events.at(-1)!.usage, { input: 5, output: 1 });
  assert.equal(on.upstream.requests[0]!.headers.get("api-key"), SECRETS["env:AZURE_KEY"]);
});

const FILTERED = {
  message: "The response was filtered due to the prompt triggering Azure OpenAI's policy.",
  type: null,
  param: "prompt",
  code: "content_filter",
  status: 400,
  innererror: {
    code: "ResponsibleAIPolicyViolation",
    content_filter_result: { jailbreak: { detected: true, filtered: true } },
  },
};

Deno.test("what its filter refuses is the caller's, with its words", async () => {
  for (const code of ["content_filter", "400", null]) {
    await using on = await bench(
      {},
      () => jsonReply({ error: { ...FILTERED, code } }, { status: 400 }),
    );
    const { failure, code: told, publicMessage, param } = await failureOf(on.ask());
    assert.deepEqual([failure, told, param], ["caller", "content_filter", "prompt"]);
    assert.match(publicMessage!, /filtered/);
  }
});

Deno.test("refusals are judged by whose fault they are", async () => {
  const cases: readonly [number, unknown, string, string?][] = [
    [404, { error: { code: "DeploymentNotFound", message: "no" } }, "operator", "model"],
    [
      401,
      { error: { code: "401", message: "Access denied due to invalid subscription key." } },
      "operator",
      "key",
    ],
    [429, { error: { code: "429", message: "Requests have exceeded call rate limit" } }, "busy"],
    [400, { error: { code: "400", message: "bad" } }, "caller"],
    [400, "no JSON", "caller"],
  ];
  for (const [status, body, failure, fault] of cases) {
    await using on = await bench({}, () => jsonReply(body, { status }));
    const found = await failureOf(on.ask());
    assert.deepEqual([found.failure, found.fault], [failure, fault], JSON.stringify(body));
  }
});

const ENTRA: Partial<ProviderSettings> = {
  apiKeys: [],
  auth: { kind: "none" },
  own: { entra: { tenant: "t-1", client_id: "c-1", client_secret: "env:ENTRA_SECRET" } },
};

function tokens(): (request: RecordedRequest) => Reply {
  let number = 0;
  return ({ target }) =>
    target.includes("/oauth2/")
      ? jsonReply({ access_token: `token-number-${++number}`, expires_in: 3600 })
      : jsonReply(completion());
}

Deno.test("one Entra token is had for all calls, and the next one before it ends", async () => {
  await using on = await bench(ENTRA, tokens());
  await Promise.all([on.ask(), on.ask(), on.ask()]);
  const [asked] = on.upstream.requests;
  assert.equal(asked!.target, "/t-1/oauth2/v2.0/token");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(asked!.body)), {
    grant_type: "client_credentials",
    client_id: "c-1",
    client_secret: SECRETS["env:ENTRA_SECRET"],
    scope: "https://cognitiveservices.azure.com/.default",
  });
  const bearers = () =>
    on.upstream.requests.filter(({ target }) => !target.includes("/oauth2/"))
      .map(({ headers }) => headers.get("authorization"));
  assert.deepEqual(bearers(), Array(3).fill("Bearer token-number-1"));
  assert.equal(on.upstream.requests.length, 4);
  on.clock.advance(3_600_000 - 299_000);
  await on.ask();
  assert.equal(bearers().at(-1), "Bearer token-number-1");
  await on.upstream.received(5);
  await on.ask();
  assert.equal(bearers().at(-1), "Bearer token-number-2");
  assert.equal(on.upstream.requests.length, 7);
});

Deno.test("a token that is refused is had anew, and shown to nobody", async () => {
  const given = tokens();
  await using on = await bench(
    ENTRA,
    (request) =>
      request.headers.get("authorization") === "Bearer token-number-1"
        ? jsonReply({ error: { message: "bad: token-number-1" } }, { status: 401 })
        : given(request),
  );
  await on.ask();
  assert.equal(on.upstream.requests.at(-1)!.headers.get("authorization"), "Bearer token-number-2");
  assert.equal(on.upstream.requests.length, 4);
});

Deno.test("a token that is refused again is not had for ever, and shown to nobody", async () => {
  const given = tokens();
  await using on = await bench(
    ENTRA,
    (request) =>
      request.target.includes("/oauth2/")
        ? given(request)
        : jsonReply({ error: { message: `bad: ${request.headers.get("authorization")}` } }, {
          status: 401,
        }),
  );
  const { message, publicMessage = "" } = await failureOf(on.ask());
  assert.ok(!`${message} ${publicMessage}`.includes("token-number"), message);
  assert.equal(on.upstream.requests.length, 4);
});

Deno.test("deployments that are not there are found without a message", async () => {
  for (const azure_paths of ["v1", "deployments"]) {
    await using on = await bench({ own: { azure_paths } }, ({ target, body }) =>
      jsonReply({
        error: target.includes("gone") || body.includes("gone")
          ? { code: "DeploymentNotFound", message: "The API deployment does not exist." }
          : { code: "400", message: "[] is too short - 'messages'" },
      }, { status: target.includes("gone") || body.includes("gone") ? 404 : 400 }));
    assert.deepEqual(await on.provider.unknownModels!(["gone", "there"], never()), ["gone"]);
    for (const { body } of on.upstream.requests) {
      assert.deepEqual(JSON.parse(body).messages, []);
    }
    on.upstream.dropConnections();
  }
});

Deno.test("an application that Entra refuses is the operator's trouble", async () => {
  await using on = await bench(ENTRA, () =>
    jsonReply({
      error: "invalid_client",
      error_description: `AADSTS7000215: Invalid client secret ${
        SECRETS["env:ENTRA_SECRET"]
      }.\r\nTrace ID: 1`,
    }, { status: 401 }));
  const { failure, fault, message } = await failureOf(on.ask());
  assert.deepEqual([failure, fault], ["operator", "key"]);
  assert.match(message, /AADSTS7000215: Invalid client secret \[redacted\]\.$/);
  const check = await on.provider.check(never());
  assert.equal(check.ok, false);
});

Deno.test("whoever leaves while a token is had does not end it for the others", async () => {
  const held = Promise.withResolvers<void>();
  const given = tokens();
  await using on = await bench(ENTRA, async (request) => {
    if (request.target.includes("/oauth2/")) await held.promise;
    return given(request);
  });
  const gone = new AbortController();
  const first = failureOf(on.provider.speaks.openai_chat.answer(chatCall(), gone.signal));
  const second = on.ask();
  await on.upstream.received(0);
  gone.abort();
  assert.equal((await first).failure, "aborted");
  held.resolve();
  await second;
  assert.equal(on.upstream.requests.length, 2);
});

const HEARD = { text: "Hello", usage: { type: "duration", seconds: 2 } };

/** Asks for everything but chat once; says where. */
async function targetsOf(own: object): Promise<readonly string[]> {
  await using on = await bench({ own: own as ProviderSettings["own"] & object }, ({ target }) => {
    if (target.includes("speech")) return textReply("audio/mpeg", "sound");
    if (target.includes("audio")) return jsonReply(HEARD);
    if (target.includes("images")) return jsonReply({ data: [{ b64_json: "iVBORw0K" }] });
    return jsonReply({ choices: [{ text: "words", finish_reason: "stop" }] });
  });
  const { speaks, speak } = on.provider;
  const call = { ...chatCall({}, { route: DEPLOYED }), body: { prompt: "a", input: "Hello" } };
  await speaks.openai_completions!.answer(call, never());
  await speaks.openai_images!.answer(call, never());
  await speaks.openai_image_edits!.answer(call, never());
  await speaks.openai_transcriptions!.answer(call, never());
  await speaks.openai_translations!.answer(call, never());
  const said = await readAll(await speak!(call, never()));
  assert.deepEqual(said.at(-1)!.usage, { character: 5 });
  assert.deepEqual([speaks.openai_moderations, speaks.rerank], [undefined, undefined]);
  for (const { headers } of on.upstream.requests) {
    assert.equal(headers.get("api-key"), "azure-key-0123456789");
  }
  return on.upstream.requests.map(({ target }) => target);
}

const OTHERS = [
  "/completions",
  "/images/generations",
  "/images/edits",
  "/audio/transcriptions",
  "/audio/translations",
  "/audio/speech",
];

Deno.test("images, sound and its words, and completions are asked where chat is", async () => {
  assert.deepEqual(await targetsOf({}), OTHERS.map((path) => `/openai/v1${path}`));
  const version = "2025-04-01-preview";
  assert.deepEqual(
    await targetsOf({ azure_paths: "deployments", api_version: version }),
    OTHERS.map((path) => `/openai/deployments/gpt%205%2Fmini${path}?api-version=${version}`),
  );
});
