import assert from "node:assert/strict";
import { videoRequest } from "../../../src/http/schemas/video_request.ts";
import { validate } from "../../../src/http/bodies/validate.ts";

const SMALLEST = { prompt: "A hill" };

const TAKEN: readonly (readonly [field: string, value: unknown, read: unknown])[] = [
  ["prompt", "x", "x"],
  ["prompt", "x".repeat(32_000), "x".repeat(32_000)],
  ["prompt", "🌊".repeat(32_000), "🌊".repeat(32_000)],
  ["prompt", "a\ud800b", "a\ufffdb"],
  ["size", "1280x720", "1280x720"],
  ["size", "1x99999", "1x99999"],
  ["size", null, null],
  ["seconds", "4", 4],
  ["seconds", 4, 4],
  ["seconds", 3600, 3600],
  ["seconds", null, null],
  ["model", null, null],
  ["input_reference", new Uint8Array([1]), new Uint8Array([1])],
  ["input_reference", "data:image/png;base64,AA==", "data:image/png;base64,AA=="],
  ["input_reference", { image_url: "data:" }, { image_url: "data:" }],
  ["input_reference", { image_url: { url: "data:" } }, { image_url: { url: "data:" } }],
  ["input_reference", { file_id: "file_1" }, { file_id: "file_1" }],
  ["callback_url", null, null],
  ["anything", { else: [1] }, { else: [1] }],
];

for (const [field, value, read] of TAKEN) {
  Deno.test(`videoRequest takes '${field}': ${shown(value)}`, () => {
    const checked = validate(videoRequest, { ...SMALLEST, [field]: value });
    assert.deepEqual(checked[field], read);
  });
}

const REFUSED: readonly (readonly [field: string, value: unknown, param?: string])[] = [
  ["prompt", ""],
  ["prompt", " \n\u3000"],
  ["prompt", "a\0b"],
  ["prompt", "x".repeat(32_001)],
  ["prompt", "🌊".repeat(32_001)],
  ["prompt", 4],
  ["prompt", null],
  ["prompt", new Uint8Array([65])],
  ["prompt", ["a"]],
  ["size", ""],
  ["size", "0x0"],
  ["size", "0x720"],
  ["size", "640X360"],
  ["size", "640x360 "],
  ["size", "640x360\n"],
  ["size", "-1x1"],
  ["size", "100000x1"],
  ["size", "٦٤٠x٣٦٠"],
  ["size", 640],
  ["seconds", ""],
  ["seconds", "0"],
  ["seconds", 0],
  ["seconds", -1],
  ["seconds", "-1"],
  ["seconds", "1e3"],
  ["seconds", "4.5"],
  ["seconds", 4.5],
  ["seconds", "04"],
  ["seconds", " 4"],
  ["seconds", "4\n"],
  ["seconds", "٤"],
  ["seconds", 3601],
  ["seconds", "3601"],
  ["seconds", "99999"],
  ["seconds", true],
  ["seconds", ["4"]],
  ["model", ""],
  ["model", "m".repeat(201)],
  ["callback_url", ""],
  ["callback_url", 4],
  ["input_reference", 4],
  ["input_reference", {}],
  ["input_reference", { image_url: "data:", file_id: "file_1" }],
  ["input_reference", { image_url: new Uint8Array([1]) }],
  ["provider", { order: 4 }, "provider.order"],
  ["provider", []],
  ["routing_preference", "cheapest"],
  ["source_policy", { exclude: [] }, "source_policy.exclude"],
  ["source_policy", { exclude_risk_levels: ["none"] }, "source_policy.exclude_risk_levels[0]"],
];

for (const [field, value, param = field] of REFUSED) {
  Deno.test(`videoRequest refuses '${field}': ${shown(value)}, naming it`, () => {
    assert.throws(() => validate(videoRequest, { ...SMALLEST, [field]: value }), {
      error: "invalid_value",
      param,
    });
  });
}

Deno.test("videoRequest misses the prompt of a request without one", () => {
  assert.throws(() => validate(videoRequest, { model: "m" }), {
    error: "missing_required_parameter",
    param: "prompt",
  });
});

for (const body of [null, [], "text", 4]) {
  Deno.test(`videoRequest refuses a body that is ${JSON.stringify(body)}`, () => {
    assert.throws(() => validate(videoRequest, body), { error: "invalid_value", param: null });
  });
}

Deno.test("videoRequest lets a body change no prototype", () => {
  const body = JSON.parse('{"prompt":"x","__proto__":{"size":"1x1","polluted":true}}');
  const checked = validate(videoRequest, body);
  assert.equal(checked.size, undefined);
  assert.equal((checked as Record<string, unknown>).polluted, undefined);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

function shown(value: unknown): string {
  const text = value instanceof Uint8Array ? "a file" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 20)}… of ${text.length} characters` : text;
}
