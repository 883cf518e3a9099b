import assert from "node:assert/strict";
import { createFrame, type Frame } from "../frame.ts";
import { viewStill } from "../images/still_camera.ts";
import { mixFrames } from "../mix_frames.ts";

Deno.test("mixFrames() lays one frame over another by the given share", () => {
  for (const [share, expected] of [[0, 40], [0.25, 80], [0.5, 120], [1, 200]] as const) {
    const below = flat(40);
    mixFrames(below, flat(200), share);
    assert.deepEqual([...new Set(below.data)], [expected]);
  }
});

Deno.test("mixFrames() throws when the frames differ in size", () => {
  assert.throws(() => mixFrames(flat(1), createFrame(4, 4), 0.5), RangeError);
});

Deno.test("viewStill() shows the still itself at first and for a camera that stands still", () => {
  const still = slope();
  for (const view of [{ progress: 0, move: "zoom_in" }, { progress: 1, move: "still" }] as const) {
    const frame = flat(0);
    viewStill(still, frame, view);
    assert.deepEqual(frame.data, still.data);
  }
});

Deno.test("viewStill() comes nearer to where the camera heads", () => {
  const seen = (move: "drift" | "pan_left" | "pan_right" | "tilt_up" | "tilt_down") => {
    const frame = flat(0);
    viewStill(slope(), frame, { progress: 1, move });
    return {
      left: frame.y[32 * 64]!,
      right: frame.y[32 * 64 + 63]!,
      top: frame.u[16]!,
      bottom: frame.u[31 * 32 + 16]!,
    };
  };
  const drift = seen("drift");
  assert.ok(drift.left > 0 && drift.right < 126, "both sides leave the picture");
  assert.ok(drift.top > 0 && drift.bottom < 62, "so do top and bottom");
  assert.equal(seen("pan_left").left, 0);
  assert.ok(seen("pan_left").right < drift.right);
  assert.equal(seen("pan_right").right, 126);
  assert.ok(seen("pan_right").left > drift.left);
  assert.equal(seen("tilt_up").top, 0);
  assert.equal(seen("tilt_down").bottom, 62);
});

function flat(value: number): Frame {
  const frame = createFrame(64, 64);
  frame.data.fill(value);
  return frame;
}

/** Luma grows from left to right, blue difference from top to bottom. */
function slope(): Frame {
  const frame = createFrame(64, 64);
  frame.y.forEach((_, at) => frame.y[at] = (at % 64) * 2);
  frame.u.forEach((_, at) => frame.u[at] = Math.floor(at / 32) * 2);
  return frame;
}
