import assert from "node:assert/strict";
import { untilStopped } from "../../../src/cli/serving/until_stopped.ts";
import type { Terminal } from "../../../src/cli/base/terminal.ts";
import type { Log } from "../../../src/telemetry/log.ts";

Deno.test("untilStopped() survives a rejection that nobody handles, and tells the operator", async () => {
  const { promise: logged, resolve: tell } = Promise.withResolvers<unknown>();
  const log = {
    error: (event: string, fields: { message: string }) => tell({ event, ...fields }),
    flush: () => Promise.resolve(),
  } as unknown as Log;
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const gateway = {
    stop: () => Promise.resolve(),
    reload: () => Promise.resolve(),
    openCalls: () => 0,
    openVideos: () => 0,
    failed,
  };
  const told: string[] = [];
  const life = {
    reloading: () => {},
    reloaded: () => {},
    stopping: (words: string, drainMs: number) => void told.push(`${words}, ${drainMs} ms`),
    end: () => void told.push("end"),
  };
  const terminal = { err() {}, exit: () => assert.fail("exited") } as unknown as Terminal;
  const code = untilStopped({ gateway, log, life, drainTimeoutMs: 5 }, terminal);
  Promise.reject(new Error("a bug"));
  const line = await logged as Record<string, string>;
  assert.equal(line.event, "unhandled_error");
  assert.equal(line.message, "Error: a bug");
  fail(new Error("the storage is lost"));
  assert.equal(await code, 1);
  assert.deepEqual(told, ["end"]);
});
