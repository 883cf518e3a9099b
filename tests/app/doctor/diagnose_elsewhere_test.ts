/**
 * Data dirs whose database is elsewhere, as the doctor finds them without being told where.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  forgetMovedAway,
  noteMovedAway,
  refuseMovedAway,
} from "../../../src/app/database/moved_away.ts";
import { readNodeIdentity } from "../../../src/app/database/node_identity.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { complaints, examine } from "./patients.ts";

Deno.test("diagnose() says of a data dir without a database that it was served with a database server", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { mode: 0o700 });
    readNodeIdentity(dataDir, { isServed: true });
    const found = await complaints(dataDir);
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(
      found[0]!,
      /^problem database: There is none in .*, which was last served with a database server → Set TOLLGATE_DATABASE_URL, or database_url /,
    );
    assert.doesNotMatch(found[0]!, /The next start makes one/);
  });
});

Deno.test("diagnose() looks at the database of a data dir that has one, whatever it was served with before", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir, { calls: 1, films: 0 });
    readNodeIdentity(dataDir, { isServed: true });
    assert.deepEqual(await complaints(dataDir), []);
  });
});

Deno.test("diagnose() says where a database was moved to, as a start does, and looks no further", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir, { calls: 1, films: 0 });
    noteMovedAway(dataDir, { to: "tollgate on db1:5432", at: 1_000 });
    const findings = await examine(dataDir);
    const [moved, ...others] = findings.filter(({ status }) => status !== "ok");
    assert.deepEqual(others, []);
    assert.deepEqual([moved?.check, moved?.status], ["database", "problem"]);
    assert.match(moved!.detail, /was moved to tollgate on db1:5432 at 1970-01-01T00:00:01\.000Z$/);
    assert.match(
      moved!.remedy!,
      /^Set database_url \(TOLLGATE_DATABASE_URL\) to where it went\. .* remove .*\/database_moved:/,
    );
    assert.throws(
      () => refuseMovedAway(dataDir),
      ({ message }: Error) => message.startsWith(moved!.detail),
    );
    assert.equal(findings.some(({ check }) => check === "books"), false);
    forgetMovedAway(dataDir);
    assert.deepEqual(await complaints(dataDir), []);
  });
});
