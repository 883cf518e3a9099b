/**
 * Who has signed out of the console stays out, also after a restart.
 *
 * @module
 */

import assert from "node:assert/strict";
import { OWNER } from "../../../src/domain/roles.ts";
import {
  addEndedSessions,
  endedAtServer,
  keepEndedSessions,
} from "../../../src/app/sessions/keep_ended_sessions.ts";
import { type EndedSessions, Sessions } from "../../../src/console/frame/sessions.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const SECRET = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;

async function withDataDir(
  run: (scene: {
    dataDir: string;
    clock: FakeClock;
    /** @param server Where several nodes keep the ends. */
    start: (server?: EndedSessions) => Sessions;
    troubles: string[];
  }) => Promise<void> | void,
): Promise<void> {
  const dataDir = await Deno.makeTempDir();
  const clock = new FakeClock();
  const troubles: string[] = [];
  const start = (server?: EndedSessions) => {
    const onTrouble = (what: string) => void troubles.push(what);
    const here = keepEndedSessions({ dataDir, clock, onTrouble });
    const ended = server === undefined ? here : endedAtServer(server, here);
    return new Sessions({ secret: SECRET, clock, adminKey: undefined, ended });
  };
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

Deno.test("what a data dir knows holds at a server too, which has all that is ended then", async () => {
  await withDataDir(async ({ dataDir, start }) => {
    const alone = start();
    const [before, after, stays] = [1, 2, 3].map(() => alone.begin("link", { rights: OWNER }));
    await alone.end(before!.session);
    const kept = await Deno.readTextFile(`${dataDir}/ended_sessions.json`);
    const atServer = new Set<string>();
    const node = start({
      end: ({ id }) => Promise.resolve(void atServer.add(id)),
      hasEnded: ({ id }) => Promise.resolve(atServer.has(id)),
    });
    assert.equal(await node.read(before!.cookie), undefined);
    await node.end(after!.session);
    assert.equal(await node.read(after!.cookie), undefined);
    assert.deepEqual(await node.read(stays!.cookie), stays!.session);
    assert.deepEqual([...atServer], [after!.session.id]);
    assert.equal(await Deno.readTextFile(`${dataDir}/ended_sessions.json`), kept);
  });
});

Deno.test("sessions that were ended elsewhere are added to what a data dir knows", async () => {
  await withDataDir(async ({ dataDir, start, troubles }) => {
    const file = `${dataDir}/ended_sessions.json`;
    const alone = start();
    const [here, there, stays] = [1, 2, 3].map(() => alone.begin("link", { rights: OWNER }));
    addEndedSessions(dataDir, []);
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
    await alone.end(here!.session);
    addEndedSessions(dataDir, [there!.session]);
    const next = start();
    for (const { cookie } of [here!, there!]) assert.equal(await next.read(cookie), undefined);
    assert.deepEqual(await next.read(stays!.cookie), stays!.session);
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);

    // Of too many those stay that would last longest.
    const { until } = there!.session;
    const many = Array.from({ length: 10_001 }, (_, no) => ({ id: `${no}`, until: until + no }));
    addEndedSessions(dataDir, many);
    const kept = JSON.parse(await Deno.readTextFile(file));
    assert.equal(kept.length, 10_000);
    assert.deepEqual([kept[0], kept.at(-1)], [["1", until + 1], ["10000", until + 10_000]]);

    // Where nobody can tell which were ended all were, and that is not to be forgotten.
    await Deno.writeTextFile(file, "{");
    addEndedSessions(dataDir, [there!.session]);
    assert.equal(await Deno.readTextFile(file), "{");
    assert.deepEqual(troubles, []);
    await Deno.remove(file);
    await Deno.mkdir(file);
    assert.throws(() => addEndedSessions(dataDir, [there!.session]), Deno.errors.IsADirectory);
  });
});
