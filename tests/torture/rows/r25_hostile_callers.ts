/**
 * R25: the corpora of the incident table: strangers, forged addresses, hostile texts
 * and forged money.
 *
 * @module
 */

import { Canary } from "../../support/security/canary.ts";
import type { Cases, Sample } from "../../support/security/cases.ts";
import { ownNames } from "../../support/security/corpora/address_spellings.ts";
import { redirectAsAsked, tryForgery } from "../../support/security/corpora/forgery.ts";
import { tryForgedMoney } from "../../support/security/corpora/forged_money.ts";
import { tryInjection } from "../../support/security/corpora/injection.ts";
import { tryOwnership } from "../../support/security/corpora/ownership.ts";
import { keyTimingT } from "../../support/security/key_timing.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

export const row: ScorecardRow = {
  id: "R25",
  title: "security corpora",
  seededBug: {
    name: "show_to_strangers",
    says: "a film is shown to whoever knows its id",
    edits: [
      {
        file: "src/videos/video_tasks.ts",
        find: "if (task?.projectId !== projectId) return undefined;",
        replace: 'if (task === undefined || projectId === "") return undefined;',
      },
    ],
  },
  run: async ({ size, random, note }) => {
    const found = new RowFinding("");
    let tried = 0;
    const every = size.pick({ commit: 5, full: 1 });
    const first = random.integer(0, every - 1);
    const sample: Sample = (corpus) => corpus.filter((_, at) => at % every === first);
    async function during(what: string, run: (world: SecurityWorld) => Promise<Cases>) {
      note(what);
      await using world = await SecurityWorld.start({ upstream: redirectAsAsked });
      await found.during(what, async () => {
        const cases = await run(world);
        tried += cases.tried;
        found.requireNone(cases.broken);
        found.count(what, cases.tried);
      });
    }
    await during("strangers' requests", (world) => tryOwnership(world, { sample }));
    await using canary = Canary.start();
    const names = await ownNames();
    await during("forged addresses", (world) => tryForgery(world, { canary, names, sample }));
    await during("hostile texts", (world) => tryInjection(world, { sample }));
    await during("forged money", tryForgedMoney);
    // What time tells has the same sign each time; what else the machine does has not.
    const samples = size.pick({ commit: 5_000, full: 20_000 });
    const times = Array.from({ length: 5 }, () => keyTimingT({ samples, random }));
    const t = times.sort((one, other) => one - other)[2]!;
    found.measure("|t| of key look-ups", Math.abs(t), { atMost: 4.5, unit: "(Welch)" });
    found.count("calls to the canary", canary.seen.length, { exactly: 0 });
    found.tried = `${tried} cases of the incident table`;
    found.count("cases", tried, { atLeast: 500 });
    return found;
  },
};
