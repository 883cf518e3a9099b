import assert from "node:assert/strict";
import { UsageMeter } from "../../src/metering/usage_meter.ts";

Deno.test("UsageMeter counts a long answer alike whether it came whole or in parts", () => {
  const whole = new UsageMeter(() => 1);
  const parts = new UsageMeter(() => 1);
  const part = "All work and no play. ".repeat(1_000);
  whole.wrote(part.repeat(40));
  for (let index = 0; index < 40; index++) parts.wrote(part);
  const { work, source } = parts.brokenOff();
  assert.equal(source, "estimated");
  assert.deepEqual(work, whole.brokenOff().work);
  const short = new UsageMeter(() => 1);
  short.wrote(part);
  const expected = 40 * short.complete().work.output!;
  assert.ok(Math.abs(work.output! / expected - 1) < 0.01);
});

Deno.test("UsageMeter adds what was written after counts that came before the end", () => {
  const text = "All work and no play. ".repeat(100);
  const counted = new UsageMeter(() => 1);
  counted.wrote(text);
  const { output } = counted.complete().work;

  const meter = new UsageMeter(() => assert.fail("the upstream has counted the prompt"));
  meter.wrote("Well. ");
  meter.report({ input: 40, output: 1 });
  assert.equal(meter.isReportWhole, true);
  assert.equal(meter.complete().source, "reported");

  meter.wrote(text);
  assert.equal(meter.isReportWhole, false);
  for (const { work, source } of [meter.complete(), meter.brokenOff()]) {
    assert.equal(source, "estimated");
    assert.equal(work.input, 40);
    assert.ok(Math.abs(work.output! / output! - 1) < 0.02);
  }

  const last = { input: 40, output: 501 };
  meter.report(last);
  assert.deepEqual(meter.complete(), { work: last, source: "reported" });
});
