/**
 * The unit of a node in `deploy/nodes` is the one that the program writes, but for what is each node's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { unitText } from "../../../src/cli/systemd/unit_text.ts";
import { analyze, needsSystemdAnalyze } from "../../support/systemd_analyze.ts";

const SECRETS = ["database_url", "bucket_key", "admin_key"];
const text = await Deno.readTextFile("deploy/nodes/tollgate@.service");

/** What systemd reads, in its order. */
function directives(unit: string): readonly string[] {
  return unit.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

Deno.test("the unit of a node confines it as the program's own unit does", () => {
  const written = unitText({
    executable: "/usr/local/bin/tollgate",
    variables: {},
    credentials: SECRETS.map((name) => ({ name, path: `/etc/tollgate/${name}` })),
    backupFolders: [],
    drainTimeoutMs: 30_000,
    hasLowPort: false,
  });
  const ofNode = written
    .replace("OpenAI-compatible gateway", "OpenAI-compatible gateway, node %i")
    .replace("StateDirectory=tollgate", "StateDirectory=tollgate-%i")
    .replace(
      "EnvironmentFile=-/etc/tollgate/environment",
      "EnvironmentFile=/etc/tollgate/nodes.environment\nEnvironmentFile=-/etc/tollgate/%i.environment",
    );
  assert.deepEqual(directives(text), directives(ofNode));
});

Deno.test("systemd finds nothing wrong with the unit of a node", needsSystemdAnalyze, async () => {
  // The analyser looks whether the program is there, and reads no template.
  const unit = text.replace("/usr/local/bin/tollgate", "/bin/sh").replaceAll("%i", "a");
  const { code, output } = await analyze(unit, ["verify", "--man=no"]);
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /tollgate\.service/);
});
