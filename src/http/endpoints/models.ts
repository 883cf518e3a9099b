/**
 * `GET /v1/models` and `GET /v1/models/{id}` (section 4.3 of the service specification): the logical
 * models that the calling key may use.
 *
 * @module
 */

import * as z from "zod";
import { amountField } from "../../dialects/base/answer.ts";
import { makesVideos, MODEL_KINDS } from "../../domain/capabilities.ts";
import { type Model, RISK_LEVELS, type Route, type VideoOffer } from "../../domain/catalogue.ts";
import { priceListSchema } from "../../pricing/price_list.ts";
import { mayUse } from "../../accounts/key_directory.ts";
import type { Snapshot } from "../../catalog/snapshot.ts";
import { joinOffers, pricedOffer } from "../../catalog/video_offer.ts";
import { findModel } from "../../planning/plan_call.ts";
import { fromPrice, priceList } from "../../pricing/from_price.ts";
import { ANTHROPIC } from "../../dialects/anthropic_messages/family.ts";
import { familyOfClient } from "../callers/family_of_client.ts";
import {
  messageModel,
  messageModelSchema,
  messageModelsSchema,
  pageOf,
  takesMessages,
} from "./messages/model_list.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

/** What can be asked for of a video model. */
export const videoOfferSchema = z.lazy(() =>
  z.object({
    sizes: z.array(z.string()).describe(
      "Priced sizes, `<width>x<height>`; the first is the default",
    ),
    seconds: z.array(z.int()).describe("Lengths; the first is the default"),
    pass_fields: z.array(z.string()).describe("Further fields that a create request may have"),
  })
);

/** One logical model. */
export const modelEntrySchema = z.lazy(() =>
  z.object({
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
  })
);

export type VideoOfferView = z.infer<typeof videoOfferSchema>;

export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** All of them. */
export const listModels = jsonEndpoint({
  path: "/models",
  id: "listModels",
  summary: "The logical models this key may use, with their prices",
  familyOf: familyOfClient,
  answer: z.union([
    z.object({ object: z.literal("list"), data: z.array(modelEntrySchema) }),
    messageModelsSchema,
  ]),
  errors: [400],
  tell: ({ catalogue }) => ({ context, caller }) => {
    const snapshot = catalogue.current;
    const models = snapshot.models.filter((model) => mayUse(caller, model.id));
    if (context.env.family === ANTHROPIC) {
      const entries = models.filter(takesMessages).map((model) =>
        messageModel(model, usableRoutes(model, snapshot))
      );
      return pageOf(entries, context.req.query());
    }
    return { object: "list" as const, data: models.map((model) => modelEntry(model, snapshot)) };
  },
});

/** One of them, which may be named by an alias. */
export const retrieveModel = jsonEndpoint({
  path: "/models/{+id}",
  id: "retrieveModel",
  summary: "One logical model",
  familyOf: familyOfClient,
  answer: z.union([modelEntrySchema, messageModelSchema]),
  errors: [403, 404],
  tell: ({ catalogue }) => ({ context, caller }) => {
    const snapshot = catalogue.current;
    const model = findModel(snapshot, { model: context.req.param("id")!, caller });
    return context.env.family === ANTHROPIC
      ? messageModel(model, usableRoutes(model, snapshot))
      : modelEntry(model, snapshot);
  },
});

/** Entries depend on the snapshot alone, so each is made once per snapshot. */
const entries = new WeakMap<Snapshot, Map<string, ModelEntry>>();

function modelEntry(model: Model, snapshot: Snapshot): ModelEntry {
  // Of a wildcard's there is no end.
  if (snapshot.model(model.id) !== model) return makeEntry(model, snapshot);
  let known = entries.get(snapshot);
  if (known === undefined) entries.set(snapshot, known = new Map());
  let entry = known.get(model.id);
  if (entry === undefined) known.set(model.id, entry = makeEntry(model, snapshot));
  return entry;
}

function makeEntry(model: Model, snapshot: Snapshot): ModelEntry {
  const isVideo = makesVideos(model.kind);
  const usable = usableRoutes(model, snapshot);
  return {
    id: model.id,
    object: "model",
    created: model.createdAt,
    aliases: [...model.aliases],
    owned_by: "tollgate",
    kind: model.kind,
    source_count: usable.length,
    ...fromPrice(usable.flatMap(byName), model.kind),
    supports_manual_source_selection: model.manualSelection,
    ...(isVideo && { video: offerView(joinOffers(usable)) }),
    ...(model.manualSelection && {
      sources: usable.map((route) => ({
        route: route.id,
        provider: route.providerId,
        official: snapshot.isOfficial(route.providerId),
        risk_level: route.riskLevel,
        pricing: priceList(route, model.kind),
        ...(isVideo && { video: offerView(pricedOffer(route)) }),
      })),
    }),
  };
}

/** A wildcard's route as often as it has prices for names. */
function byName(route: Route): readonly Route[] {
  return route.namedPrices?.map(({ prices }) => ({ ...route, prices })) ?? [route];
}

/** Those that may serve a call now, as far as the operator decides it. */
function usableRoutes({ routes }: Model, { unserved }: Snapshot): readonly Route[] {
  return routes.filter((route) => route.enabled && !route.maintenance && !unserved.has(route.id));
}

function offerView({ sizes, seconds, passFields }: VideoOffer): VideoOfferView {
  return { sizes: [...sizes], seconds: [...seconds], pass_fields: [...passFields] };
}
