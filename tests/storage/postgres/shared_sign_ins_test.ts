/**
 * Links and ended sessions of the console in a real database, also where an answer of it is lost.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SESSION_MS } from "../../../src/domain/console_session.ts";
import { OWNER, type Rights } from "../../../src/domain/roles.ts";
import { Ask } from "../../../src/storage/postgres/ask.ts";
import { askOver, Connection } from "../../../src/storage/postgres/connection.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { EVERY_SESSION } from "../../../src/storage/ports/shared_sign_ins.ts";
import { PostgresSharedSignIns } from "../../../src/storage/postgres/shared_sign_ins.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const server = postgresOfFile();
let databases = 0;

const MEMBER: Rights = { role: "member", project: "acme" };
const LIMITS = { lastsMs: 600_000, most: 3 };

/** A database with its tables, and what two processes know of who signs in there. */
async function scene() {
  const database = `sign_ins_${++databases}`;
  await server.create(database);
  const url = server.url(database);
  await (await openPostgresStorage({ url })).close();
  const connections = [await Connection.open({ url }), await Connection.open({ url })] as const;
  const [first, second] = connections;
  return {
    signIns: new PostgresSharedSignIns(askOver(first)),
    others: new PostgresSharedSignIns(askOver(second)),
    /** Asks each statement again that was carried out, as where its answer is lost. */
    repeating: new PostgresSharedSignIns(
      new Ask(async (text, values, types) => {
        await first.run(text, values, { types });
        return await first.run(text, values, { types });
      }),
    ),
    ask: (sql: string) => server.ask(database, sql),
    async [Symbol.asyncDispose]() {
      for (const connection of connections) await connection.close();
    },
  };
}

Deno.test(
  "a link is kept and taken once where an answer is lost and the statement asked again",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    await at.repeating.keepLink({ codeHash: "a", rights: MEMBER }, LIMITS);
    assert.deepEqual(await at.repeating.takeLink("a"), MEMBER);
    for (const one of [at.repeating, at.signIns, at.others]) {
      assert.equal(await one.takeLink("a"), undefined);
    }
  },
);

Deno.test("of those who take a link at one time one has it", NEEDS_POSTGRES, async () => {
  await using at = await scene();
  for (let round = 0; round < 20; round++) {
    await at.signIns.keepLink({ codeHash: "a", rights: OWNER }, LIMITS);
    const taken = await Promise.all([at.signIns.takeLink("a"), at.others.takeLink("a")]);
    assert.deepEqual(taken.filter((one) => one !== undefined), [OWNER]);
  }
});

Deno.test(
  "the oldest links give way, those that were taken before them, and none is good for longer",
  NEEDS_POSTGRES,
  async () => {
    await using at = await scene();
    const { signIns } = at;
    // Each lasts longer than those before: within one millisecond nobody knows which was first.
    let { lastsMs } = LIMITS;
    const keep = (codeHash: string) =>
      signIns.keepLink({ codeHash, rights: OWNER }, { ...LIMITS, lastsMs: lastsMs += 10_000 });
    await keep("oldest");
    for (const one of ["b", "c"]) {
      await keep(one);
      assert.deepEqual(await signIns.takeLink(one), OWNER);
    }
    for (const one of ["d", "e"]) await keep(one);
    assert.deepEqual(await signIns.takeLink("oldest"), OWNER);
    for (const one of ["f", "g"]) await keep(one);
    assert.equal(await signIns.takeLink("d"), undefined);
    await at.ask("UPDATE console_links SET until = 1 WHERE code_hash = 'e'");
    assert.equal(await signIns.takeLink("e"), undefined);
    assert.deepEqual(await signIns.takeLink("f"), OWNER);
  },
);

Deno.test("nobody comes in by rights that are none", NEEDS_POSTGRES, async () => {
  await using at = await scene();
  for (const rights of ['{"role":"emperor"}', '{"role":"member"}', "7", "{"]) {
    await at.signIns.keepLink({ codeHash: "a", rights: OWNER }, LIMITS);
    await at.ask(`UPDATE console_links SET rights = '${rights}' WHERE code_hash = 'a'`);
    assert.equal(await at.signIns.takeLink("a"), undefined, rights);
  }
});

Deno.test("sessions that were ended are listed until they are over", NEEDS_POSTGRES, async () => {
  await using at = await scene();
  const { signIns } = at;
  const now = Date.now();
  const sessions = [30, 10, 20].map((minutes) => ({
    id: `of ${minutes}`,
    until: now + minutes * 60_000,
  }));
  for (const one of [...sessions, { id: "over", until: now - 60_000 }]) await signIns.end(one);
  const [longest, shortest, between] = sessions;
  assert.deepEqual(await at.others.listEnded(10), [longest, between, shortest]);
  assert.deepEqual(await at.others.listEnded(2), [longest, between]);
});

Deno.test(
  "whoever asks while the database is away is told that it is",
  NEEDS_POSTGRES,
  async () => {
    const database = `sign_ins_${++databases}`;
    await server.create(database);
    const storage = await openPostgresStorage({ url: server.url(database) });
    const session = { id: "a", until: Date.now() };
    await storage.sharedSignIns.end(session);
    await server.ask("postgres", `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await server.ask(
      "postgres",
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    try {
      const { sharedSignIns: signIns } = storage;
      for (
        const asked of [
          () => signIns.end(session),
          () => signIns.hasEnded({ ...session, since: 0 }),
          () => signIns.listEnded(1),
          () => signIns.keepLink({ codeHash: "a", rights: OWNER }, LIMITS),
          () => signIns.takeLink("a"),
        ]
      ) {
        await assert.rejects(asked(), { name: "GatewayError", error: "storage_away" });
      }
    } finally {
      await storage.close();
    }
  },
);

Deno.test("all of before are ended where nobody can tell which were", NEEDS_POSTGRES, async () => {
  await using at = await scene();
  const { signIns } = at;
  const now = Date.now();
  const begun = (since: number) => ({ id: `of ${since}`, until: now + 60_000, since });
  assert.equal(await signIns.hasEnded(begun(now - 1)), false);
  const all = { id: EVERY_SESSION, until: now + SESSION_MS };
  await signIns.end(all);
  // An earlier one takes nothing back.
  await signIns.endAll([{ ...all, until: all.until - 1_000 }, { id: "other", until: now + 5 }]);
  assert.equal(await at.others.hasEnded(begun(now - 1)), true);
  assert.equal(await at.others.hasEnded(begun(now)), false);
  assert.equal(await at.others.hasEnded({ ...begun(now), id: "other" }), true);
});
