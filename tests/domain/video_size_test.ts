import assert from "node:assert/strict";
import { readVideoSize } from "../../src/domain/video_size.ts";

for (
  const [size, read] of [
    ["1280x720", { width: 1280, height: 720 }],
    ["1x1", { width: 1, height: 1 }],
    ["99999x2", { width: 99999, height: 2 }],
    ["100000x2", undefined],
    ["0x720", undefined],
    ["1280X720", undefined],
    ["1280x720x3", undefined],
    ["1280x", undefined],
    ["x720", undefined],
    ["1280", undefined],
    ["-2x2", undefined],
    ["1e3x720", undefined],
    ["0x10x720", undefined],
    [" 1280x720", undefined],
    ["nonsense", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`readVideoSize() reads '${size}' as ${JSON.stringify(read)}`, () => {
    assert.deepEqual(readVideoSize(size), read);
  });
}
