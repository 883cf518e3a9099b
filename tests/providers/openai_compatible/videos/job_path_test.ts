import assert from "node:assert/strict";
import {
  isJobId,
  jobPath,
} from "../../../../src/providers/openai_compatible/videos/video_upstream.ts";
import { UpstreamError } from "../../../../src/domain/upstream_error.ts";

const BASE = "http://upstream.test/v1";

const USABLE = [
  "video_gen_0123456789abcdef",
  "a",
  "../../../etc/passwd",
  "..%2f..%2fadmin",
  "%2e%2e",
  "%2E%2E/",
  "...",
  ".a",
  "a/b",
  "a\\b",
  "a?b=c",
  "a#b",
  "a&b",
  "%00",
  "%0d%0ax: 1",
  " a ",
  "http://evil.test/",
  "//evil.test/x",
  "a@b:c",
  "é雨🎬",
  "x".repeat(512),
];

Deno.test("jobPath() keeps any usable id in one segment below /videos", () => {
  for (const id of USABLE) {
    assert.equal(isJobId(id), true, id);
    for (const suffix of ["", "/content"] as const) {
      const url = new URL(BASE + jobPath(id, suffix));
      assert.equal(url.host, "upstream.test", id);
      assert.equal(url.search + url.hash, "", id);
      const segment = /^\/v1\/videos\/([^/]+?)(\/content)?$/.exec(url.pathname);
      assert.ok(segment !== null, `${id} → ${url.pathname}`);
      assert.equal(decodeURIComponent(segment[1]!), id);
    }
  }
});

const UNUSABLE = [
  "",
  ".",
  "..",
  "x".repeat(513),
  "a\0b",
  "a\rb",
  "a\nb",
  "a\r\nhost: evil",
  "\u007f",
  "\u0085",
  "a\u2028b",
  "\ud800",
  undefined,
  null,
  7,
  {},
  ["a"],
];

Deno.test("jobPath() refuses ids that no URL can carry", () => {
  for (const id of UNUSABLE) {
    assert.equal(isJobId(id), false, String(id));
    if (typeof id !== "string") continue;
    assert.throws(
      () => jobPath(id),
      (error) => error instanceof UpstreamError && error.failure === "broken",
    );
  }
});
