/**
 * An entry of the model list: OpenAI's model object with section 2.3 of the
 * service specification.
 *
 * @module
 */

import * as z from "zod";
import { amountField } from "../../dialects/base/answer_facts.ts";
import { MODEL_KINDS } from "../../domain/capabilities.ts";
import { RISK_LEVELS } from "../../domain/catalogue.ts";
import { priceListSchema } from "../../pricing/price_list.ts";

/** What can be asked for of a video model. */
export const videoOfferSchema = z.object({
  sizes: z.array(z.string()).describe("Priced sizes, `<width>x<height>`; the first is the default"),
  seconds: z.array(z.int()).describe("Lengths; the first is the default"),
  pass_fields: z.array(z.string()).describe("Further fields that a create request may have"),
});

/** One logical model. */
export const modelEntrySchema = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int().describe("Unix time in seconds"),
  owned_by: z.string(),
  aliases: z.array(z.string()).describe("Further names that requests may use"),
  kind: z.enum(MODEL_KINDS),
  source_count: z.int().describe("Enabled routes this key may use now"),
  from_price: amountField.nullable().describe(
    "The lowest rate among them plus any price per request; null when unknown",
  ),
  pricing: priceListSchema.nullable(),
  supports_manual_source_selection: z.boolean(),
  video: videoOfferSchema.optional().describe(
    "Video models only: everything that any source offers; not each size with each length",
  ),
  sources: z.array(z.object({
    route: z.string(),
    provider: z.string(),
    official: z.boolean(),
    risk_level: z.enum(RISK_LEVELS),
    pricing: priceListSchema.nullable(),
    video: videoOfferSchema.optional().describe("Video models only"),
  })).optional(),
});

export type VideoOfferView = z.infer<typeof videoOfferSchema>;

export type ModelEntry = z.infer<typeof modelEntrySchema>;
