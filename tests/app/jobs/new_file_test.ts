/**
 * Places that are refused for a new backup or archive.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkNewFile } from "../../../src/app/jobs/new_file.ts";
import { GatewayError } from "../../../src/errors.ts";

Deno.test("no backup or archive is put among the films, where the next start removes unknown files", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-new-file-" });
  try {
    await Deno.mkdir(`${dataDir}/videos`);
    await Deno.mkdir(`${dataDir}/archives`);
    await Deno.writeTextFile(`${dataDir}/tollgate.db`, "");
    await Deno.symlink(`${dataDir}/videos`, `${dataDir}/link`);
    const check = (file: string, mayBeThere: boolean) =>
      checkNewFile(`${dataDir}/${file}`, {
        what: "archive",
        dataDir,
        ownFolder: `${dataDir}/archives`,
        mayBeThere,
        reserve: { freeBytes: () => 1e9 },
      });
    for (const folder of ["videos", "link"]) {
      for (const mayBeThere of [false, true]) {
        await assert.rejects(
          check(`${folder}/video_re6cbiecw6jls6afpueanvub7d.mp4`, mayBeThere),
          (error) => error instanceof GatewayError && /films lie there/.test(error.message),
        );
      }
    }
    await check("archives/calls.db", false);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
