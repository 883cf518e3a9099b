import assert from "node:assert/strict";
import { byteSize, parseByteSize } from "../../src/documents/byte_size.ts";

Deno.test("parseByteSize() reads bytes with and without a unit", () => {
  const sizes = [
    ["0", 0],
    ["10485760", 10_485_760],
    ["10MB", 10_000_000],
    ["10 MB", 10_000_000],
    ["10mb", 10_000_000],
    ["2kB", 2_000],
    ["2KiB", 2_048],
    ["1.5GiB", 1_610_612_736],
    ["50GB", 50_000_000_000],
    ["1TiB", 1_099_511_627_776],
    ["7B", 7],
    ["0.0015kB", 1],
  ] as const;
  for (const [text, bytes] of sizes) assert.equal(parseByteSize(text), bytes, text);
  for (
    const text of [
      "",
      "MB",
      "-1",
      "10M",
      "10 mega",
      "1e3",
      "1,5GB",
      "10MB ",
      "iB",
      "5iB",
      "1.5",
      "1.5B",
    ]
  ) {
    assert.equal(parseByteSize(text), undefined, text);
  }
});

Deno.test("byteSize() takes numbers and texts within its bounds, and says what to write", () => {
  const schema = byteSize({ min: 1_024, max: 1_000_000 });
  assert.equal(schema.parse(2_000), 2_000);
  assert.equal(schema.parse("2kB"), 2_000);
  const message = (value: unknown) => schema.safeParse(value).error?.issues[0]?.message;
  assert.equal(message("1kB"), "Expected from 1024 to 1000000 bytes");
  assert.equal(message(2_000_000), "Expected from 1024 to 1000000 bytes");
  for (const value of ["10M", 1_500.5]) {
    assert.equal(message(value), "Expected a number of bytes such as 10485760, 10MB or 1.5GiB");
  }
});
