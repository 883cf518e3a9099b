/**
 * Credit: what a project may spend, paid in.
 *
 * @module
 */

import * as z from "zod";
import { formatAmount, MAX_AMOUNT_E8, parseAmount } from "../../domain/money.ts";
import { GatewayError } from "../../errors.ts";
import { amountField, shownAmount } from "../base/fields.ts";
import { accept, noteOf, oneAtATime } from "../base/commit_change.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { projectField, PROJECTS, requireProject } from "./projects.ts";

export const creditProject = defineOperation({
  name: "projects.credit",
  method: "POST",
  path: "/projects/{project}/credit",
  role: "operator",
  changes: "project",
  summary: "Add to a project's balance; with a reference it is safe to repeat.",
  input: z.strictObject({
    project: projectField,
    amount: amountField
      .describe("decimal number in the catalogue's currency, such as 25.00"),
    reference: z.string().min(1).max(200).optional()
      .describe("makes it safe to repeat: one reference credits once")
      .register(optionWords, { placeholder: "text" }),
  }),
  output: PROJECTS.shown.extend({
    credited: shownAmount,
    reference: z.string().nullable(),
    repeated: z.boolean().describe(
      "Whether this reference was credited before, so that nothing has changed now",
    ),
  }),
  errors: ["not_found"],
  run(deps, { project: id, amount, reference }) {
    return oneAtATime(deps, async (deps) => {
      const project = requireProject(deps, id);
      const amountE8 = parseAmount(amount);
      const { avail, held } = deps.ledger.balanceOf(id);
      // A repeated reference adds nothing, so storage decides about that first.
      if (reference === undefined && avail + held + amountE8 > MAX_AMOUNT_E8) {
        throw tooMuch(id);
      }
      const note = noteOf(deps, {
        id,
        before: {},
        after: { credited: formatAmount(amountE8), reference: reference ?? null },
      });
      const result = accept(
        await deps.ledger.credit({ projectId: id, amountE8, reference, note }),
        {
          // Of storage's two reasons the one about the balance holds whatever the reference is.
          conflict: avail + held + amountE8 > MAX_AMOUNT_E8
            ? tooMuch(id).message
            : `Cannot credit with reference '${reference}': it was used for project '${id}' with ` +
              "another amount. Nothing was changed; take a new reference for a new credit",
          missing: PROJECTS.missing(deps, id).message,
        },
      );
      return {
        ...PROJECTS.row(deps, project),
        credited: formatAmount(amountE8),
        reference: reference ?? null,
        repeated: result.repeated === true,
      };
    });
  },
});

function tooMuch(id: string): GatewayError {
  return new GatewayError(
    "conflict",
    `Cannot credit project '${id}': its balance would exceed ${formatAmount(MAX_AMOUNT_E8)}`,
    { param: "amount" },
  );
}
