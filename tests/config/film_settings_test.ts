import assert from "node:assert/strict";
import { parseS3Url } from "../../src/domain/s3_address.ts";
import { faults } from "./loaded.ts";

Deno.test("s3_url takes a server's address with a bucket, and nothing with a secret in it", () => {
  for (
    const [text, expected] of [
      ["https://s3.example.com/films", ["https://s3.example.com", "films", ""]],
      ["http://127.0.0.1:9000/films/a/b/", ["http://127.0.0.1:9000", "films", "a/b"]],
      ["s3://films/a", [undefined, "films", "a"]],
    ] as const
  ) {
    const place = parseS3Url(text)!;
    assert.deepEqual([place.endpoint, place.bucket, place.path], expected);
  }
  for (
    const text of [
      "films",
      "https://s3.example.com",
      "https://s3.example.com/",
      "https://key:secret@s3.example.com/films",
      "https://s3.example.com/films?x=1",
      "https://s3.example.com/Films",
      "https://s3.example.com/films/../x",
      "ftp://s3.example.com/films",
    ]
  ) assert.equal(parseS3Url(text), undefined, text);
});

Deno.test("films_redirect without a bucket is told", async () => {
  const said = await faults({ films_redirect: "on" });
  assert.match(said.join(), /no bucket to send anybody to without s3_url/);
});
