import assert from "node:assert/strict";
import { watchDatabase } from "../../src/app/watch_database.ts";

const CHANGES: readonly [what: string, change: (path: string) => Promise<void>][] = [
  ["deleted", (path) => Deno.remove(path)],
  ["moved", (path) => Deno.rename(path, `${path}.old`)],
  ["replaced", async (path) => {
    await Deno.writeTextFile(`${path}.new`, "another");
    await Deno.rename(`${path}.new`, path);
  }],
];

for (const [what, change] of CHANGES) {
  Deno.test(`watchDatabase() tells once that the file was ${what}, and not that it was written`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-watch-" });
    try {
      const path = `${folder}/tollgate.db`;
      await Deno.writeTextFile(path, "one");
      const errors: Error[] = [];
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const stop = watchDatabase(path, (error) => {
        errors.push(error);
        resolve();
      }, 1);
      await Deno.writeTextFile(path, "two");
      await Deno.stat(path);
      assert.equal(errors.length, 0);
      await change(path);
      await gone;
      assert.match(errors[0]!.message, /moved, deleted or replaced/);
      assert.equal(errors.length, 1);
      stop();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
