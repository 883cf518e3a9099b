/**
 * Applies a catalogue file: prints or carries out the difference.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { warningsField } from "../base/fields.ts";
import { type AppliedChanges, applyDocument, shownChange } from "./apply_document.ts";
import type { AdminDeps } from "../base/deps.ts";
import { refuseWhereFileOwns } from "../base/not_found.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { warnOfMissing } from "./secret_warnings.ts";

const input = z.strictObject({
  file: z.string().min(1).max(4096).default("catalogue").describe(
    "the file's name, for problems with it",
  ).register(optionWords, { argument: "catalogue file, YAML or JSON; - reads stdin" }),
  text: z.string().describe("what is in it"),
  dry_run: z.boolean().default(false).describe("print what would change, change nothing"),
  prune: z.boolean().default(false).describe(
    "remove providers, models and routes that the file does not list",
  ),
});

/** A file to apply. */
export type ApplyInput = Shown<typeof input>;

const applyAnswer = z.object({
  file: z.string(),
  applied: z.boolean().describe("False for a dry run"),
  changes: z.array(shownChange),
  warnings: warningsField,
});

/** What applying a file answers. */
export type ApplyAnswer = Shown<typeof applyAnswer>;

/** The act, whoever asks for it. */
const APPLYING = { name: "catalogue.apply", changes: "catalogue" } as const;

export const applyCatalogue = defineOperation({
  ...APPLYING,
  method: "POST",
  path: "/catalogue/apply",
  role: "operator",
  summary: "Reconcile providers, models, routes, prices and project settings with a file.",
  input,
  output: applyAnswer,
  errors: ["conflict"],
  async run(deps, input) {
    if (!input.dry_run) refuseWhereFileOwns(deps, "the catalogue and project settings");
    const { answer, providers, touched } = await apply(deps, input);
    const missing = warnOfMissing(deps, providers, touched);
    return { ...answer, warnings: [...answer.warnings, ...missing] };
  },
});

/**
 * Applies the text of a catalogue file whoever owns the catalogue: also for the
 * owning file itself, at start and on SIGHUP.
 *
 * @throws {GatewayError} As {@linkcode applyDocument}.
 */
export async function applyCatalogueText(deps: AdminDeps, input: ApplyInput): Promise<ApplyAnswer> {
  return (await apply({ ...deps, act: APPLYING }, input)).answer;
}

/** The answer as to the file alone, and the providers that it leads to, with those it is about. */
async function apply(
  deps: AdminDeps,
  { file, text, dry_run, prune }: ApplyInput,
): Promise<{ readonly answer: ApplyAnswer } & Pick<AppliedChanges, "providers" | "touched">> {
  const { providers, touched, ...told } = await applyDocument(deps, {
    document: () => ({ source: file, text }),
    prune,
    dry_run,
    id: file,
  });
  return { answer: { file, applied: !dry_run, ...told }, providers, touched };
}
