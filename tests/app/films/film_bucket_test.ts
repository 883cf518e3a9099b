import assert from "node:assert/strict";
import { claimBucket, filmBucketOf, tryBucket } from "../../../src/app/films/film_bucket.ts";
import { parseS3Url } from "../../../src/domain/s3_address.ts";
import { StorageOpenError } from "../../../src/storage/ports/storage_open_error.ts";
import { FakeS3 } from "../../support/fake_s3.ts";

const KEYS = { accessKeyId: "AKIAFAKE", secretAccessKey: "secret" };

function bucketAt(url: string, keys = KEYS) {
  return filmBucketOf({
    settings: { ...parseS3Url(url)!, redirects: false },
    access: { endpoint: undefined, region: "us-east-1", keys: () => keys },
  });
}

async function refusal(work: Promise<void>): Promise<string> {
  const error = await work.then(() => undefined, (caught: unknown) => caught);
  assert.ok(error instanceof StorageOpenError, String(error));
  assert.doesNotMatch(error.message, /\n|secret/);
  assert.match(error.message, /^Cannot keep films in s3:\/\/.*\. Nothing was changed$/);
  return error.message;
}

Deno.test("a bucket that can be used is found good, and nothing is left in it", async () => {
  await using s3 = await FakeS3.start();
  await tryBucket(bucketAt(s3.url), Date.now());
  assert.equal(s3.objects.size, 0);
});

Deno.test("a bucket that cannot be used is refused with what to do, and nothing is left in it", async () => {
  await using s3 = await FakeS3.start();
  const now = Date.now();
  assert.match(
    await refusal(tryBucket(bucketAt(`${s3.endpoint}/another/of/tests`), now)),
    /NoSuchBucket: as asked for\. Make the bucket first/,
  );
  assert.match(
    await refusal(tryBucket(bucketAt(s3.url, { ...KEYS, accessKeyId: "AKIAOTHER" }), now)),
    /InvalidAccessKeyId.*Mend AWS_ACCESS_KEY_ID/,
  );
  s3.fault = ({ method }) => method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined;
  assert.match(await refusal(tryBucket(bucketAt(s3.url), now)), /Allow these credentials to list/);
  s3.fault = ({ method }) =>
    method === "DELETE" ? { status: 403, code: "AccessDenied" } : undefined;
  assert.match(await refusal(tryBucket(bucketAt(s3.url), now)), /Cannot delete.*Allow these/);
  s3.fault = () => undefined;
  s3.objects.clear();
  s3.isStale = true;
  assert.match(await refusal(tryBucket(bucketAt(s3.url), now)), /strongly consistent/);
  s3.isStale = false;
  s3.aheadMs = 86_400_000;
  assert.match(await refusal(tryBucket(bucketAt(s3.url), now)), /set the clock/);
  assert.equal(s3.objects.size, 0);
  s3.fault = () => ({ status: 403, code: "RequestTimeTooSkewed" });
  assert.match(await refusal(tryBucket(bucketAt(s3.url), now)), /Set this machine's clock/);
  assert.match(
    await refusal(tryBucket(bucketAt("http://127.0.0.1:9/films"), now)),
    /cannot be reached/,
  );
});

Deno.test("a bucket with the films of another database is refused", async () => {
  await using s3 = await FakeS3.start();
  const bucket = bucketAt(s3.url);
  await claimBucket(bucket, "one");
  await claimBucket(bucket, "one");
  assert.match(
    await refusal(claimBucket(bucket, "another")),
    /films of a gateway with another database.*delete s3:\/\/films\/of\/tests\/tollgate-owner/,
  );
  await claimBucket(bucketAt(`${s3.endpoint}/films/of/others`), "another");
});
