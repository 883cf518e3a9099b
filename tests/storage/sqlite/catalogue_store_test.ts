/**
 * Catalogues that older versions have stored.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { commitOne, sampleCatalogue, sampleRoute } from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

Deno.test("a route that was stored before there were priorities has the first one", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    const catalogue = sampleCatalogue([sampleRoute({ priority: 7 })]);
    await commitOne(storage, { kind: "write_catalogue", catalogue, at: 1 });
    const stored = () => storage.catalogue.load();
    assert.equal((await stored())?.models[0]?.routes[0]?.priority, 7);
    await storage.close();
    await withRawDatabase(path, (database) => {
      database.exec("UPDATE routes SET document = json_remove(document, '$.priority')");
    });
    const later = createSqliteStorage(path);
    assert.equal((await later.catalogue.load())?.models[0]?.routes[0]?.priority, 0);
    await later.close();
  });
});
