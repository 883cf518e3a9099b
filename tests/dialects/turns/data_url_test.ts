/**
 * Content in `data:` URLs, with or without base64, and wrongly escaped.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import { bedrockConverse } from "../../../src/dialects/bedrock_converse/dialect.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import { readDataUrl } from "../../../src/dialects/turns/data_url.ts";
import type { TurnsRequest } from "../../../src/dialects/turns/turns_request.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";

Deno.test("readDataUrl() takes both codings, parameters, and no media type", () => {
  assert.deepEqual(readDataUrl("data:IMAGE/PNG;base64,AAEC", "x"), {
    media: "image/png",
    base64: "AAEC",
  });
  assert.deepEqual(readDataUrl("data:text/plain;charset=utf-8,gr%C3%BCn", "x"), {
    media: "text/plain",
    base64: btoa("gr\u00c3\u00bcn"),
  });
  assert.deepEqual(readDataUrl("data:,a", "x"), { media: undefined, base64: "YQ==" });
  assert.equal(readDataUrl("https://example.com/a,b", "x"), undefined);
  assert.equal(readDataUrl("AAEC", "x"), undefined);
});

Deno.test("a text of megabytes that has no comma is no such URL, and is looked at once", () => {
  const word = "b".repeat(4 * 1024 ** 2);
  assert.equal(readDataUrl(`data:a/${word}`, "x"), undefined);
  assert.equal(readDataUrl(`data:${word}`, "x"), undefined);
  assert.deepEqual(readDataUrl(`data:a/b;c=${word};base64,AAEC`, "x"), {
    media: "a/b",
    base64: "AAEC",
  });
});

const at = "messages[0].content[1].file.file_data";

const WRONG: TurnsRequest = {
  model: "m",
  instructions: [],
  turns: [{
    role: "user",
    blocks: [{
      type: "file",
      source: { by: "data", value: "data:text/plain,100%zz", at },
      name: "a.txt",
      at,
    }],
    at: "messages[0]",
  }],
  tools: [],
  settings: {},
  shared: { of: "openai", fields: {} },
  extra: { of: "openai_chat", fields: {} },
  others: [],
};

for (const { name, upstreams } of [DIALECTS.anthropic_messages, gemini, bedrockConverse]) {
  Deno.test(`a wrongly escaped data URL is its caller's fault: ${name}`, () => {
    assert.throws(
      () => upstreams.writeRequest(WRONG, { model: "m", keepsReasoning: false }),
      (error) =>
        error instanceof UpstreamError && error.failure === "caller" && error.param === at &&
        error.publicMessage?.includes("%") === true,
    );
  });
}
