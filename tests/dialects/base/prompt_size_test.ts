import assert from "node:assert/strict";
import { openaiChat } from "../../../src/dialects/openai_chat/dialect.ts";
import { promptTokens } from "../../../src/gateway/prompt_tokens.ts";
import { chatFacts } from "../../../src/dialects/openai_chat/facts.ts";
import { mediaSize } from "../../../src/dialects/base/prompt_size.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

/** Base64 of so many bytes. */
const base64 = (bytes: number) => "A".repeat(Math.ceil(bytes / 3) * 4);
const pdf = (bytes: number) => `data:application/pdf;base64,${base64(bytes)}`;

/** What each part is taken for: likely, and at most. */
const PARTS:
  readonly (readonly [name: string, part: JsonObject, estimate: number, bound: number])[] = [
    ["an image", { type: "image_url", image_url: { url: "https://x/a.png" } }, 3_000, 3_000],
    ["an image as data", { type: "input_image", image_url: base64(900_000) }, 3_000, 3_000],
    ["an image by id", { type: "input_image", file_id: "file_1" }, 3_000, 3_000],
    ["a document of 2 MB", { type: "file", file: { file_data: pdf(2_000_000) } }, 63_000, 460_000],
    ["a small document", { type: "input_file", file_data: pdf(3_000) }, 3_000, 18_400],
    ["a document of 30 MB", { type: "input_file", file_data: pdf(30_000_000) }, 300_000, 460_000],
    ["a document by URL", { type: "input_file", file_url: "https://x/a.pdf" }, 30_000, 460_000],
    ["a document by id", { type: "file", file: { file_id: "file_1" } }, 30_000, 460_000],
    [
      "a text whose URL is in capitals",
      { type: "input_file", file_data: `DATA:Text/Plain;base64,${base64(300_000)}` },
      75_005,
      300_018,
    ],
    [
      "a text file",
      {
        type: "file",
        file: { file_data: base64(3_000), filename: "notes.MD" },
      },
      750,
      3_000,
    ],
    [
      "a minute of sound",
      {
        type: "input_audio",
        input_audio: { data: base64(32_000 * 60), format: "wav" },
      },
      1_920,
      7_680,
    ],
    [
      "a minute of packed sound",
      {
        type: "input_audio",
        input_audio: { data: base64(16_000 * 60), format: "mp3" },
      },
      1_920,
      30_720,
    ],
    ["a film", { type: "video_url", video_url: { url: "https://x/a.mp4" } }, 17_400, 174_000],
  ];

for (const [name, part, estimate, bound] of PARTS) {
  Deno.test(`mediaSize() tells ${name} by its kind`, () => {
    const size = mediaSize(part)!;
    assert.deepEqual([size.estimate, size.bound], [estimate, bound]);
    assert.equal(size.isImage, name.includes("image"));
    const body = { messages: [{ role: "user", content: [part, { type: "text", text: "Hello" }] }] };
    const facts = chatFacts({ body, bodyBytes: JSON.stringify(body).length }, false);
    // A hundred bytes of JSON are around it; its data is no text.
    assert.equal(facts.promptTokensEstimate >= estimate, true);
    assert.equal(facts.promptTokensEstimate < estimate + 60, true);
    assert.equal(facts.promptTokensBound >= bound && facts.promptTokensBound < bound + 240, true);
    assert.equal(facts.asked?.image, size.isImage ? 1 : undefined);
    // Billed as it is estimated, where nobody else counts: "Hello" is a token.
    assert.equal(promptTokens(openaiChat, body), estimate + 1);
  });
}

Deno.test("mediaSize() leaves text alone, and bears what is malformed", () => {
  assert.equal(mediaSize({ type: "text", text: "Hello" }), undefined);
  assert.equal(mediaSize({ type: "refusal", refusal: "No" }), undefined);
  for (const type of ["file", "input_file", "input_audio", "video_url"]) {
    const { dataLength, bound } = mediaSize({ type, [type]: 7 })!;
    assert.deepEqual([dataLength, bound >= 0], [0, true]);
  }
});
