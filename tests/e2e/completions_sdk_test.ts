/**
 * Completions through the program, by both majors of `openai`.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../fixtures/openai/other_schemas.json" with { type: "json" };
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { mediaCatalogue } from "../support/media_gateway.ts";
import { otherAnswer } from "../support/fault_upstream/other_answers.ts";
import { assertSatisfies } from "../support/schema_check.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { MAJORS } from "./openai_sdk/majors.ts";
import type { Client } from "./openai_sdk/scene.ts";

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client has texts completed, whole and streamed`, async () => {
    await using upstream = await startFakeUpstream((request) => {
      const { stream, ...fields } = request.json();
      const answer = otherAnswer(request.target, fields)!;
      return stream === true ? sseReply([answer, "[DONE]"]) : jsonReply(answer);
    });
    await using gateway = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
    await gateway.credit("paying", "1");
    const key = await gateway.key("paying");
    const client: Client = new sdk.OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: key,
      maxRetries: 0,
    });
    const request = { model: "completer", prompt: ["a", "b"], suffix: ".", n: 1 };
    const whole = await client.completions.create(request);
    assertSatisfies(schemas, "CreateCompletionResponse", whole);
    assert.deepEqual(whole.choices.map(({ index, text }) => [index, text]), [[0, " words"], [
      1,
      " words",
    ]]);
    const stream = await client.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    assert.equal(chunks.at(-1)!.usage!.total_tokens, 5);
    const { balance } = await gateway.cli("projects", "show", "paying");
    assert.equal(balance, "0.99997200");
    assert.equal((await gateway.cli("ledger", "verify")).differences.length, 0);
  });
}
