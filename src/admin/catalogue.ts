/**
 * Applies a catalogue file: prints or carries out the difference.
 *
 * @module
 */

import * as z from "zod";
import { describeChange } from "../catalog/change.ts";
import { type ApplyPlan, planApply } from "../catalog/difference.ts";
import { readCatalogueText } from "../catalog/read_file.ts";
import { formatProblem, type Problem } from "../documents/problem.ts";
import type { Shown } from "../documents/shown.ts";
import type { Provider } from "../domain/catalogue.ts";
import { GatewayError } from "../errors.ts";
import type { AdminEntry } from "../storage/ports/entry.ts";
import { warningsField } from "./answer_fields.ts";
import { auditedCatalogue } from "./audited_catalogue.ts";
import { type AuditedChange, commitChange } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import { refuseWhereFileOwns } from "./file_ownership.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { commitCatalogue } from "./commit_catalogue.ts";
import { missingSecrets } from "./secret_warnings.ts";

/** A file to apply. */
export interface ApplyInput {
  /** The file's name, for problems with it. */
  readonly file: string;
  readonly text: string;
  readonly dry_run: boolean;
  /** Removes what the file does not list. */
  readonly prune: boolean;
}

const applyAnswer = z.object({
  file: z.string(),
  applied: z.boolean().describe("False for a dry run"),
  changes: z.array(z.object({
    action: z.enum(["add", "change", "remove"]),
    kind: z.enum(["currency", "provider", "model", "route", "project"]),
    id: z.string(),
    fields: z.array(z.object({
      path: z.string().describe("Inside the part, such as cost.input"),
      before: z.unknown().optional().describe("Absent where there is none"),
      after: z.unknown().optional(),
    })).optional().describe("What differs; only with `change`"),
    line: z.string().describe("The change in a line of text"),
  })),
  warnings: warningsField,
});

/** What applying a file answers. */
export type ApplyAnswer = Shown<typeof applyAnswer>;

export const applyCatalogue = defineOperation({
  name: "catalogue.apply",
  method: "POST",
  path: "/catalogue/apply",
  effects: "changes",
  summary: "Reconciles providers, models, routes, prices and project settings with a file.",
  input: z.strictObject({
    file: z.string().min(1).max(4096).default("catalogue"),
    text: z.string(),
    dry_run: z.boolean().default(false).describe("print what would change, change nothing"),
    prune: z.boolean().default(false).describe(
      "remove providers, models and routes that the file does not list",
    ),
  }),
  output: applyAnswer,
  errors: [],
  async run(deps, input) {
    if (!input.dry_run) refuseWhereFileOwns(deps, "the catalogue and project settings");
    const { answer, providers } = await reconcile(deps, input);
    const missing = missingSecrets(deps, providers).map(({ warning }) => warning);
    return { ...answer, warnings: [...answer.warnings, ...missing] };
  },
});

/**
 * Applies the text of a catalogue file whoever owns the catalogue: also for the
 * owning file itself, at start and on SIGHUP. All or nothing for the catalogue;
 * the old one stays live on error.
 *
 * @throws {GatewayError} `invalid_value` with every problem on a line of its own.
 */
export async function applyCatalogueText(deps: AdminDeps, input: ApplyInput): Promise<ApplyAnswer> {
  return (await reconcile(deps, input)).answer;
}

/** The answer as to the file alone, and the providers that it leads to. */
function reconcile(
  deps: AdminDeps,
  input: ApplyInput,
): Promise<{ readonly answer: ApplyAnswer; readonly providers: readonly Provider[] }> {
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
    if (!input.dry_run) await carryOut(deps, plan, input.file);
    const answer = {
      file: input.file,
      applied: !input.dry_run,
      changes: plan.changes.map((change) => ({ ...change, line: describeChange(change) })),
      warnings: read.warnings.map(formatProblem),
    };
    return { answer, providers: plan.catalogue.providers };
  });
}

/** All in one step: half a file is no state that anybody asked for. */
async function carryOut(deps: AdminDeps, plan: ApplyPlan, file: string): Promise<void> {
  const { catalogue, changes } = plan;
  const { create, update } = plan.projects;
  const isCatalogueWritten = changes.some(({ kind }) => kind !== "project");
  const [first, ...others]: readonly AdminEntry[] = [
    ...(isCatalogueWritten
      ? [{ kind: "write_catalogue", catalogue, at: deps.clock.now() } as const]
      : []),
    ...create.map((project) => ({ kind: "create_project", project }) as const),
    ...update.map((project) => ({ kind: "update_project", project }) as const),
  ];
  if (first === undefined) return;
  const change: AuditedChange = {
    operation: "catalogue.apply",
    subject: `catalogue:${file}`,
    ...auditedCatalogue(changes, {
      before: {
        catalogue: deps.catalogue.current.catalogue,
        projects: deps.directory.projects(),
      },
      after: { catalogue, projects: [...create, ...update] },
    }),
    entries: [first, ...others],
  };
  if (isCatalogueWritten) await commitCatalogue(deps, { catalogue, change });
  else await commitChange(deps, change);
  for (const project of [...create, ...update]) deps.directory.putProject(project);
}

function refused(file: string, problems: readonly Problem[]): GatewayError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new GatewayError(
    "invalid_value",
    `Nothing was changed: ${file} has ${count}\n${problems.map(formatProblem).join("\n")}`,
    { param: "text" },
  );
}
