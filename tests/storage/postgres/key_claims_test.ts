/**
 * Claims of keys in a real database, of sessions that live and of such that have ended.
 *
 * @module
 */

import assert from "node:assert/strict";
import { GatewayError } from "../../../src/errors.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import {
  NEEDS_POSTGRES,
  type PostgresServer,
  startPostgres,
} from "../../support/postgres_server.ts";

const DATABASE = "claims";
let server: PostgresServer;
let first: PostgresStorage;
let second: PostgresStorage;

Deno.test.beforeAll(async () => {
  if (NEEDS_POSTGRES.ignore) return;
  server = await startPostgres({ isSynced: true });
  await server.create(DATABASE);
  const url = server.url(DATABASE);
  first = await openPostgresStorage({ url });
  second = await openPostgresStorage({ url });
  await first.beginSession();
  await second.beginSession();
  // Whoever begins one without a name ends the others: here both live.
  await server.ask(DATABASE, "UPDATE node_sessions SET state = 'live'");
});

Deno.test.afterAll(async () => {
  await first?.close();
  await second?.close();
  await server?.[Symbol.asyncDispose]();
});

const claimOf = (key: string, requestId: string) => ({
  scope: { projectId: "acme", path: "/chat/completions", key },
  fingerprint: "f",
  requestId,
});

Deno.test(
  "a key is one living session's, until it is given up or its answer is stored",
  NEEDS_POSTGRES,
  async () => {
    const [mine, other] = [claimOf("k", "req_1"), claimOf("k", "req_2")];
    assert.equal(await first.claims.claim(mine), undefined);
    const held = { fingerprint: "f", requestId: "req_1" };
    assert.deepEqual(await second.claims.claim(other), held);
    // Whoever does not have it gives nothing up.
    await second.claims.free(other);
    assert.deepEqual(await second.claims.claim(other), held);
    await first.claims.free(mine);
    assert.equal(await second.claims.claim(other), undefined);

    await fundProject(second, 10_000n);
    await commitOne(second, { kind: "hold", call: sampleOpenCall({ callId: 7 }) });
    const idempotency = {
      ...other.scope,
      fingerprint: "f",
      requestId: "req_2",
      status: 200,
      body: "{}",
      stream: undefined,
      createdAt: 1,
      expiresAt: 2,
    };
    const close = { kind: "close", call: sampleClosedCall({ callId: 7 }), idempotency } as const;
    assert.deepEqual((await commitOne(second, close)).ok, true);
    assert.equal(await first.claims.claim(mine), undefined);
    await first.claims.free(mine);
  },
);

Deno.test(
  "fifty claims of one key at one time have one winner",
  NEEDS_POSTGRES,
  async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, (_, at) => {
      const { claims } = at % 2 === 0 ? first : second;
      return claims.claim(claimOf("race", `req_${at % 2}`));
    }));
    const others = claims.filter((other) => other !== undefined);
    assert.equal(others.length, 25);
    assert.equal(new Set(others.map(({ requestId }) => requestId)).size, 1);
  },
);

Deno.test(
  "a wish that another session goes on is heard by it alone",
  NEEDS_POSTGRES,
  async () => {
    const claim = claimOf("wanted", "req_1");
    await first.claims.claim(claim);
    await first.claims.want(claim.scope);
    assert.equal(await first.claims.isWanted(claim), false);
    await second.claims.want(claim.scope);
    assert.equal(await first.claims.isWanted(claim), true);
    assert.equal(await second.claims.isWanted({ ...claim, requestId: "req_2" }), false);
  },
);

Deno.test(
  "an ended session's claims are others', it claims nothing more, and they are forgotten",
  NEEDS_POSTGRES,
  async () => {
    await first.claims.claim(claimOf("left", "req_1"));
    await first.claims.claim(claimOf("forgotten", "req_1"));
    await server.ask(
      DATABASE,
      `UPDATE node_sessions SET state = 'dead' WHERE session_id =
         (SELECT session_id FROM idempotency_claims WHERE key = 'left')`,
    );
    assert.equal(await second.claims.claim(claimOf("left", "req_2")), undefined);
    await assert.rejects(first.claims.claim(claimOf("new", "req_1")), /session .* has ended/);
    await commitOne(second, { kind: "forget", answersExpiredAt: 0, messagesDoneBefore: 0 });
    assert.equal(
      await server.ask(DATABASE, "SELECT count(*) FROM idempotency_claims WHERE key = 'forgotten'"),
      "0",
    );
    assert.equal(
      await server.ask(DATABASE, "SELECT count(*) FROM idempotency_claims WHERE key = 'left'"),
      "1",
    );
  },
);

Deno.test(
  "while the server is away no key is claimed, and whoever gives one up is told why it cannot",
  NEEDS_POSTGRES,
  async () => {
    const claim = claimOf("away", "req_1");
    await server.crash();
    try {
      const isAway = (error: unknown) =>
        error instanceof GatewayError && error.error === "storage_away";
      await assert.rejects(second.claims.claim(claim), isAway);
      await assert.rejects(second.claims.want(claim.scope), isAway);
      await assert.rejects(second.claims.isWanted(claim), isAway);
      await assert.rejects(second.claims.free(claim), isAway);
    } finally {
      await server.start();
    }
  },
);
