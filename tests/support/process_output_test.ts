/**
 * Waiting for printed output sees whole lines, early and late ones, and ends with the process.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ProcessOutput } from "./process_output.ts";

/** A shell that prints what the script says; `$1`… are the further arguments. */
function shell(script: string): Deno.ChildProcess {
  return new Deno.Command("sh", {
    args: ["-c", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("waitFor() does not take half a line for a whole one", async () => {
  const process = shell("printf 'at http://127.0.0.1:80'; read next; echo 80/v1; echo late >&2");
  const output = new ProcessOutput(process);
  const url = output.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode("go on\n"));
  await writer.close();
  assert.equal((await url)[0], "http://127.0.0.1:8080");
  await Promise.all([process.status, output.ended]);
  assert.equal((await output.waitFor(/late/))[0], "late");
  assert.equal(output.stdout, "at http://127.0.0.1:8080/v1\n");
  assert.equal(output.stderr, "late\n");
});

Deno.test("waitFor() rejects with what was printed when the process ends without it", async () => {
  const process = shell("echo something else; read next");
  const output = new ProcessOutput(process);
  const early = output.waitFor(/never printed/);
  await process.stdin.close();
  await assert.rejects(early, /something else/);
  await assert.rejects(output.waitFor(/never printed/), /something else/);
  assert.equal((await process.status).code, 1);
});

Deno.test("waitFor() rejects with what was printed when it waits for too long", async () => {
  const process = shell("echo something else; read next");
  const output = new ProcessOutput(process, 1);
  await assert.rejects(output.waitFor(/never printed/), /longer for .never printed.*/);
  await process.stdin.close();
  await Promise.all([process.status, output.ended]);
});
