/**
 * Administration on several nodes over one database: what one of them changes the others have in memory
 * soon, and none decides on what another has changed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readAnswer } from "../../src/admin/base/client.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { createKey, deleteKey, disableKey, setKey } from "../../src/admin/accounts/keys.ts";
import { createProject, setProject } from "../../src/admin/accounts/projects.ts";
import { createToken, revokeToken } from "../../src/admin/accounts/tokens.ts";
import { applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import { FollowedChanges } from "../../src/app/changes/followed_changes.ts";
import { disableRoute } from "../../src/admin/catalogue/route_switches.ts";
import { setUpFirstRun } from "../../src/admin/first_run.ts";
import { pauseVideos } from "../../src/admin/video_queue.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "../admin/test_admin.ts";
import { type NodesOptions, openNodes } from "../support/nodes_of_a_database.ts";
import { cutLine } from "../support/cutting_line.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** Two nodes, each with what it has in memory. */
async function withAdmins(
  run: (a: TestAdmin, b: TestAdmin) => Promise<void>,
  { onTrouble, ...options }: Partial<NodesOptions> & {
    readonly catalogue?: string;
    /** Hears what the other one cannot take in. */
    readonly onTrouble?: (error: unknown) => void;
  } = {},
): Promise<void> {
  const { storages: [one, two] } = await openNodes(server, { count: 2, ...options });
  await using a = await openTestAdmin({ storage: one!, ...options });
  await using b = await openTestAdmin({ storage: two!, onChangesTrouble: onTrouble });
  await run(a, b);
}

// deno-lint-ignore no-explicit-any -- of an operation that the test names
async function call({ deps }: TestAdmin, operation: Operation<any, any>, input: object) {
  // deno-lint-ignore no-explicit-any
  return readAnswer(operation, await runOperation(operation, { deps, input })) as any;
}

/** Until a node knows all that is stored. */
async function hasHeard({ deps }: TestAdmin, { deps: other }: TestAdmin): Promise<void> {
  await until("the other node's changes", () => deps.changes.version === other.changes.version);
}

for (const listens of [true, false]) {
  Deno.test(
    `what a node changes another has in memory${listens ? "" : ", though nobody tells it"}`,
    NEEDS_POSTGRES,
    async () => {
      await withAdmins(async (a, b) => {
        const { key, id } = await call(a, createKey, { project: "paying" });
        const { key: doomed, id: doomedId } = await call(a, createKey, { project: "free" });
        const { token, id: tokenId } = await call(a, createToken, { name: "x", role: "viewer" });
        await hasHeard(b, a);
        const now = Date.now();
        assert.equal(b.deps.directory.resolve(key, now).kind, "caller");
        assert.equal(b.deps.directory.resolve(doomed, now).kind, "caller");
        assert.equal(b.deps.tokens.find(token)!.revokedAt, undefined);
        let swaps = 0;
        b.deps.catalogue.subscribe(() => swaps++);

        await call(a, disableKey, { key_id: id });
        await call(a, deleteKey, { key_id: doomedId });
        await call(a, setProject, { project: "free", limits: { requests_per_minute: 7 } });
        await call(a, revokeToken, { token_id: tokenId });
        await call(a, disableRoute, { route: "one/small", reason: "too dear" });
        await hasHeard(b, a);
        assert.equal(b.deps.directory.resolve(key, now).kind, "disabled");
        assert.equal(b.deps.directory.resolve(doomed, now).kind, "unknown");
        assert.equal(b.deps.directory.project("free")!.limits.requestsPerMinute, 7);
        assert.notEqual(b.deps.tokens.find(token)!.revokedAt, undefined);
        const route = b.deps.catalogue.current.route("one/small")!;
        assert.deepEqual([route.enabled, route.switchedOff?.disabled?.reason], [false, "too dear"]);
        assert.ok(swaps > 0);

        const dearer = CATALOGUE.replace('input: "2.00"', 'input: "3.00"')
          .replace("id: two,", "id: three,").replace("provider: two", "provider: three");
        await applyText(a, dearer);
        await hasHeard(b, a);
        const { prices } = b.deps.catalogue.current.route("one/small")!;
        assert.deepEqual(prices, a.deps.catalogue.current.route("one/small")!.prices);
        assert.notEqual(prices.version, route.prices.version);
        assert.ok(b.deps.registry.provider("three") !== undefined);
        // What was switched off stays so, whoever writes the catalogue.
        assert.equal(b.deps.catalogue.current.route("one/small")!.enabled, false);
      }, { catalogue: CATALOGUE, listens });
    },
  );
}

