/**
 * R12: far more calls at once than a balance pays for.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { readBookRows } from "../books/book_rows.ts";
import { callAllAtOnce, fundsFor } from "../overdraft.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedCatalogue } from "../tagged_calls.ts";

const SERVED = 100;
const CALLS = 2_000;

export const row: ScorecardRow = {
  id: "R12",
  title: "overdraft",
  seededBug: {
    name: "hold_without_look",
    says: "a hold is taken without looking at the balance",
    edits: [{
      file: "src/accounts/ledger.ts",
      find: `return purse?.take(call.heldE8) === true ? this.holdTaken(call) : undefined;`,
      replace: `this.#purses.of(call.projectId).give(-call.heldE8);
    return this.holdTaken(call);`,
    }],
  },
  async run({ seed, size, random, folder, note }) {
    const rounds = size.pick({ commit: 3, full: 20 });
    const found = new RowFinding(`${CALLS} calls at once, funds for ${SERVED}, ${rounds} times`);
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log`, seed });
    await using gateway = await serveGateway({ catalogue: taggedCatalogue(upstream.url) });
    const keys = [await gateway.key("paying"), await gateway.key("paying")];
    let tag = 0;
    let served = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const maxTokens = random.integer(1, 50_000);
      await gateway.credit("paying", fundsFor(SERVED, maxTokens));
      const answers = await callAllAtOnce([gateway], {
        ...{ count: CALLS, keys, maxTokens, random },
        nextTag: () => ++tag,
      });
      served += answers.served;
      refused += answers.refused;
      found.requireNone(answers.others.slice(0, 3));
      const rows = readBookRows(gateway.server.dataDir);
      const { avail, held } = rows.projects.find(({ id }) => id === "paying")!;
      found.require(avail === 0n && held === 0n, `round ${round} leaves ${avail} and ${held} held`);
      note(
        `R12 round ${round + 1} of ${rounds}: ${answers.served} served, ${answers.refused} refused`,
      );
    }
    found.count("served", served, { exactly: SERVED * rounds });
    found.count("refused with 402", refused, { exactly: (CALLS - SERVED) * rounds });
    found.count("upstream calls", upstream.arrived, { exactly: SERVED * rounds });
    found.requireNone(checkBookRows(readBookRows(gateway.server.dataDir)));
    return found;
  },
};
