/**
 * Who is asked in which dialect, and what is converted.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../src/domain/clock.ts";
import { createCompletionIds } from "../../src/dialects/base/completion_ids.ts";
import type { Provider } from "../../src/providers/contract/provider.ts";
import { serve, withConversions } from "../../src/providers/serve.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  chatRoute,
  chunk,
  completion,
  never,
  openAiCompatible,
  readAll,
  textChunk,
} from "../support/provider_parts.ts";
import { helloEvents, nativeCall, responseBody } from "../support/response_bodies.ts";
import { assertWholeStream } from "../support/response_stream_check.ts";
import { SEALS } from "../support/thought_seals.ts";

const responses = serve("openai_responses");

function completed(provider: Provider): Provider {
  return withConversions(provider, {
    clock: systemClock,
    ids: createCompletionIds(() => 0.5),
    seals: SEALS,
  });
}

for (const supports of [{}, { responses: false }]) {
  const call = nativeCall({}, { route: chatRoute({ supports }) });
  const route = `a route that supports ${JSON.stringify(supports)}`;

  Deno.test(`serve() answers in the dialect of responses over the chat of ${route}`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(completion()));
    const provider = completed(openAiCompatible(upstream.url));
    const { body, text } = await responses.answer(provider, call, never());
    assert.equal(upstream.requests[0]!.target, "/v1/chat/completions");
    assert.equal(body.object, "response");
    assert.equal(text(), "Hi");
  });

  Deno.test(`serve() streams in the dialect of responses over the chat of ${route}`, async () => {
    await using upstream = await startFakeUpstream(
      sseReply([textChunk("Hi"), chunk({}, { finish_reason: "stop" }), "[DONE]"]),
    );
    const provider = completed(openAiCompatible(upstream.url));
    const events = await readAll(await responses.stream(provider, call, never()));
    assert.equal(upstream.requests[0]!.target, "/v1/chat/completions");
    assertWholeStream(events.map((event) => event.chunk));
    assert.equal(events.map(({ text }) => text).join(""), "Hi");
  });
}

Deno.test("serve() asks an upstream in its own dialect where the route has it", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply(responseBody()),
    sseReply(helloEvents()),
  ]);
  const provider = completed(openAiCompatible(upstream.url));
  await responses.answer(provider, nativeCall(), never());
  await readAll(await responses.stream(provider, nativeCall(), never()));
  assert.deepEqual(upstream.requests.map(({ target }) => target), [
    "/v1/responses",
    "/v1/responses",
  ]);
});

Deno.test("serve() blames the operator for what a provider lacks", () => {
  const whole = openAiCompatible("http://127.0.0.1:1");
  const mute = completed({ ...whole, speaks: {} });
  assert.deepEqual(mute.speaks, {});
  for (
    const ask of [
      () => responses.answer(mute, nativeCall(), never()),
      () => responses.stream(mute, nativeCall(), never()),
      () => serve("openai_embeddings").answer(mute, nativeCall(), never()),
      () => serve("openai_embeddings").stream(whole, nativeCall(), never()),
    ]
  ) {
    assert.throws(ask, (error) => {
      assert.ok(error instanceof UpstreamError);
      assert.equal(error.failure, "operator");
      assert.match(
        error.message,
        /^Provider 'acme' serves no calls of openai_(responses|embeddings)$/,
      );
      return true;
    });
  }
});
