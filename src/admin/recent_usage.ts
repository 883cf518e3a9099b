/**
 * What was used in the last days, at once: for pages that are looked at again and again.
 *
 * @module
 */

import * as z from "zod";
import { MOST_RECENT_DAYS } from "../metering/recent_usage.ts";
import { heldToProject } from "./accounts/own_project.ts";
import { shownTime, timeToJson, wholeNumberField } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { toRow, usageRow } from "./usage.ts";

export const readRecentUsage = defineOperation({
  name: "usage.recent",
  method: "GET",
  path: "/usage/recent",
  role: "viewer",
  summary:
    "Add up closed calls of the last days by day and model, as far as that is known at once.",
  input: z.strictObject({
    days: wholeNumberField(z.int().min(1).max(MOST_RECENT_DAYS)).default(30)
      .describe(`how many, today included (UTC), at most ${MOST_RECENT_DAYS}`),
    project: z.string().min(1).optional().describe("only this project"),
  }),
  output: z.object({
    object: z.literal("recent_usage"),
    data: z.array(usageRow).describe("By day and model, in the order of days"),
    whole: z.boolean().describe("Whether that is everything: if not, ask again in a second"),
    whole_since: shownTime.describe("Every call that closed since then is in it"),
  }),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { days, project }) {
    const { lines, wholeSince, isWhole } = await deps.recentUsage.read(project, days);
    const { currency } = deps.catalogue.current.catalogue;
    return {
      object: "recent_usage" as const,
      data: lines.map((line) => toRow(line, currency)),
      whole: isWhole,
      whole_since: timeToJson(wholeSince),
    };
  },
});
