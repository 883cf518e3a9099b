/**
 * The same sources and start caches give the same executable, wherever they lie and whenever it is built.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { programKind } from "../support/executable.ts";
import { runTool } from "../support/outside_tool.ts";

const isBuilt = { ignore: programKind !== "executable" };

Deno.test("an executable built in another folder has the same bytes", isBuilt, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-elsewhere-" });
  try {
    const tree = `${folder}/deeper/than/here`;
    const listed = await runTool("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
      env: { HOME: folder },
    });
    for (const path of listed.stdout.split("\0").filter((one) => one !== "")) {
      await Deno.mkdir(dirname(`${tree}/${path}`), { recursive: true });
      await Deno.copyFile(path, `${tree}/${path}`);
    }
    // They are made by a run of the program, and no two runs compile quite the same.
    await runTool("cp", ["-r", "--parents", "dist/start_caches", tree]);
    const env = { ...Deno.env.toObject(), TZ: "Asia/Tokyo" };
    const built = await runTool(Deno.execPath(), ["task", "--quiet", "compile"], {
      cwd: tree,
      env,
    });
    assert.equal(built.code, 0, built.stderr);
    const own = createHash("sha256").update(await Deno.readFile(Deno.env.get("TOLLGATE_BINARY")!));
    assert.equal(/sha256 +(\w+)/.exec(built.stdout)?.[1], own.digest("hex"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
