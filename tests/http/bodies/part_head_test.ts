import assert from "node:assert/strict";
import { readPartHead } from "../../../src/http/bodies/part_head.ts";

for (
  const [what, disposition, filename] of [
    ["a plain name", 'filename="a.wav"', "a.wav"],
    ["a token", "filename=a.wav", "a.wav"],
    ["an escaped quote", 'filename="a\\"b.wav"', 'a"b.wav'],
    [
      "an extended name, which is the better one",
      "filename=x; filename*=UTF-8''%E2%82%AC.wav",
      "€.wav",
    ],
    ["an extended name that cannot be read", "filename=x; filename*=utf-8''%E2%8", "x"],
    ["a path", 'filename="/etc/passwd"', "passwd"],
    ["a Windows path", 'filename="C:\\\\a\\\\b.wav"', "b.wav"],
    ["control characters", 'filename="a\u0000\nb"', "a__b"],
    ["no characters", 'filename=""', ""],
    ["too many characters", `filename="${"x".repeat(400)}"`, "x".repeat(255)],
  ] as const
) {
  Deno.test(`readPartHead() reads a filename with ${what}`, () => {
    const { name, file } = readPartHead(`content-disposition: form-data; name=f; ${disposition}`);
    assert.equal(name, "f");
    assert.equal(file?.filename, filename);
  });
}

for (
  const [told, type] of [
    ["audio/WAV", "audio/wav"],
    [" image/png ; q=1", "image/png"],
    ["text/plain\n x: y", undefined],
    ["png", undefined],
    ["a/b/c", undefined],
  ] as const
) {
  Deno.test(`readPartHead() takes ${JSON.stringify(told)} for ${type}`, () => {
    const head = `Content-Type:${told}\r\nContent-Disposition: form-data; name=f; filename=x`;
    assert.equal(readPartHead(head).file?.contentType, type);
  });
}
