/**
 * A process that archives calls and dies at a certain point. Arguments: database, archive, the
 * date before which, and the point: `part` (while the file is written), or a number and `before`
 * or `after`: a batch of the writer's, and whether it is written.
 *
 * @module
 */

import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { archiveCalls } from "../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { openTestAdmin } from "./test_admin.ts";

const [path, file, before, point, side] = Deno.args as [string, string, string, string, string];
await using admin = await openTestAdmin({ path });
admin.clock.setWall(Date.UTC(2026, 11, 24));

function die(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}

if (point === "part") {
  setInterval(() => {
    if (readdirSync(dirname(file)).some((name) => name.endsWith(".part"))) die();
  }, 1);
} else {
  const storage = admin.deps.books as Storage;
  const { commitBatch } = storage;
  let batches = 0;
  Object.assign(storage, {
    async commitBatch(batch: Parameters<typeof commitBatch>[0]) {
      const isLast = ++batches === Number(point);
      if (isLast && side === "before") die();
      const results = await commitBatch(batch);
      if (isLast) die();
      return results;
    },
  });
}
await runOperation(archiveCalls, { deps: admin.deps, input: { before, file } });
if (!existsSync(file)) throw new Error("It has written nothing");
Deno.stdout.writeSync(new TextEncoder().encode("done"));
Deno.exit(0);
