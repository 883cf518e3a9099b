/**
 * An upstream with a wire format of its own: events on lines, and errors that are plain text.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { type JsonObject, nonEmptyString } from "../../../src/domain/json_value.ts";
import { secretUses } from "../../../src/domain/secret_uses.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { Endpoint } from "../../../src/providers/upstream/endpoint.ts";
import { type ErrorForm, NO_BODY } from "../../../src/dialects/base/error_form.ts";
import type { Framing, OnEvent } from "../../../src/providers/upstream/event_parser.ts";
import type { EventReader } from "../../../src/providers/upstream/event_feed.ts";
import {
  openEventStream,
  type StreamMedia,
} from "../../../src/providers/upstream/open_event_stream.ts";
import { type Script, startFakeUpstream, textReply } from "../../support/fake_upstream.ts";
import { failureOf, never, providerSettings, readAll } from "../../support/provider_parts.ts";

class Lines implements Framing {
  readonly #decoder = new TextDecoder();
  readonly #onEvent: OnEvent;
  #rest = "";

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  get pending(): number {
    return this.#rest.length;
  }

  read(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#onEvent(line, "");
  }

  end(): void {
    this.#onEvent(this.#rest, "");
  }
}

const MEDIA: StreamMedia = {
  accept: "application/x-lines",
  type: /^application\/x-lines\b/,
  framing: (onEvent) => new Lines(onEvent),
};

const ERRORS: ErrorForm = {
  parse: (text) => ({ ...NO_BODY, message: nonEmptyString(text) }),
  read: ({ oops }) => ({ ...NO_BODY, message: nonEmptyString(oops) }),
  isError: ({ oops }) => oops !== undefined,
};

function reader(): EventReader {
  return {
    endMark: "bye",
    isOver: false,
    read({ say }, _name, events) {
      events.push({
        chunk: {},
        text: String(say),
        usage: undefined,
        usageBody: undefined,
        finished: false,
        empty: false,
      });
    },
    end() {},
    cutShort() {},
  };
}

async function ask(script: Script, own: JsonObject = {}) {
  await using upstream = await startFakeUpstream(script);
  const clock = systemClock;
  const transport = createTransport({ clock });
  const endpoint = new Endpoint(providerSettings({ baseUrl: upstream.url, own }), {
    transport,
    clock,
    secrets: (reference) => `value-of-${reference}`,
    errors: ERRORS,
  });
  const question = { path: "/talk", body: "{}", reader: reader(), media: MEDIA, room: undefined };
  try {
    const stream = await openEventStream(endpoint, { ...question, signal: never() });
    return { said: (await readAll(stream)).map(({ text }) => text), upstream };
  } finally {
    transport.close();
  }
}

Deno.test("openEventStream() reads events as their upstream tells them apart, up to its own mark", async () => {
  const lines = '{"say":"one"}\n{"say":"two"}\nbye\n{"say":"never read"}\n';
  const { said, upstream } = await ask(textReply("application/x-lines", lines));
  assert.deepEqual(said, ["one", "two"]);
  assert.equal(upstream.requests[0]!.headers.get("accept"), "application/x-lines");
});

Deno.test("openEventStream() takes server-sent events for no stream of another form", async () => {
  const error = await failureOf(ask(textReply("text/event-stream", "data: {}\n\n")));
  assert.equal(error.failure, "broken");
});

Deno.test("an upstream's errors are read in its own form, then judged and cleaned as all are", async () => {
  const refused = await failureOf(
    ask(textReply("text/plain", "no such voice value-of-env:ACME_KEY", { status: 400 })),
  );
  assert.equal(refused.failure, "caller");
  assert.equal(refused.publicMessage, "no such voice [redacted]");
  const inBand = await failureOf(
    ask(textReply("application/json", '{"oops":"Request too large"}')),
  );
  assert.equal(inBand.failure, "oversized");
});

Deno.test("secrets of a kind's own settings are not seen in its upstream's words", async () => {
  const words = "No value-of-env:SEAL_KEY, value-of-env:VOICE, value-of-file:/door, nor plain";
  const own = {
    seal_key: "env:SEAL_KEY",
    mood: "plain",
    depth: 3,
    voices: ["plain", { name: "low", key: "env:VOICE" }],
    vault: { door: { key: "file:/door" } },
  };
  const refused = await failureOf(ask(textReply("text/plain", words, { status: 400 }), own));
  assert.equal(refused.publicMessage, "No [redacted], [redacted], [redacted], nor plain");
  assert.deepEqual(
    secretUses(providerSettings({ own })).map(({ reference, part }) => [reference, part]),
    [
      ["env:ACME_KEY", "a key"],
      ["env:SEAL_KEY", "seal_key"],
      ["env:VOICE", "voices[1].key"],
      ["file:/door", "vault.door.key"],
    ],
  );
});
