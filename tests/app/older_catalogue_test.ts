/**
 * A machine that starts with an old copy of the catalogue file.
 *
 * @module
 */

import assert from "node:assert/strict";
import { loadCatalogue, reload } from "../../src/app/reload.ts";
import { CATALOGUE, openTestAdmin } from "../admin/test_admin.ts";

Deno.test("a start with an older file goes on with what is there, and a reload says why it does not", async () => {
  await using admin = await openTestAdmin();
  const { deps, health } = admin;
  const catalog = await Deno.makeTempFile({ suffix: ".yaml" });
  const told: string[] = [];
  const log = {
    info: (event: string) => void told.push(event),
    warn: (event: string, fields: object = {}) =>
      void told.push(
        event.startsWith("catalogue_not") ? `${event} ${JSON.stringify(fields)}` : event,
      ),
  };
  const options = { catalog, log };
  try {
    await Deno.writeTextFile(catalog, `revision: 2\n${CATALOGUE}`);
    await loadCatalogue(deps, options);
    assert.ok(told.includes("catalogue_applied"));
    const before = deps.catalogue.current;
    const older = `revision: 1\n${CATALOGUE.replace("id: large", "id: larger")}`;
    await Deno.writeTextFile(catalog, older);
    told.length = 0;
    await loadCatalogue(deps, options);
    assert.match(told.join(), /catalogue_not_applied .*has revision 1, and revision 2 was applied/);
    await assert.rejects(reload({ admin: deps, health }, options), { error: "conflict" });
    assert.equal(deps.catalogue.current, before);
  } finally {
    await Deno.remove(catalog);
  }
});
