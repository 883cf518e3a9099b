/**
 * A list of prices as a file has it: rows with the rates and the `supports` of routes.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, FAULTS_TOLD } from "../documents/bounded.ts";
import { MODEL_KINDS } from "../domain/capabilities.ts";
import { LIST_CURRENCY } from "../vendors/price_list.ts";
import { VENDORS } from "../vendors/presets.ts";
import { costSchema } from "./price_schema.ts";
import { longId } from "./model_ids.ts";
import { supportsSchema } from "./route_schema.ts";

const modelName = z.string().min(1).max(200).regex(/^[\x21-\x7e]+$/, "Expected a model's name");

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const row = z.strictObject({
  vendor: z.enum(VENDORS),
  model: modelName.describe("Its name at the vendor."),
  pattern: modelName.regex(/^[^*]+\*$/, "Expected the beginning of names, and '*'").optional()
    .describe("Further names that have its price."),
  logical: longId.optional().describe("What callers name it. Default: its name at the vendor."),
  kind: z.enum(MODEL_KINDS),
  cost: costSchema,
  supports: supportsSchema.default({}),
  source: z.string().min(1).max(200).describe("Whose word it is."),
  date: z.string().regex(DAY, "Expected a date, such as 2026-11-22").describe("When it was read."),
  until: z.string().regex(DAY, "Expected a date, such as 2026-11-22").optional().describe(
    "The last day on which it is offered.",
  ),
  note: z.string().min(1).max(500).optional(),
});

/** The whole file. */
export const priceTableSchema = z.strictObject({
  currency: z.literal(LIST_CURRENCY).describe("Of every price."),
  rows: boundedList(row, { most: 10_000, faults: FAULTS_TOLD }),
});
