/**
 * Who has signed out of the console stays out, also after a restart.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OWNER } from "../../src/domain/roles.ts";
import { keepEndedSessions } from "../../src/app/keep_ended_sessions.ts";
import { Sessions } from "../../src/console/frame/sessions.ts";
import { FakeClock } from "../support/fake_clock.ts";

const SECRET = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;

async function withDataDir(
  run: (scene: { dataDir: string; clock: FakeClock; start: () => Sessions; troubles: string[] }) =>
    | Promise<void>
    | void,
): Promise<void> {
  const dataDir = await Deno.makeTempDir();
  const clock = new FakeClock();
  const troubles: string[] = [];
  const start = () =>
    new Sessions({
      secret: SECRET,
      clock,
      adminKey: undefined,
      ended: keepEndedSessions({ dataDir, clock, onTrouble: (what) => void troubles.push(what) }),
    });
  try {
    await run({ dataDir, clock, start, troubles });
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

Deno.test("a session that was ended stays so after a restart, and others go on", async () => {
  await withDataDir(async ({ dataDir, clock, start, troubles }) => {
    const sessions = start();
    const [left, stays] = [
      sessions.begin("link", { rights: OWNER }),
      sessions.begin("link", { rights: OWNER }),
    ];
    await sessions.end(left.session);
    assert.equal(await sessions.read(left.cookie), undefined);
    clock.advance(HOUR_MS);
    for (const next of [start(), start()]) {
      assert.equal(await next.read(left.cookie), undefined);
      assert.deepEqual(await next.read(stays.cookie), stays.session);
    }
    const file = `${dataDir}/ended_sessions.json`;
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    // What would have ended by itself is not kept any longer.
    clock.advance(24 * HOUR_MS);
    const later = start();
    await later.end(later.begin("link", { rights: OWNER }).session);
    assert.doesNotMatch(await Deno.readTextFile(file), new RegExp(left.session.id));
    assert.deepEqual(troubles, []);
  });
});

Deno.test("where nobody can tell which sessions were ended, all of before are", async () => {
  await withDataDir(async ({ dataDir, start, troubles, clock }) => {
    const before = start().begin("link", { rights: OWNER });
    clock.advance(1);
    for (const text of ["{", "7", '[["x"]]']) {
      await Deno.writeTextFile(`${dataDir}/ended_sessions.json`, text);
      const sessions = start();
      assert.equal(await sessions.read(before.cookie), undefined, text);
      const after = sessions.begin("link", { rights: OWNER });
      assert.deepEqual(await sessions.read(after.cookie), after.session, text);
    }
    assert.deepEqual(troubles, Array(3).fill("ended_sessions_not_read"));
  });
});

Deno.test("whoever signs in after a start stays so, though nobody can tell who had ended before", async () => {
  await withDataDir(async ({ dataDir, start, clock }) => {
    const before = start().begin("link", { rights: OWNER });
    await Deno.writeTextFile(`${dataDir}/ended_sessions.json`, "{");
    clock.advance(1);
    const sessions = start();
    // The first who asks: what is kept is read no sooner.
    const atOnce = sessions.begin("link", { rights: OWNER });
    clock.advance(HOUR_MS);
    assert.deepEqual(await sessions.read(atOnce.cookie), atOnce.session);
    assert.equal(await sessions.read(before.cookie), undefined);
    // Whose end is written then is not all that the next run knows of.
    await sessions.end(atOnce.session);
    const next = start();
    assert.equal(await next.read(before.cookie), undefined);
    assert.equal(await next.read(atOnce.cookie), undefined);
  });
});

Deno.test("what cannot be kept holds in this run, and is told", async () => {
  await withDataDir(async ({ dataDir, start, troubles }) => {
    const sessions = start();
    const { cookie, session } = sessions.begin("link", { rights: OWNER });
    await Deno.mkdir(`${dataDir}/ended_sessions.json.part`);
    await sessions.end(session);
    assert.equal(await sessions.read(cookie), undefined);
    assert.deepEqual(troubles, ["ended_sessions_not_kept"]);
  });
});
