import assert from "node:assert/strict";
import { createBodyBudget } from "../../../src/http/bodies/body_budget.ts";
import { isForm, readForm } from "../../../src/http/bodies/read_form.ts";
import { receivedRequest } from "../../support/received_request.ts";

const MULTIPART = "multipart/form-data; boundary=xyz";
const FORM = [
  "--xyz",
  'Content-Disposition: form-data; name="prompt"',
  "",
  "Schnee über Łódź",
  "--xyz",
  'Content-Disposition: form-data; name="source_policy[exclude_risk_levels][]"',
  "",
  "high",
  "--xyz",
  'Content-Disposition: form-data; name="input_reference"; filename="a.png"',
  "Content-Type: image/png",
  "",
  "\u0001\u0002\r\n--xy",
  "--xyz--",
  "",
].join("\r\n");

function limits(maxBytes = 10_000) {
  return { maxBytes, budget: createBodyBudget(20_000) };
}

function request(type: string, body: string | Uint8Array<ArrayBuffer>): Request {
  return receivedRequest({ headers: { "content-type": type }, body });
}

for (
  const [type, is] of [
    ["multipart/form-data; boundary=x", true],
    ["Multipart/Form-Data;boundary=x", true],
    ["application/x-www-form-urlencoded", true],
    ["application/x-www-form-urlencoded; charset=utf-8", true],
    ["application/json", false],
    ["multipart/form-database", false],
    ["multipart/mixed; boundary=x", false],
    ["", false],
  ] as const
) {
  Deno.test(`isForm() is ${is} for '${type}'`, () => {
    assert.equal(isForm(request(type, "")), is);
  });
}

Deno.test("readForm() refuses a compressed form, and takes one that says it is as it is", async () => {
  const coded = (coding: string) =>
    receivedRequest({
      headers: { "content-type": MULTIPART, "content-encoding": coding },
      body: FORM,
    });
  for (const coding of ["gzip", "br", "identity, gzip", "x-unknown"]) {
    const within = limits();
    await assert.rejects(readForm(coded(coding), within), {
      error: "unsupported_content_encoding",
      message: /send it uncompressed/,
    });
    assert.equal(within.budget.usedBytes, 0);
  }
  for (const coding of ["identity", "Identity", "identity, identity"]) {
    assert.equal((await readForm(coded(coding), limits())).value.prompt, "Schnee über Łódź");
  }
});

Deno.test("readForm() reads a multipart form and reserves its bytes", async () => {
  const within = limits();
  const { value: fields } = await readForm(request(MULTIPART, FORM), within);
  assert.deepEqual(Object.keys(fields), ["prompt", "source_policy", "input_reference"]);
  assert.equal(fields.prompt, "Schnee über Łódź");
  assert.deepEqual(fields.input_reference, new TextEncoder().encode("\u0001\u0002\r\n--xy"));
  assert.equal(within.budget.usedBytes, new TextEncoder().encode(FORM).length);
});

for (
  const [how, type, form] of [
    ["a quoted boundary", 'multipart/form-data; boundary="xyz"', FORM],
    ["a parameter before its boundary", "multipart/form-data; charset=utf-8; boundary=xyz", FORM],
    ["a boundary in capitals", "multipart/form-data; BOUNDARY=xyz", FORM],
    ["line breaks behind its end", MULTIPART, `${FORM}\r\n\r\n`],
    ["no line break behind its end", MULTIPART, FORM.trimEnd()],
  ] as const
) {
  Deno.test(`readForm() reads a form with ${how}`, async () => {
    const { value: fields } = await readForm(request(type, form), limits());
    assert.equal(fields.prompt, "Schnee über Łódź");
  });
}

Deno.test("readForm() refuses a form that is cut at any byte, and keeps nothing of it", async () => {
  const bytes = new TextEncoder().encode(FORM.trimEnd());
  for (let length = 0; length < bytes.length; length++) {
    const within = limits();
    await assert.rejects(
      readForm(request(MULTIPART, bytes.slice(0, length)), within),
      { error: "malformed_request" },
      `cut after ${length} bytes`,
    );
    assert.equal(within.budget.usedBytes, 0);
  }
});

for (
  const [what, type, body] of [
    ["without a boundary", "multipart/form-data", FORM],
    ["with another boundary", "multipart/form-data; boundary=abc", FORM],
    ["of JSON", MULTIPART, '{"prompt":"x"}'],
    ["that is empty", MULTIPART, ""],
    ["of an end alone, after something else", MULTIPART, "nothing--xyz--"],
    [
      "with a part that has no name",
      MULTIPART,
      "--xyz\r\nContent-Disposition: form-data\r\n\r\na\r\n--xyz--",
    ],
    ["with a part that has no head", MULTIPART, "--xyz\r\na\r\n--xyz--"],
  ] as const
) {
  Deno.test(`readForm() refuses a multipart form ${what}`, async () => {
    const within = limits();
    await assert.rejects(readForm(request(type, body), within), { error: "malformed_request" });
    assert.equal(within.budget.usedBytes, 0);
  });
}

Deno.test("readForm() reads a urlencoded form with nested names", async () => {
  const body = "prompt=a+b%20%C3%BC&source_policy%5Bexclude_risk_levels%5D%5B%5D=high&seconds=4";
  const { value: fields } = await readForm(
    request("application/x-www-form-urlencoded", body),
    limits(),
  );
  assert.equal(
    JSON.stringify(fields),
    JSON.stringify({
      prompt: "a b ü",
      source_policy: { exclude_risk_levels: ["high"] },
      seconds: "4",
    }),
  );
});

Deno.test("readForm() refuses a form beyond its limit", async () => {
  const within = limits(100);
  await assert.rejects(readForm(request(MULTIPART, FORM), within), { error: "request_too_large" });
  assert.equal(within.budget.usedBytes, 0);
});

Deno.test("readForm() refuses a form that the budget has no room for, and one that passes later", async () => {
  const within = limits();
  within.budget.reserve(19_900);
  await assert.rejects(readForm(request(MULTIPART, FORM), within), {
    error: "pool_limit_exceeded",
    retryAfterSeconds: 1,
  });
  within.budget.release(19_900);
  await readForm(request(MULTIPART, FORM), within);
});

Deno.test("readForm() tells of a client that went away while it sent", async () => {
  const headers = { "content-type": MULTIPART };
  const gone = receivedRequest({ headers, body: "--", missingBytes: 1 });
  await assert.rejects(readForm(gone, limits()), { error: "client_closed_request" });
});

Deno.test("readForm() gives up a form of nothing but separators", async () => {
  const { value: few } = await readForm(
    request("application/x-www-form-urlencoded", "&a=1&&b=2&"),
    limits(),
  );
  assert.deepEqual(few, { a: "1", b: "2" });
  const { budget } = limits();
  await assert.rejects(
    readForm(request("application/x-www-form-urlencoded", "&".repeat(5_000)), {
      maxBytes: 10_000,
      budget,
    }),
    { code: "malformed_request" },
  );
  assert.equal(budget.usedBytes, 0);
});
