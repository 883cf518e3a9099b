/**
 * A real S3 server beside the test: Versity's gateway where `TOLLGATE_TEST_VERSITYGW` names it, which
 * checks every signature; else moto's, of the folder that `TOLLGATE_TEST_MOTO` names.
 *
 * @module
 */

import assert from "node:assert/strict";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import { S3Client } from "../../src/objects/s3_client.ts";
import { freePort, untilItListens } from "./listening_port.ts";

const VERSITYGW = Deno.env.get("TOLLGATE_TEST_VERSITYGW");
const MOTO = Deno.env.get("TOLLGATE_TEST_MOTO");
const KEYS = { accessKeyId: "operator", secretAccessKey: "a-secret-that-signs-for-it" };

/** Options for tests that need the server. */
export const NEEDS_S3 = {
  ignore: Deno.env.get("CI") !== "true" && VERSITYGW === undefined && MOTO === undefined,
};

/** The server, and an empty bucket `backups` in it. `await using` ends it. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: S3Bucket;
  readonly client: S3Client;
  /** What a process needs to ask it. */
  env(endpoint?: string): Record<string, string>;
  /** All keys in the bucket, sorted. */
  keys(): Promise<readonly string[]>;
  /** Uploads in parts that are open. */
  uploads(): Promise<readonly string[]>;
}

export async function startS3Server(): Promise<S3Server> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-s3-" });
  const port = freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const process = start(folder, port);
  const ended = process.status;
  const access = { endpoint, region: "us-east-1", keys: () => KEYS };
  const client = new S3Client({ bucket: "backups", access, wait: () => Promise.resolve() });
  const bucket = new S3Bucket({ bucket: "backups", access, partBytes: 5 * 1024 ** 2 });
  const stop = async () => {
    try {
      process.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await ended;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    await untilItListens(port, ended);
    await client.ask({ what: "make the bucket", method: "PUT", key: "" });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ endpoint, bucket, client },
    env: (at = endpoint) => ({
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_ENDPOINT_URL_S3: at,
    }),
    keys: async () => (await Array.fromAsync(bucket.list(""))).map(({ key }) => key),
    async uploads() {
      const { text } = await client.ask({
        ...{ what: "list uploads", method: "GET", key: "" },
        query: { uploads: "" },
      });
      return [...text.matchAll(/<UploadId>([^<]+)<\/UploadId>/g)].map(([, id]) => id!);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function start(folder: string, port: number): Deno.ChildProcess {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  if (VERSITYGW !== undefined) {
    return new Deno.Command(VERSITYGW, {
      args: ["--port", `127.0.0.1:${port}`, "posix", folder],
      env: { ROOT_ACCESS_KEY: KEYS.accessKeyId, ROOT_SECRET_KEY: KEYS.secretAccessKey },
      ...quiet,
    }).spawn();
  }
  assert.ok(MOTO, "no S3 server is installed: TOLLGATE_TEST_MOTO names no folder");
  return new Deno.Command("python3", {
    args: ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)],
    env: { PYTHONPATH: MOTO },
    ...quiet,
  }).spawn();
}
