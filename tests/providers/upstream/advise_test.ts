/**
 * What `check()` suggests where the address, the key or its form is not what the upstream wants.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Provider as ProviderSettings } from "../../../src/domain/catalogue.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
  textReply,
} from "../../support/fake_upstream.ts";
import { never, openAiCompatible, TEST_KEY } from "../../support/provider_parts.ts";

const LIST = jsonReply({ object: "list", data: [{ id: "m" }] });
const REFUSED = jsonReply({ error: { message: "Invalid API key" } }, { status: 401 });

async function checked(
  script: (request: RecordedRequest) => Reply,
  { settings, base = "/v1" }: { settings?: Partial<ProviderSettings>; base?: string } = {},
) {
  await using upstream = await startFakeUpstream(script);
  const baseUrl = upstream.url.replace(/\/v1$/, base);
  const provider = openAiCompatible(baseUrl, settings === undefined ? {} : { settings });
  const check = await provider.check(never());
  return { ...check, baseUrl, asked: upstream.requests };
}

Deno.test("a base_url without /v1 is told of, whatever stands at its root", async () => {
  const roots = [
    jsonReply({ detail: "Not Found" }, { status: 404 }),
    textReply("text/html", "<html>Welcome</html>"),
    textReply("text/plain", "Ollama is running"),
  ];
  for (const root of roots) {
    const { ok, detail, baseUrl } = await checked(
      ({ target }) => target.startsWith("/v1/") ? LIST : root,
      { base: "" },
    );
    assert.equal(ok, false);
    assert.ok(detail.endsWith(`base_url lacks /v1: write ${baseUrl}/v1`), detail);
  }
});

Deno.test("an address that has a version, or has no list there either, is left alone", async () => {
  const gone = jsonReply({ detail: "Not Found" }, { status: 404 });
  for (const base of ["/v1", "/api/v3", "/v1beta/openai"]) {
    const { ok, detail, asked } = await checked(() => gone, { base });
    assert.equal(ok, true);
    assert.match(detail, /base_url and key were not checked$/);
    assert.equal(asked.length, 1);
  }
  const { ok, asked } = await checked(() => gone, { base: "" });
  assert.deepEqual([ok, asked.length], [true, 2]);
});

Deno.test("the form in which an upstream takes the key is told of, and the key is not", async () => {
  const takes = (name: string, value: string) => ({ headers }: RecordedRequest) =>
    headers.get(name) === value ? LIST : REFUSED;
  const cases = [
    [takes("x-api-key", TEST_KEY), {}, 'write auth: "header: x-api-key"'],
    [takes("api-key", TEST_KEY), {}, 'write auth: "header: api-key"'],
    [
      takes("authorization", `Bearer ${TEST_KEY}`),
      { auth: { kind: "header", name: "x-api-key" } },
      "write auth: bearer",
    ],
  ] as const;
  for (const [script, settings, words] of cases) {
    const { ok, detail } = await checked(script, { settings });
    assert.equal(ok, false);
    assert.ok(detail.endsWith(words), detail);
    assert.ok(!detail.includes(TEST_KEY));
  }
});

Deno.test("a key that no form helps is refused, and none at all is asked for", async () => {
  const refused = await checked(() => REFUSED);
  assert.match(refused.detail, /^key env:ACME_KEY: The upstream answered 401: Invalid API key$/);
  const keyless = await checked(() => REFUSED, {
    settings: { apiKeys: [], auth: { kind: "none" } },
  });
  assert.match(keyless.detail, /; it wants a key: add api_key$/);
});
