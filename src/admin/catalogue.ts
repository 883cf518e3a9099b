/**
 * Applies a catalogue file: prints or carries out the difference.
 *
 * @module
 */

import * as z from "zod";
import { type Change, describeChange } from "../catalog/change.ts";
import { planApply } from "../catalog/difference.ts";
import { readCatalogueText } from "../catalog/read_file.ts";
import { formatProblem, type Problem } from "../documents/problem.ts";
import { GatewayError } from "../errors.ts";
import { commitChange } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import { refuseWhereFileOwns } from "./file_ownership.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { commitCatalogue } from "./commit_catalogue.ts";

/** A file to apply. */
export interface ApplyInput {
  /** The file's name, for problems with it. */
  readonly file: string;
  readonly text: string;
  readonly dry_run: boolean;
  /** Removes what the file does not list. */
  readonly prune: boolean;
}

/** What applying a file answers. */
export interface ApplyAnswer {
  readonly file: string;
  /** False for a dry run. */
  readonly applied: boolean;
  readonly changes: readonly (Change & { readonly line: string })[];
  /** What will work otherwise than one may think, such as unpriced routes. */
  readonly warnings: readonly string[];
}

export const applyCatalogue = defineOperation({
  name: "catalogue.apply",
  method: "POST",
  path: "/catalogue/apply",
  summary: "Reconciles providers, models, routes, prices and project settings with a file.",
  input: z.strictObject({
    file: z.string().min(1).max(4096).default("catalogue"),
    text: z.string(),
    dry_run: z.boolean().default(false),
    prune: z.boolean().default(false),
  }),
  run(deps, input) {
    if (!input.dry_run) refuseWhereFileOwns(deps, "the catalogue and project settings");
    return applyCatalogueText(deps, input);
  },
});

/**
 * Applies the text of a catalogue file whoever owns the catalogue: also for the
 * owning file itself, at start and on SIGHUP. All or nothing for the catalogue;
 * the old one stays live on error.
 *
 * @throws {GatewayError} `invalid_value` with every problem on a line of its own.
 */
export function applyCatalogueText(deps: AdminDeps, input: ApplyInput): Promise<ApplyAnswer> {
  return oneAtATime(deps, async () => {
    const current = deps.catalogue.current.catalogue;
    const knownProviders = input.prune ? [] : current.providers;
    const read = readCatalogueText(input.text, { file: input.file, knownProviders });
    if (!read.ok) throw refused(input.file, read.problems);
    const nowMs = deps.clock.now();
    const plan = planApply(
      { catalogue: current, projects: deps.directory.projects() },
      read.value,
      { prune: input.prune, nowMs },
    );
    if (!plan.ok) {
      throw refused(
        input.file,
        plan.faults.map(({ path, message }) => ({ source: read.locate(path), path: "", message })),
      );
    }
    if (!input.dry_run) {
      const concernsCatalogue = plan.changes.some(({ kind }) => kind !== "project");
      if (concernsCatalogue) {
        const { catalogue } = plan;
        const entry = { kind: "write_catalogue", catalogue, at: nowMs } as const;
        await commitCatalogue(deps, { catalogue, entry });
      }
      for (const project of plan.projects.create) {
        await commitChange(deps, { kind: "create_project", project });
        deps.directory.putProject(project);
      }
      for (const project of plan.projects.update) {
        await commitChange(deps, { kind: "update_project", project });
        deps.directory.putProject(project);
      }
    }
    return {
      file: input.file,
      applied: !input.dry_run,
      changes: plan.changes.map((change) => ({ ...change, line: describeChange(change) })),
      warnings: read.warnings.map(formatProblem),
    };
  });
}

function refused(file: string, problems: readonly Problem[]): GatewayError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new GatewayError(
    "invalid_value",
    `Nothing was changed: ${file} has ${count}\n${problems.map(formatProblem).join("\n")}`,
    { param: "text" },
  );
}