async function applyText({ deps }: { readonly deps: AdminDeps }, text: string) {
  await applyCatalogueText(deps, { file: "test.yaml", text, dry_run: false, prune: true });
}

const FILMS = `
models:
  - { id: film, kind: video, routes: [{ id: builtin/film, provider: builtin, upstream_model: video-2, free: true }] }
providers: [{ id: builtin, kind: builtin }]
`;

Deno.test("pauses of films and of spending hold on every node", NEEDS_POSTGRES, async () => {
  await withAdmins(async (a, b) => {
    await applyText(a, FILMS);
    await call(a, createProject, { id: "shop", unlimited: true });
    await call(a, pauseVideos, { reason: "new disk" });
    const pause = { at: Date.now(), spentE8: 9n, usualE8: 1n, mostE8: 3n };
    const state = { scope: "project", id: "shop", pause, forgiven: {} } as const;
    a.deps.spending.put(state);
    const written = await a.storage.commitBatch([{ kind: "put_spend_state", state }]);
    assert.equal(written[0]!.ok, true);
    await until("the pauses", () => {
      const { spending, videos } = b.deps;
      return spending.view({ scope: "project", id: "shop" }).pause !== undefined &&
        videos.pauses.list.length === 1;
    });
    assert.throws(() => b.deps.spending.admit({ projectId: "shop", keyId: "none" }), /brake/);
  });
});

Deno.test(
  "changes of both nodes to one key are both there at the end, on each of them",
  NEEDS_POSTGRES,
  async () => {
    await withAdmins(async (a, b) => {
      const { id } = await call(a, createKey, { project: "paying" });
      await hasHeard(b, a);
      const turns = Array.from({ length: 15 }, (_, turn) => turn + 1);
      const byA = async () => {
        for (const turn of turns) {
          await call(a, setKey, { key_id: id, limits: { concurrent: turn } });
        }
      };
      const byB = async () => {
        for (const turn of turns) await call(b, setKey, { key_id: id, name: `turn ${turn}` });
      };
      await Promise.all([byA(), byB()]);
      await until("both to have heard", () => a.deps.changes.version === b.deps.changes.version);
      const stored = (await a.storage.accounts.loadKeys()).find((key) => key.id === id)!;
      assert.deepEqual([stored.name, stored.limits.concurrent], ["turn 15", 15]);
      for (const { deps } of [a, b]) assert.deepEqual(deps.directory.key(id), stored);
      assert.deepEqual((await a.storage.audit.check(undefined, 1_000)).faults, []);
    }, { catalogue: CATALOGUE });
  },
);

Deno.test(
  "an empty database that several nodes begin with has one key",
  NEEDS_POSTGRES,
  async () => {
    for (let round = 0; round < 5; round++) {
      await withAdmins(async (a, b) => {
        const made = (await Promise.all([a, b, a, b].map(({ deps }) => setUpFirstRun(deps))))
          .filter((one) => one !== undefined);
        assert.equal(made.length, 1);
        const [key, ...others] = await a.storage.accounts.loadKeys();
        assert.deepEqual(others, []);
        for (const { deps } of [a, b]) {
          await until("the key", () => deps.directory.key(key!.id) !== undefined);
          assert.equal(deps.directory.resolve(made[0]!.key, Date.now()).kind, "caller");
          assert.equal(deps.catalogue.current.models.length, 3);
        }
      });
    }
  },
);

