/**
 * What is said of a server that has the database.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { DatabaseServer } from "../../../src/app/database/driver.ts";
import { answers, serverReasons } from "../../../src/app/database/watch_server.ts";
import type { ServerState } from "../../../src/storage/ports/server_state.ts";

const FINE: ServerState = {
  silentMs: 100,
  answerMs: 1,
  clockAheadMs: 0,
  writingMs: 100,
  trouble: undefined,
};

function serverIn(state: Partial<ServerState>): DatabaseServer {
  return { state: () => ({ ...FINE, ...state }) } as DatabaseServer;
}

Deno.test("calls are taken while the server answers, and confirms what is written", () => {
  assert.equal(answers(serverIn({})), true);
  assert.deepEqual(serverReasons(serverIn({})), []);
  for (
    const [state, reason] of [
      [{ silentMs: 3_000 }, /^the database server does not answer/],
      [{ writingMs: 5_000 }, /^the database server confirms nothing that is written/],
    ] as const
  ) {
    assert.equal(answers(serverIn(state)), false);
    const reasons = serverReasons(serverIn(state));
    assert.equal(reasons.length, 1);
    assert.match(reasons[0]!, reason);
  }
});
