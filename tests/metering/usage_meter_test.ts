import assert from "node:assert/strict";
import { UsageMeter } from "../../src/metering/usage_meter.ts";

Deno.test("UsageMeter counts a long answer alike whether it came whole or in parts", () => {
  const whole = new UsageMeter(() => 1);
  const parts = new UsageMeter(() => 1);
  const part = "All work and no play. ".repeat(1_000);
  whole.wrote(part.repeat(40));
  for (let index = 0; index < 40; index++) parts.wrote(part);
  const { usage, source } = parts.brokenOff();
  assert.equal(source, "estimated");
  assert.deepEqual(usage, whole.brokenOff().usage);
  const short = new UsageMeter(() => 1);
  short.wrote(part);
  const expected = 40 * short.complete().usage.completionTokens;
  assert.ok(Math.abs(usage.completionTokens / expected - 1) < 0.01);
});
