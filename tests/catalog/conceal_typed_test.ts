import assert from "node:assert/strict";
import {
  concealTyped,
  toTypeAgain,
  TYPE_AGAIN,
  withoutConcealed,
} from "../../src/catalog/conceal_typed.ts";
import { parseYamlDocument } from "../../src/documents/yaml_document.ts";

const SECRET = "sk-Zq81-not-for-anybody";

/** Wherever somebody may type one into a provider, with what is wrong around it. */
const PROVIDERS = {
  "in the place of a reference": `kind: anthropic\napi_key: ${SECRET}\n`,
  "beside a reference": `kind: anthropic\napi_key: [env:KEY, "${SECRET}"]\n`,
  "behind the word of a reference": `kind: anthropic\napi_key: env:${SECRET}\n`,
  "as a header": `kind: anthropic\nheaders: { x-team: ${SECRET} }\n`,
  "under a header that is called as a setting": `headers:\n  location: ${SECRET}\n nonsense\n`,
  "as a query parameter": `kind: anthropic\nquery:\n  key: ${SECRET}\n`,
  "under a name that nothing has": `kind: anthropic\napikey: ${SECRET}\n`,
  "deep below one": `kind: anthropic\nmore: { a: [{ b: ${SECRET} }] }\n`,
  "in an address": `kind: anthropic\nbase_url: https://me:${SECRET}@api.example.com/v1\n`,
  "in the query of an address":
    `kind: anthropic\nbase_url: https://api.example.com/?key=${SECRET}\n`,
  "in a kind's own":
    `kind: bedrock\naws:\n  access_key_id: AKIA1\n  secret_access_key: ${SECRET}\n`,
  "in a comment": `kind: anthropic # ${SECRET}\n# api_key: ${SECRET}\n`,
  "as an alias": `kind: anthropic\nx: &a ${SECRET}\napi_key: *a\n`,
  "as an alias that is none": `kind: anthropic\napi_key: *${SECRET}\n`,
  "as a tag": `kind: anthropic\napi_key: !${SECRET} x\n`,
  "as all there is": SECRET,
  "as a list": `- ${SECRET}\n`,
  "without a blank": `api_key:${SECRET}\nkind: anthropic\n`,
  "twice": `api_key: env:A\napi_key: ${SECRET}\n`,
  "behind a quote that does not end": `kind: anthropic\napi_key: "${SECRET}\n`,
  "as a block": `kind: anthropic\napi_key: |${SECRET}\n  ${SECRET}\n`,
  "in a mapping that does not end": `{ "kind": "anthropic", "api_key": "${SECRET}"`,
  "behind a comma that is missing": `kind: anthropic, api_key: ${SECRET}\n`,
  "under tabs": `kind: anthropic\nheaders:\n\tx-team: ${SECRET}\n`,
  "in several lines": `api_key: >-\n  -----BEGIN\n  ${SECRET}\n broken\n`,
  "in a second document": `kind: anthropic\n---\napi_key: ${SECRET}\n`,
} as const;

for (const [name, yaml] of Object.entries(PROVIDERS)) {
  Deno.test(`concealTyped() leaves out a provider's secret ${name}`, () => {
    const { yaml: shown, concealed } = concealTyped("provider", yaml);
    assert.ok(!shown.includes(SECRET), shown);
    const read = parseYamlDocument(yaml, { file: "provider" });
    if (read.ok) return;
    for (const { message } of read.problems) {
      const told = withoutConcealed(message, { yaml: shown, concealed });
      assert.ok(!told.includes(SECRET), told);
    }
  });
}

Deno.test("concealTyped() shows again what is no secret, as it was typed", () => {
  const plain = `kind: openai_compatible
base_url: https://api.example.com/v1
api_key: [env:ONE, file:/etc/key]
timeouts: { total_ms: 5000 }
headers: { x-team: (hidden), x-org: env:ORG }
`;
  assert.deepEqual(concealTyped("provider", plain), { yaml: plain, concealed: [] });
  const broken = `kind: azure\nbase_url: https://api.example.com/v1\n` +
    `timeouts:\n  total_ms: 5000\napi_key:\n  - env:ONE\n  - x: "${SECRET}\nofficial: true\n`;
  const { yaml } = concealTyped("provider", broken);
  assert.equal(yaml, broken.replace(`"${SECRET}`, TYPE_AGAIN));
});

Deno.test("concealTyped() tells a mistyped address and kind, and the names of what it leaves out", () => {
  const { yaml, concealed } = concealTyped(
    "provider",
    `kind: opanai\nbase_url: ftp://api.example.com\napi_key: ${SECRET}\nheaders: { x-team: abc }\n`,
  );
  assert.equal(
    yaml,
    `kind: opanai\nbase_url: ftp://api.example.com\napi_key: ${TYPE_AGAIN}\nheaders:\n` +
      `  x-team: ${TYPE_AGAIN}\n`,
  );
  assert.deepEqual(concealed, [SECRET, "abc"]);
});

Deno.test("concealTyped() leaves out of models and routes what sounds like a secret", () => {
  const plain = "provider: one\nupstream_model: small # a note\nset: { max_tokens: 5, user: me }\n";
  assert.deepEqual(concealTyped("route", plain), { yaml: plain, concealed: [] });
  for (
    const text of [
      `set: { extra: { api_key: ${SECRET}, max_tokens: 5 } }\n`,
      `default:\n  authorization: Bearer ${SECRET}\n`,
      `set: { password: Bearer ${SECRET}\nweight: 1\n`,
      `default:\n  password:\n    - ${SECRET}\n broken\n`,
    ]
  ) {
    for (const kind of ["model", "route"] as const) {
      const { yaml } = concealTyped(kind, text);
      assert.ok(!yaml.includes(SECRET), yaml);
      assert.ok(yaml.includes(TYPE_AGAIN), yaml);
    }
  }
});

Deno.test("toTypeAgain() tells where something is still to be typed", () => {
  assert.deepEqual(
    toTypeAgain({ headers: { "x-a": TYPE_AGAIN, b: `Bearer ${TYPE_AGAIN}` }, api_key: ["env:A"] }),
    ["headers.x-a", "headers.b"],
  );
});
