/**
 * F1: requests of every published operation, fitting, nearly so and wild, and mutated bytes of real
 * clients; and a search for bodies that cost many times what a text of their size costs.
 *
 * @module
 */

import { runFuzz } from "../../fuzz/run_fuzz.ts";
import { searchSlowBodies } from "../../fuzz/slow_bodies/search.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

export const row: ScorecardRow = {
  id: "F1",
  title: "fuzzing",
  seededBug: {
    name: "errors_without_param",
    says: "the body of an error has no 'param'",
    edits: [{
      file: "src/dialects/openai/family.ts",
      find: "type, param, code",
      replace: "type, code",
    }],
  },
  async run({ size, seed, note }) {
    const found = new RowFinding("requests from the document, and mutated ones of clients");
    await found.during("the run", async () => {
      const { cases, operations, tally, faults } = await runFuzz({
        seed,
        cases: size.pick({ commit: 1_500, full: 20_000 }),
        note: (line) => note(`F1: ${line}`),
      });
      found.tried = `${cases} requests from the document, and mutated ones of clients`;
      found.requireNone(faults);
      found.count("operations reached", tally.reached, { exactly: operations });
      found.count("faults", faults.length, { exactly: 0 });
      const slow = await searchSlowBodies({ seed, bodies: size.pick({ commit: 60, full: 600 }) });
      for (const figure of slow.figures) note(`F1: ${figure}`);
      found.requireNone(slow.faults);
      found.count("bodies searched for slow ones", slow.bodies, { atLeast: 60 });
    });
    return found;
  },
};