Deno.test(
  "a node that hears nothing does not count what it knows as current, until it has caught up",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    await withAdmins(async (a, b) => {
      const { key, id } = await call(a, createKey, { project: "paying" });
      await hasHeard(b, a);
      const following = b.deps.changes as FollowedChanges;
      let known: readonly number[] = [];
      following.onCurrent(({ monotonic }, staleMs) => known = [monotonic, staleMs]);
      assert.equal(following.isCurrent, true);
      await following.whenCurrent();

      line.hold("both");
      await call(a, disableKey, { key_id: id });
      await until("it to be out of date", () => !following.isCurrent);
      // Whoever may be told by others only counts by the same.
      assert.ok(known[0]! + known[1]! <= performance.now());
      await assert.rejects(following.whenCurrent(), { error: "storage_away" });
      assert.equal(b.deps.directory.resolve(key, Date.now()).kind, "caller");
      const waiting = following.whenCurrent();
      line.release();
      await waiting;
      assert.equal(b.deps.directory.resolve(key, Date.now()).kind, "disabled");
      assert.equal(following.isCurrent, true);
    }, { catalogue: CATALOGUE, lastThrough: line.port });
  },
);

Deno.test(
  "a node whose database says nothing refuses a change soon, and sends nothing of it",
  NEEDS_POSTGRES,
  async () => {
    using line = cutLine(server.port);
    await withAdmins(async (_, b) => {
      await call(b, createProject, { id: "shop" });
      line.hold("to_client");
      const following = b.deps.changes as FollowedChanges;
      await until("it to have heard nothing for long", () => following.ageMs > 2_000);
      await assert.rejects(call(b, createProject, { id: "late" }), {
        error: "storage_away",
        message: "The gateway's database does not answer at the moment: nothing was changed",
      });
      assert.equal(b.deps.directory.project("late"), undefined);
      assert.doesNotMatch(line.said, /late/);
      // Who asks before it answers again waits for that.
      const waiting = call(b, createProject, { id: "soon" });
      line.release();
      await waiting;
      assert.deepEqual(
        (await b.storage.accounts.loadProjects()).map(({ id }) => id).sort(),
        ["free", "paying", "shop", "soon"],
      );
    }, { catalogue: CATALOGUE, lastThrough: line.port });
  },
);

Deno.test(
  "a node that cannot take in what another has changed says that, and not that its database is away",
  NEEDS_POSTGRES,
  async () => {
    const troubles: string[] = [];
    const onTrouble = (error: unknown) => troubles.push(String(error));
    await withAdmins(async (a, b) => {
      await hasHeard(b, a);
      const following = b.deps.changes as FollowedChanges;
      // As where a newer node's provider is of a kind that this one does not know.
      const { registry } = b.deps;
      const update = registry.update;
      registry.update = () => {
        throw new TypeError("Unknown kind of provider 'quantum'");
      };
      await call(a, disableRoute, { route: "one/small", reason: "too dear" });
      await until("it to be behind for long", () => following.ageMs > 2_500);
      await assert.rejects(call(b, createProject, { id: "late" }), {
        error: "internal_error",
        message:
          "Nothing was changed: this node cannot take in what others have changed: Unknown kind of " +
          "provider 'quantum'. Update it where their version is newer, or change it back there",
      });
      assert.equal(b.deps.directory.project("late"), undefined);
      assert.deepEqual(
        (await b.storage.accounts.loadProjects()).map(({ id }) => id).sort(),
        ["free", "paying"],
      );
      // It takes no calls that others may have forbidden.
      assert.equal(following.isCurrent, false);
      await assert.rejects(following.whenCurrent(), {
        error: "storage_away",
        message: /^The gateway cannot take in what was changed elsewhere, so /,
      });
      assert.deepEqual(troubles, ["NotTakenIn: Unknown kind of provider 'quantum'"]);
      registry.update = update;
      await until("it to be current", () => following.isCurrent);
      await call(b, createProject, { id: "soon" });
    }, { catalogue: CATALOGUE, onTrouble });
  },
);
