/**
 * Settings of a database that is on a server.
 *
 * @module
 */

import assert from "node:assert/strict";
import { faults, load } from "./loaded.ts";

const URL = "postgres://u:hushhush@db.example.com/books";

Deno.test("database_url is a variable or what that refers to, and never shown", async () => {
  const env = { TOLLGATE_DATABASE_CA: "ca.pem", TOLLGATE_STALE_KEYS_MS: "2000", WHERE: URL };
  for (const given of [URL, "env:WHERE"]) {
    const { settings, shown, warnings } = await load({ database_url: "postgres://flag@h/x" }, {
      env: { ...env, TOLLGATE_DATABASE_URL: given },
    });
    assert.deepEqual(settings.database, {
      url: URL,
      caFile: "/srv/ca.pem",
      staleKeysMs: 2_000,
    });
    assert.equal(JSON.stringify(shown).includes("hushhush"), false);
    assert.deepEqual(warnings, []);
  }
});

Deno.test("database_url is refused where it is no address, and beside what a file alone has", async () => {
  const cases: readonly (readonly [Record<string, string>, string, string])[] = [
    [{ TOLLGATE_DATABASE_URL: "u:hushhush@h" }, "database_url", "Expected an address"],
    [{ TOLLGATE_DATABASE_URL: "env:NOWHERE" }, "database_url", "NOWHERE has no value"],
    [{ TOLLGATE_DATABASE_CA: "ca.pem" }, "database_ca", "without database_url"],
    [{ TOLLGATE_STALE_KEYS_MS: "1000" }, "stale_keys_ms", "without database_url"],
    [
      { TOLLGATE_DROP_CALLS_AFTER_MONTHS: "3" },
      "drop_calls_after_months",
      "not deleted, without database_url",
    ],
    [
      { TOLLGATE_DATABASE_URL: URL, TOLLGATE_DROP_CALLS_AFTER_MONTHS: "0" },
      "drop_calls_after_months",
      "at least 1",
    ],
    [{ TOLLGATE_DATABASE_URL: URL, TOLLGATE_STALE_KEYS_MS: "100" }, "stale_keys_ms", "500"],
    [{ TOLLGATE_DATABASE_URL: URL, TOLLGATE_STALE_KEYS_MS: "60000" }, "stale_keys_ms", "3000"],
    [{ TOLLGATE_DATABASE_URL: URL, TOLLGATE_BACKUP_EVERY: "1d" }, "backup_every", "pg_dump"],
    [
      {
        TOLLGATE_DATABASE_URL: URL,
        TOLLGATE_ARCHIVE_AFTER_MONTHS: "3",
        TOLLGATE_DROP_CALLS_AFTER_MONTHS: "3",
      },
      "drop_calls_after_months",
      "archive_after_months",
    ],
  ];
  for (const [env, path, why] of cases) {
    const said = await faults({}, { env });
    assert.equal(said.length, 1);
    assert.match(said[0]!, new RegExp(`${path}: .*${why}`));
    assert.equal(said[0]!.includes("hushhush"), false);
  }
});

Deno.test("calls on a server are deleted after as many months as are said, by default never", async () => {
  const dropAfter = async (env: Record<string, string>) => {
    const { settings } = await load({}, { env: { TOLLGATE_DATABASE_URL: URL, ...env } });
    return settings.dropCallsAfterMonths;
  };
  assert.equal(await dropAfter({}), undefined);
  assert.equal(await dropAfter({ TOLLGATE_DROP_CALLS_AFTER_MONTHS: "13" }), 13);
});
