/**
 * R24: canaries in everything that is secret, then a search of every byte that was
 * written.
 *
 * @module
 */

import { keyAsAsked, PERMISSIVE, trySecrets } from "../../support/security/corpora/secrets.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

export const row: ScorecardRow = {
  id: "R24",
  title: "canary keys and prompts",
  tools: ["bash"],
  seededBug: {
    name: "log_upstream_words",
    says: "the log repeats what an upstream quotes of a prompt",
    edits: [
      {
        file: "src/gateway/attempt_loop.ts",
        find: "const message = hideQuotes(failure.message, body)",
        replace: "const message = hideQuotes(failure.message, typeof body)",
      },
    ],
  },
  run: async ({ size, note }) => {
    const found = new RowFinding("");
    let places = 0;
    const formats = size.pick({ commit: ["json"], full: ["json", "pretty"] });
    for (const format of formats) {
      await using world = await SecurityWorld.start({
        args: ["--log-level", "debug", "--log-format", format],
        through: PERMISSIVE,
        upstream: keyAsAsked,
      });
      note(`searching what was written, with the log as ${format}`);
      await found.during("canaries", async () => {
        const { tried, broken } = await trySecrets(world, { folder: world.gateway.server.cwd });
        places += tried;
        found.requireNone(broken);
      });
    }
    found.tried = `canaries in prompts, keys, heads and errors, sought live and after kill -9, ` +
      `with logs as ${formats.join(" and ")}`;
    found.count("searches", places, { atLeast: 40 });
    return found;
  },
};
