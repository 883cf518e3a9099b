import assert from "node:assert/strict";
import { startTestGateway } from "../support/gateway.ts";
import { runCommand } from "./run_in_process.ts";

Deno.test("config show says beside a running server that it shows what a start now would use", async () => {
  await using gateway = await startTestGateway({ catalogue: "{}" });
  const show = ["config", "show", "--data-dir", gateway.dataDir];
  const beside = await runCommand(show);
  assert.equal(beside.code, 0);
  assert.match(
    beside.stderr,
    new RegExp(`^The server with process id ${Deno.pid} runs already: this is what a start now`),
  );
  assert.doesNotMatch(beside.stdout, /runs already/);
  await gateway.running.stop();
  assert.equal((await runCommand(show)).stderr, "");
});
