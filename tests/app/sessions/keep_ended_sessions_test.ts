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
import { SESSION_MS } from "../../../src/domain/console_session.ts";
import {
  type AskedSession,
  type EndedSession,
  EVERY_SESSION,
} from "../../../src/storage/ports/shared_sign_ins.ts";
import { Sessions } from "../../../src/console/frame/sessions.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const SECRET = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;
const SAMPLE_TOKEN = {
  ...{ id: "tok_1", name: "laptop", prefix: "tg-admin-a", hash: "a".repeat(64), rights: OWNER },
  ...{ expiresAt: undefined, createdAt: 0, lastUsedAt: undefined, revokedAt: undefined },
};

type Server = Parameters<typeof endedAtServer>[0];

async function withDataDir(
  run: (scene: {
    dataDir: string;
    clock: FakeClock;
    /** @param server Where several nodes keep the ends. */
    start: (server?: Server) => Sessions;
    troubles: string[];
  }) => Promise<void> | void,
): Promise<void> {
  const dataDir = await Deno.makeTempDir();
  const clock = new FakeClock();
  const troubles: string[] = [];
  const start = (server?: Server) => {
    const onTrouble = (what: string) => void troubles.push(what);
    const options = { dataDir, clock, onTrouble };
    const ended = server === undefined
      ? keepEndedSessions(options)
      : endedAtServer(server, options);
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

/** What several nodes keep together; away where it is told so. */
function fakeServer() {
  const known = new Map<string, number>();
  const server = {
    known,
    isAway: false,
    end: (session: EndedSession) => server.endAll([session]),
    endAll(sessions: readonly EndedSession[]) {
      if (server.isAway) return Promise.reject(new Error("away"));
      for (const { id, until } of sessions) known.set(id, until);
      return Promise.resolve();
    },
    hasEnded: ({ id, since }: AskedSession) =>
      Promise.resolve(known.has(id) || since + SESSION_MS < (known.get(EVERY_SESSION) ?? 0)),
  };
  return server;
}

Deno.test("what a data dir knows is brought to a server, which has all that is ended then", async () => {
  await withDataDir(async ({ dataDir, start }) => {
    const alone = start();
    const [before, after, stays] = [1, 2, 3].map(() => alone.begin("link", { rights: OWNER }));
    await alone.end(before!.session);
    const server = fakeServer();
    const node = start(server);
    server.isAway = true;
    await assert.rejects(node.read(stays!.cookie), /away/);
    server.isAway = false;
    assert.equal(await node.read(before!.cookie), undefined);
    await node.end(after!.session);
    assert.equal(await node.read(after!.cookie), undefined);
    assert.deepEqual(await node.read(stays!.cookie), stays!.session);
    assert.deepEqual([...server.known.keys()], [before!.session.id, after!.session.id]);
    await assert.rejects(Deno.stat(`${dataDir}/ended_sessions.json`), Deno.errors.NotFound);
  });
});

Deno.test("where a node's data dir cannot tell, all of before have ended at all nodes, once", async () => {
  await withDataDir(async ({ dataDir, start, clock, troubles }) => {
    const before = start().begin("link", { rights: OWNER });
    await Deno.writeTextFile(`${dataDir}/ended_sessions.json`, "{");
    clock.advance(1);
    const server = fakeServer();
    const node = start(server);
    const after = node.begin("link", { rights: OWNER });
    assert.equal(await node.read(before.cookie), undefined);
    assert.deepEqual(await node.read(after.cookie), after.session);
    clock.advance(HOUR_MS);
    assert.deepEqual(await start(server).read(after.cookie), after.session);
    assert.deepEqual(troubles, ["ended_sessions_not_read"]);
  });
});

Deno.test("whoever signs in by a token that ends soon is none of those of before", async () => {
  await withDataDir(async ({ dataDir, start, clock }) => {
    await Deno.writeTextFile(`${dataDir}/ended_sessions.json`, "{");
    const sessions = start();
    const token = { ...SAMPLE_TOKEN, expiresAt: clock.now() + HOUR_MS };
    const short = sessions.begin("token", { rights: OWNER, token });
    assert.equal(short.session.until, token.expiresAt);
    assert.deepEqual(await sessions.read(short.cookie), short.session);
  });
});

Deno.test("that all of before have ended is not pushed out by others' ends", async () => {
  await withDataDir(async ({ dataDir, start, clock }) => {
    const before = start().begin("link", { rights: OWNER });
    clock.advance(1);
    const until = clock.now() + 12 * HOUR_MS;
    const many = Array.from({ length: 9_999 }, (_, no) => [`${no}`, until]);
    const file = `${dataDir}/ended_sessions.json`;
    await Deno.writeTextFile(file, JSON.stringify([["*", until], ...many]));
    const sessions = start();
    for (let more = 0; more < 3; more++) {
      await sessions.end(sessions.begin("link", { rights: OWNER }).session);
    }
    assert.equal(await start().read(before.cookie), undefined);
    assert.ok(JSON.parse(await Deno.readTextFile(file)).length <= 10_001);
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
