import assert from "node:assert/strict";
import { forwardedBody, routingFields } from "../../../src/dialects/base/routing_fields.ts";

const REDIRECTING = [
  "base_url",
  "api_base",
  "api_key",
  "headers",
  "extra_headers",
  "litellm_params",
];

Deno.test("none of our own fields and none that redirects a request is forwarded", () => {
  for (const name of [...Object.keys(routingFields), ...REDIRECTING]) {
    const body = JSON.parse(`{"a":1,"${name}":{"b":2},"__proto__":{"c":3},"d":null}`);
    const forwarded = JSON.stringify(forwardedBody(body));
    assert.equal(forwarded, '{"a":1,"__proto__":{"c":3},"d":null}', name);
    assert.deepEqual(body[name], { b: 2 }, "the body itself stays as it came");
  }
});

Deno.test("a body without them is forwarded as it is", () => {
  const body = { model: "m", messages: [], provider_of_mine: 1 };
  assert.equal(forwardedBody(body), body);
});
