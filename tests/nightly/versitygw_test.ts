/**
 * The same buckets and backups on a server that checks every signature, and what it says to others'.
 *
 * @module
 */

import assert from "node:assert/strict";
import { NEEDS_S3, startS3Server } from "../support/s3_server.ts";
import { serveGateway } from "../support/served_gateway.ts";
import "../e2e/bucket_backups_test.ts";
import "../objects/s3_bucket_test.ts";

Deno.test(
  "wrong credentials are told with what to mend, and nothing is sent again and again",
  NEEDS_S3,
  async () => {
    assert.ok(Deno.env.get("TOLLGATE_TEST_VERSITYGW"), "TOLLGATE_TEST_VERSITYGW names no server");
    await using s3 = await startS3Server();
    const secret = "another-secret-than-its-own";
    for (
      const [env, expected] of [
        [{ AWS_SECRET_ACCESS_KEY: secret }, /SignatureDoesNotMatch.*Mend AWS_SECRET_ACCESS_KEY/],
        [{ AWS_ACCESS_KEY_ID: "nobody" }, /InvalidAccessKeyId.*Mend AWS_ACCESS_KEY_ID/],
      ] as const
    ) {
      await using gateway = await serveGateway({
        args: ["--backup-every", "1d", "--backup-to", "s3://backups/x"],
        env: { ...s3.env(), ...env },
      });
      await gateway.server.waitForOutput(/backup_failed/);
      const { backup_schedule } = await gateway.admin("GET", "/system");
      assert.match(backup_schedule.trouble, expected);
      assert.ok(!gateway.server.stderr.includes(secret));
      assert.deepEqual(await s3.keys(), []);
    }
  },
);
