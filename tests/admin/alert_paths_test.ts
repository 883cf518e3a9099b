/**
 * Alerts name files of the gateway's machine: whole for those who run it, by their names for others.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listAlerts } from "../../src/admin/alerts.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { shownText } from "../../src/admin/base/shown_path.ts";
import { type Rights } from "../../src/domain/roles.ts";
import { openTestAdmin } from "./test_admin.ts";

const TEXTS = [
  [
    "Only 3 MiB of 9 MiB are free on the disk of /srv/tollgate/data",
    "Only 3 MiB of 9 MiB are free on the disk of data",
  ],
  [
    "The backup by schedule failed: cannot write '/mnt/nas/backups/a.db': no room",
    "The backup by schedule failed: cannot write 'a.db': no room",
  ],
  [
    "The server has no value for file:/run/secrets/up/key (file:/run/secrets/up/key does not exist)",
    "The server has no value for file:key (file:key does not exist)",
  ],
  [
    "cannot write '/mnt/the nas/of us/a.db', and '/console/x' isn't /srv/data/b.db",
    "cannot write 'a.db', and '/console/x' isn't b.db",
  ],
  ["4/5 calls failed; see /console/system or /v1/models and/or https://a.test/x/y", undefined],
] as const;

Deno.test("who runs the gateway reads paths in alerts, and nobody else", async () => {
  await using admin = await openTestAdmin();
  const textsFor = async (role: Rights["role"], text: string) => {
    const deps = {
      ...admin.deps,
      origin: { ...admin.deps.origin, rights: { role } as Rights },
      alerts: {
        ...admin.deps.alerts!,
        list: async () =>
          (await admin.deps.alerts!.list()).map((one) => ({
            ...one,
            trouble: { ...one.trouble, text, help: text },
          })),
      },
    };
    const { data: [row] } = await runOperation(listAlerts, { deps, input: { limit: 1 } });
    return [row!.text, row!.help];
  };
  for (const [text, short] of TEXTS.slice(0, -1)) {
    assert.deepEqual(await textsFor("viewer", text), [short, short]);
    for (const role of ["operator", "owner"] as const) {
      assert.deepEqual(await textsFor(role, text), [text, text]);
    }
  }
});

Deno.test("shownText() leaves addresses and slashes between words alone", () => {
  const viewer = { rights: { role: "viewer" } as const };
  const [text] = TEXTS.at(-1)!;
  assert.equal(shownText(viewer, text), text);
});
