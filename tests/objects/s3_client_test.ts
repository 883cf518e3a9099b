/**
 * What is made of a server that says no, says nothing, or says what is none of S3's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import type { S3Access } from "../../src/objects/s3_client.ts";

const SECRET = "wJalrXUtnFEMI-a-secret";
const ACCESS: S3Access = {
  endpoint: "http://127.0.0.1:9",
  region: "eu-central-1",
  keys: () => ({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET, sessionToken: "a-token" }),
};

function bucketOf(
  answers: readonly (Response | Error)[],
  access: Partial<S3Access> = {},
): { bucket: S3Bucket; asked: Request[]; waits: number[] } {
  const asked: Request[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const bucket = new S3Bucket({
    bucket: "backups",
    access: { ...ACCESS, ...access },
    now: () => Date.UTC(2026, 0, 1),
    wait: (ms) => Promise.resolve(void waits.push(ms)),
    fetch(url, init) {
      asked.push(new Request(url as string, init));
      const answer = left.length > 1 ? left.shift()! : left[0]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer.clone());
    },
  });
  return { bucket, asked, waits };
}

const denied = (code: string, message: string, status = 403) =>
  new Response(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    {
      status,
    },
  );

const listing = (bucket: S3Bucket) => Array.fromAsync(bucket.list("x"));

Deno.test("what speaks against it is told with what to do, and without a secret", async () => {
  const table: readonly (readonly [Response, RegExp])[] = [
    [
      denied("InvalidAccessKeyId", "AKIDEXAMPLE is unknown"),
      /\(hidden\) is unknown\. Mend AWS_ACCESS_KEY_ID/,
    ],
    [
      denied("SignatureDoesNotMatch", `of ${SECRET} &amp; more`),
      /of \(hidden\) & more\. Mend AWS_SECRET/,
    ],
    [denied("NoSuchBucket", "none", 404), /404 NoSuchBucket: none\. Make the bucket first/],
    [denied("QuotaExceeded", "full", 400), /Make room in the bucket/],
    [
      new Response(denied("PermanentRedirect", "elsewhere").body, {
        status: 301,
        headers: { "x-amz-bucket-region": "us-west-2" },
      }),
      /Set AWS_REGION to the bucket's region \(us-west-2\)/,
    ],
    [new Response("<html>hello</html>"), /the answer is no list of S3's/],
    [new Response("teapot", { status: 404 }), /AWS_ENDPOINT_URL_S3/],
  ];
  for (const [answer, expected] of table) {
    const { bucket, asked } = bucketOf([answer]);
    const error = await listing(bucket).catch((error) => error);
    assert.match(error.message, expected);
    assert.match(error.message, /^Cannot list s3:\/\/backups\/x: /);
    for (const secret of [SECRET, "AKIDEXAMPLE", "a-token"]) {
      assert.ok(!error.message.includes(secret));
    }
    assert.equal(asked.length, 1, "nothing of this passes by itself");
  }
});

Deno.test("what passes by itself is tried again, and not for ever", async () => {
  const list = new Response("<ListBucketResult></ListBucketResult>");
  const passing = bucketOf([
    denied("SlowDown", "slow", 503),
    new TypeError("connection reset"),
    denied("InternalError", "oops", 500),
    list,
  ]);
  assert.deepEqual(await listing(passing.bucket), []);
  assert.deepEqual(passing.waits, [1_000, 4_000, 15_000]);
  const lasting = bucketOf([new TypeError("fetch failed", { cause: new Error("refused") })]);
  await assert.rejects(listing(lasting.bucket), /127\.0\.0\.1:9 cannot be reached: refused/);
  assert.equal(lasting.asked.length, 4);
});

Deno.test("an end that comes with 200 and an error in it is none", async () => {
  const { bucket, asked } = bucketOf([
    new Response(
      "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
    ),
    new Response(null, { headers: { etag: '"1"' } }),
    new Response(null, { headers: { etag: '"2"' } }),
    denied("InternalError", "it could not be joined", 200),
    new Response(null, { status: 204 }),
  ]);
  const bytes = 9 * 1024 ** 2;
  const source = {
    bytes,
    sha256: "0".repeat(64),
    read: (_: number, length: number) => Promise.resolve(new Uint8Array(length)),
  };
  await assert.rejects(bucket.put("k", source), /InternalError: it could not be joined/);
  assert.equal(asked.at(-1)!.method, "DELETE");
  assert.equal(new URL(asked.at(-1)!.url).search, "?uploadId=u");
});

Deno.test("each request is signed for its body and its bucket's address", async () => {
  const one = bucketOf([new Response(null, { headers: { "content-length": "1" } })]);
  await one.bucket.head("a b");
  const { url, headers } = one.asked[0]!;
  assert.equal(url, "http://127.0.0.1:9/backups/a%20b");
  assert.match(
    headers.get("authorization")!,
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260101\/eu-central-1\/s3\/aws4_request, /,
  );
  assert.match(headers.get("x-amz-content-sha256")!, /^e3b0c44298fc1c14/);
  assert.equal(headers.get("x-amz-security-token"), "a-token");
  // Packed on the way, an object would have another size; and who packs changes what is signed.
  assert.equal(headers.get("accept-encoding"), "identity");
  assert.doesNotMatch(headers.get("authorization")!, /accept-encoding/);
  const aws = bucketOf([new Response()], { endpoint: undefined });
  await aws.bucket.head("k");
  assert.equal(aws.asked[0]!.url, "https://backups.s3.eu-central-1.amazonaws.com/k");
});

Deno.test("a body whose server falls silent in the middle breaks, and lets go of its line", async () => {
  const { promise: letGo, resolve } = Promise.withResolvers<unknown>();
  const bucket = new S3Bucket({
    bucket: "backups",
    access: ACCESS,
    patienceMs: 1,
    fetch(_url, init) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(3));
          init!.signal!.addEventListener("abort", () => {
            controller.error(init!.signal!.reason);
            resolve(true);
          });
        },
      });
      return Promise.resolve(new Response(body, { headers: { "content-length": "9" } }));
    },
  });
  const { body } = (await bucket.get("k"))!;
  const error = await Array.fromAsync(body).catch((error) => error);
  assert.match(error.message, /^Cannot read s3:\/\/backups\/k: http:.*:9 answered nothing in 0 s$/);
  assert.equal(await letGo, true);
});

Deno.test("a key that is not there is none; a bucket that is not there is told", async () => {
  assert.equal(await bucketOf([denied("NoSuchKey", "none", 404)]).bucket.get("k"), undefined);
  const { bucket } = bucketOf([denied("NoSuchBucket", "none", 404)]);
  await assert.rejects(bucket.get("k"), /NoSuchBucket: none\. Make the bucket first/);
  await assert.rejects(bucket.abandon("k", "u"), /NoSuchBucket/);
  const tooLong = bucketOf([new Response("x".repeat(9 * 1024 ** 2), { status: 404 })]).bucket;
  await assert.rejects(tooLong.get("k"), /the answer is longer than any of S3's/);
});

Deno.test("a list that never ends, or opens what it never closes, ends with an error", async () => {
  const page = (more: string) =>
    new Response(`<ListBucketResult><IsTruncated>true</IsTruncated>${more}</ListBucketResult>`);
  const same = "<NextContinuationToken>again</NextContinuationToken>";
  const { bucket, asked } = bucketOf([page(same)]);
  await assert.rejects(listing(bucket), /gives the same page again and again/);
  assert.equal(asked.length, 2);
  await assert.rejects(listing(bucketOf([page("")]).bucket), /goes on, and does not say where/);
  const open = bucketOf([page("<Contents>".repeat(800_000))]).bucket;
  await assert.rejects(listing(open), /an object in the list has no key or no size/);
});

Deno.test("an object is whole whose joining was answered on a line that broke", async () => {
  const bytes = 9 * 1024 ** 2;
  const sha256 = "0".repeat(64);
  const source = {
    ...{ bytes, sha256 },
    read: (_: number, length: number) => Promise.resolve(new Uint8Array(length)),
  };
  const begun = [
    new Response(
      "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
    ),
    new Response(null, { headers: { etag: '"1"' } }),
    new Response(null, { headers: { etag: '"2"' } }),
    new TypeError("connection reset"),
    denied("NoSuchUpload", "it is not there", 404),
  ];
  const head = (hash: string) =>
    new Response(null, {
      headers: { "content-length": String(bytes), "x-amz-meta-sha256": hash },
    });
  const { bucket, asked } = bucketOf([...begun, head(sha256)]);
  await bucket.put("k", source);
  assert.ok(asked.every(({ method }) => method !== "DELETE"));
  const other = bucketOf([...begun, head("1".repeat(64)), new Response(null, { status: 204 })]);
  await assert.rejects(other.bucket.put("k", source), /NoSuchUpload: it is not there/);
});
