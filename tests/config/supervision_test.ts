import assert from "node:assert/strict";
import { readSupervision } from "../../src/config/supervision.ts";

const PROCESS = { pid: 7, stderr: () => ({ dev: 9, ino: 4711 }) };
const NONE = { notifySocket: undefined, watchdogMs: undefined, logsToJournal: false };

Deno.test("readSupervision() finds nothing where nothing supervises", () => {
  assert.deepEqual(readSupervision({}, PROCESS), NONE);
});

Deno.test("readSupervision() reads what systemd sets", () => {
  const env = {
    NOTIFY_SOCKET: "/run/systemd/notify",
    WATCHDOG_USEC: "60000000",
    WATCHDOG_PID: "7",
    JOURNAL_STREAM: "9:4711",
  };
  assert.deepEqual(readSupervision(env, PROCESS), {
    notifySocket: "/run/systemd/notify",
    watchdogMs: 60_000,
    logsToJournal: true,
  });
  assert.equal(readSupervision({ ...env, WATCHDOG_PID: undefined }, PROCESS).watchdogMs, 60_000);
});

Deno.test("readSupervision() leaves alone what is meant for another process or makes no sense", () => {
  for (
    const env of [
      { WATCHDOG_USEC: "60000000", WATCHDOG_PID: "8" },
      { WATCHDOG_USEC: "0" },
      { WATCHDOG_USEC: "soon" },
      { NOTIFY_SOCKET: "vsock:2:1" },
      { NOTIFY_SOCKET: "/" },
      // stderr was sent elsewhere by a shell in between.
      { JOURNAL_STREAM: "9:4712" },
    ]
  ) {
    assert.deepEqual(readSupervision(env, PROCESS), NONE, JSON.stringify(env));
  }
  const closed = { ...PROCESS, stderr: () => undefined };
  assert.equal(readSupervision({ JOURNAL_STREAM: "9:4711" }, closed).logsToJournal, false);
});
