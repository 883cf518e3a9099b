/**
 * Frames of event streams, against AWS's own codec.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventFrames } from "../../../src/providers/bedrock/event_frames.ts";
import { frame } from "./fixtures/frames.ts";
import { EXCEPTION_FRAME, REASONING } from "./fixtures/streams.ts";

function framesOf(pieces: readonly Uint8Array[]): readonly (readonly [string, unknown])[] {
  const events: (readonly [string, unknown])[] = [];
  const frames = new EventFrames((data, name) => events.push([name, JSON.parse(data)]));
  for (const piece of pieces) frames.read(piece);
  frames.end();
  return events;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

Deno.test("frames are read as AWS's own codec writes them, cut anywhere", () => {
  const bytes = joined(REASONING.map(frame));
  const whole = framesOf([bytes]);
  assert.deepEqual(whole.map(([name]) => name), REASONING.map((event) => Object.keys(event)[0]));
  for (const size of [1, 7, 100]) {
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, index) => bytes.slice(index * size, (index + 1) * size),
    );
    assert.deepEqual(framesOf(pieces), whole);
  }
});

Deno.test("a frame that was altered anywhere, or is too long, is refused", () => {
  const bytes = frame(REASONING[1]!);
  for (let at = 0; at < bytes.length; at++) {
    const altered = bytes.slice();
    altered[at]! ^= 1;
    let told = 0;
    const frames = new EventFrames(() => told++);
    // A length that has grown within the prelude is caught by the prelude's own checksum.
    assert.throws(() => frames.read(altered), RangeError, `byte ${at}`);
    assert.equal(told, 0);
  }
});

Deno.test("an exception in a stream is an event of its kind", () => {
  assert.deepEqual(framesOf([EXCEPTION_FRAME]), [["exception", {
    message: "Model Stream Error",
    originalStatusCode: 500,
    originalMessage: "The model stream failed.",
    __type: "modelStreamErrorException",
  }]]);
});
