import assert from "node:assert/strict";
import { GatewayError } from "../../../../src/errors.ts";
import { referenceBytes } from "../../../../src/http/endpoints/videos/create_video.ts";

const BYTES = Uint8Array.of(0, 255, 128, 7);
const DATA_URL = "data:image/png;base64,AP+ABw==";

Deno.test("referenceBytes() takes a file, and a data URL in each of its places", () => {
  const same = [
    BYTES,
    DATA_URL,
    { image_url: DATA_URL },
    { image_url: { url: DATA_URL } },
    DATA_URL.replace("image/png", "IMAGE/svg+xml"),
    DATA_URL.replace("==", ""),
    DATA_URL.replace("AP", "A\r\n P"),
  ];
  for (const reference of same) assert.deepEqual(referenceBytes(reference), BYTES);
  assert.equal(referenceBytes(undefined), undefined);
  assert.equal(referenceBytes(null), undefined);
});

Deno.test("referenceBytes() says of an empty field or file that it is empty", () => {
  for (const reference of ["", new Uint8Array(), { image_url: "" }]) {
    assert.throws(() => referenceBytes(reference), {
      error: "invalid_value",
      param: "input_reference",
      message: "Invalid value for 'input_reference': it is empty: send a file or leave it out",
    });
  }
});

Deno.test("referenceBytes() refuses everything that is not the image itself, without a word of it", () => {
  const bad = [
    ["https://example.test/secret.png", "invalid_value", "input_reference"],
    ["data:image/png,secret", "invalid_value", "input_reference"],
    ["data:image/png;base64,secret*", "invalid_value", "input_reference"],
    ["data:image/png;base64,secre", "invalid_value", "input_reference"],
    [{ file_id: "secret" }, "not_supported", "input_reference.file_id"],
  ] as const;
  for (const [reference, error, param] of bad) {
    assert.throws(() => referenceBytes(reference), (thrown) => {
      assert.ok(thrown instanceof GatewayError);
      assert.deepEqual([thrown.error, thrown.param], [error, param]);
      assert.doesNotMatch(thrown.message, /secre/);
      return true;
    });
  }
});
