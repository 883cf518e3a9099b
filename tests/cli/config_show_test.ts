import assert from "node:assert/strict";
import { startTestGateway } from "../support/gateway.ts";
import { runCommand } from "./run_in_process.ts";

Deno.test("config show says beside a running server that it shows what a start now would use", async () => {
  let show: readonly string[];
  {
    await using gateway = await startTestGateway({ catalogue: "{}" });
    show = ["config", "show", "--data-dir", gateway.dataDir];
    const { code, stdout, stderr } = await runCommand(show);
    assert.equal(code, 0);
    assert.match(stderr, new RegExp(`^The server with process id ${Deno.pid} runs already: `));
    assert.doesNotMatch(stdout, /runs already/);
  }
  assert.equal((await runCommand(show)).stderr, "");
});
