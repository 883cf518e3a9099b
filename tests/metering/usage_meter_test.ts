import assert from "node:assert/strict";
import { UsageMeter } from "../../src/metering/usage_meter.ts";

Deno.test("UsageMeter counts a long answer alike whether it came whole or in parts", () => {
  const whole = new UsageMeter(() => "hi");
  const parts = new UsageMeter(() => "hi");
  const part = "All work and no play. ".repeat(1_000);
  whole.wrote(part.repeat(40));
  for (let index = 0; index < 40; index++) parts.wrote(part);
  const { usage, source } = parts.brokenOff();
  assert.equal(source, "estimated");
  assert.deepEqual(usage, whole.brokenOff().usage);
  const short = new UsageMeter(() => "hi");
  short.wrote(part);
  const expected = 40 * short.complete().usage.completionTokens;
  assert.ok(Math.abs(usage.completionTokens / expected - 1) < 0.01);
});
