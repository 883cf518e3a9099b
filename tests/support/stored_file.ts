/**
 * A file on disk for one test, the handler that answers with it, and who has it open.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Hono } from "@hono/hono";
import { OPENAI } from "../../src/dialects/openai/family.ts";
import { GatewayError } from "../../src/errors.ts";
import { errorResponse } from "../../src/http/answers/text_response.ts";
import {
  FileMissingError,
  fileResponse,
  type StoredFile,
} from "../../src/http/answers/file_response.ts";
import type { RequestHandler } from "../../src/http/listener/contract.ts";

/** How long descriptors may take to close: closing is not in step with what a client sees. */
const CLOSE_DEADLINE_MS = 10_000;

/** A stored file that is removed, with its folder, at the end of the test. */
export interface FileOnDisk extends AsyncDisposable {
  readonly file: StoredFile;
  /** What was written. */
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Stores a file in whose content every four bytes say where they are. */
export async function storeFile(bytes: number): Promise<FileOnDisk> {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let index = 0; index < words.length; index++) words[index] = index * 2654435761;
  const content = new Uint8Array(words.buffer, 0, bytes);
  const folder = await Deno.makeTempDir();
  const path = `${folder}/film.mp4`;
  await Deno.writeFile(path, content);
  return {
    content,
    file: {
      path,
      bytes,
      etag: '"abc-1"',
      lastModifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      contentType: "video/mp4",
      headers: { "cache-control": "private, no-cache" },
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Answers with a file as the gateway does: through Hono, errors in the usual shape. */
export function answering(file: StoredFile): RequestHandler {
  const app = new Hono()
    .get("/film", ({ req }) => fileResponse(req.raw, file, "req_1"))
    .onError((error) => {
      if (error instanceof GatewayError) return errorResponse(error, "req_1", OPENAI);
      const name = error instanceof FileMissingError ? "not_found" : "internal_error";
      return errorResponse(new GatewayError(name, "It is not there"), "req_1", OPENAI);
    });
  return (request) => app.fetch(request);
}

/** Waits until this process has no descriptor of a path, also of one that was removed. */
export async function untilClosed(path: string): Promise<void> {
  const deadline = performance.now() + CLOSE_DEADLINE_MS;
  while (await countDescriptors(path) > 0) {
    assert.ok(performance.now() < deadline, `${path} is still open`);
  }
}

/** How many descriptors of a path this process has: by `ls`, as `/proc` is closed to a test. */
export async function countDescriptors(path: string): Promise<number> {
  const { stdout } = await new Deno.Command("ls", {
    args: ["-l", `/proc/${Deno.pid}/fd`],
    stderr: "null", // tells of descriptors that were closed meanwhile
  }).output();
  return new TextDecoder().decode(stdout).split(`-> ${path}`).length - 1;
}
