/**
 * Who runs a command, as the audit log is told.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runningUser } from "../../src/cli/base/running_user.ts";

Deno.test("runningUser() says what the environment says", () => {
  const cases: readonly (readonly [
    env: Readonly<Record<string, string>>,
    uid: number | undefined,
    user: string | undefined,
  ])[] = [
    [{ USER: "alice", LOGNAME: "other" }, 1000, "alice (uid 1000)"],
    [{ USER: "", LOGNAME: "alice" }, 1000, "alice (uid 1000)"],
    [{ USER: "root", SUDO_USER: "alice" }, 0, "root (uid 0, sudo by alice)"],
    [{ USERNAME: "Alice" }, undefined, "Alice"],
    [{}, 1000, "uid 1000"],
    [{}, undefined, undefined],
  ];
  for (const [env, uid, user] of cases) assert.equal(runningUser({ env, uid }), user);
});
