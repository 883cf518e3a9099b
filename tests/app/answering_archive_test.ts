/**
 * An archive on a share that hangs holds up nobody who does not ask for it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { findArchivedCall, isInPlace } from "../../src/app/archives/find_archived_call.ts";

Deno.test("a file that does not answer is one that cannot be read", async () => {
  const folder = await Deno.makeTempDir();
  // Whoever opens it waits for somebody who writes.
  const file = `${folder}/hangs.db`;
  const made = await new Deno.Command("mkfifo", { args: [file] }).output();
  assert.equal(made.code, 0);
  try {
    const place = { file, sha256: "0".repeat(64) };
    const found = await Promise.all([isInPlace(place), findArchivedCall(place, 1)]);
    assert.deepEqual(found, [false, { kind: "unreadable" }]);
  } finally {
    // One look waits, however many have asked: its thread is let go.
    await Deno.writeTextFile(file, "x");
    await Deno.remove(folder, { recursive: true });
  }
});
