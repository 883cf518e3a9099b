/**
 * Signing in, as the audit log hears of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LONE_CHANGES } from "../../src/admin/base/changes.ts";
import { SignInLog } from "../../src/admin/sign_ins.ts";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import { FakeClock } from "../support/fake_clock.ts";

const ACTOR = { channel: "console", user: "admin key", address: "10.0.0.1" } as const;
const TOLD = { actor: ACTOR, requestId: "req_a", id: "key", after: {} } as const;

Deno.test("whoever signs in does not wait for a database that is away, and is noted when it is back", async () => {
  const given: Entry[] = [];
  const written = Promise.withResolvers<EntryResult>();
  const away = () => Promise.reject(new Error("away"));
  let answered: () => Promise<void> | undefined = away;
  const log = new SignInLog({
    clock: new FakeClock(),
    commits: {
      commit(entry: Entry) {
        given.push(entry);
        return written.promise;
      },
    } as unknown as ConstructorParameters<typeof SignInLog>[0]["commits"],
    changes: { ...LONE_CHANGES, whenAnswered: () => answered() },
  });
  await log.signedIn(TOLD);
  await log.refused(TOLD);
  // It waits where it is written, for as long as whoever writes tries.
  assert.equal(given.length, 2);
  answered = () => undefined;
  let isOver = false;
  const waiting = log.signedIn(TOLD).then(() => isOver = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(isOver, false, "where it answers, nobody is in before that is on the disk");
  written.resolve({ ok: true });
  await waiting;
});
