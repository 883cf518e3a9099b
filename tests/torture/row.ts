/**
 * What a row of the scorecard is: the contract between the rows and the command that runs them.
 *
 * @module
 */

import type { SeededRandom } from "../support/seeded_random.ts";
import type { RowFinding } from "./row_finding.ts";
import type { TortureSize } from "./size.ts";
import type { SourcePatch } from "./test_build/source_patch.ts";
import type { ToolName } from "./tools.ts";

/** One scenario of the scorecard. A file in `rows/` exports it as `row`. */
export interface ScorecardRow {
  /** `R12`; the file's name begins with it in lower case: `r12_overdraft.ts`. */
  readonly id: string;
  /** The scenario in a few words, for the table. */
  readonly title: string;
  /** What it cannot run without; a row that lacks one is skipped, and says so. */
  readonly tools?: readonly ToolName[];
  /** Changes to the source that it cannot run without, such as crash points; by default none. */
  readonly testBuild?: readonly SourcePatch[];
  /** Changes to the source that make a later version of what it drives; by default it has none. */
  readonly laterBuild?: readonly SourcePatch[];
  /** A mistake in the program that this row finds. */
  readonly seededBug: SourcePatch;
  /** Ends the row as failed when it takes longer. Default: 5 minutes, an hour with `--full`. */
  readonly withinMs?: number;
  /** Drives the program of `tests/support/executable.ts`. An error is a failure of the row. */
  run(torture: Torture): Promise<RowFinding>;
}

/** What a row is given. */
export interface Torture {
  /** Decides everything that is drawn at random; printed, so that a run can be repeated. */
  readonly seed: number;
  readonly size: TortureSize;
  /** Drawn from the seed and the row's id. */
  readonly random: SeededRandom;
  /** The executable of a row that has a `laterBuild`. */
  readonly later: string | undefined;
  /** The row's own, removed after it. */
  readonly folder: string;
  /** Tells the person who waits how far it is. */
  note(line: string): void;
}
