/**
 * `GET /v1/models` and `GET /v1/models/{id}` (section 4.3 of the service
 * specification): the logical models that the calling key may use.
 *
 * @module
 */

import * as z from "zod";
import { mayUse } from "../../accounts/key_directory.ts";
import type { Snapshot } from "../../catalog/snapshot.ts";
import { joinOffers, pricedOffer } from "../../catalog/video_offer.ts";
import { makesVideos } from "../../domain/capabilities.ts";
import type { Model, VideoOffer } from "../../domain/catalogue.ts";
import { findModel } from "../../planning/find_model.ts";
import { fromPrice, priceList } from "../../pricing/from_price.ts";
import { type ModelEntry, modelEntrySchema, type VideoOfferView } from "../schemas/model_entry.ts";
import { jsonEndpoint } from "./shape/keyed_endpoint.ts";

/** All of them. */
export const listModels = jsonEndpoint({
  path: "/models",
  id: "listModels",
  summary: "The logical models this key may use, with their prices",
  answer: z.object({ object: z.literal("list"), data: z.array(modelEntrySchema) }),
  errors: [],
  tell: ({ catalogue }) => ({ caller }) => {
    const snapshot = catalogue.current;
    const data = snapshot.models
      .filter((model) => mayUse(caller, model.id))
      .map((model) => modelEntry(model, snapshot));
    return { object: "list" as const, data };
  },
});

/** One of them, which may be named by an alias. */
export const retrieveModel = jsonEndpoint({
  path: "/models/{+id}",
  id: "retrieveModel",
  summary: "One logical model",
  answer: modelEntrySchema,
  errors: [403, 404],
  tell: ({ catalogue }) => ({ context, caller }) => {
    const snapshot = catalogue.current;
    return modelEntry(findModel(snapshot, { model: context.req.param("id")!, caller }), snapshot);
  },
});

/** Entries depend on the snapshot alone, so each is made once per snapshot. */
const entries = new WeakMap<Snapshot, Map<string, ModelEntry>>();

function modelEntry(model: Model, snapshot: Snapshot): ModelEntry {
  let known = entries.get(snapshot);
  if (known === undefined) entries.set(snapshot, known = new Map());
  let entry = known.get(model.id);
  if (entry === undefined) known.set(model.id, entry = makeEntry(model, snapshot));
  return entry;
}

function makeEntry(model: Model, snapshot: Snapshot): ModelEntry {
  const isVideo = makesVideos(model.kind);
  const usable = model.routes.filter((route) =>
    route.enabled && !route.maintenance && !snapshot.unserved.has(route.id)
  );
  return {
    id: model.id,
    object: "model",
    created: model.createdAt,
    aliases: [...model.aliases],
    owned_by: "tollgate",
    kind: model.kind,
    source_count: usable.length,
    ...fromPrice(usable, model.kind),
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

function offerView({ sizes, seconds, passFields }: VideoOffer): VideoOfferView {
  return { sizes: [...sizes], seconds: [...seconds], pass_fields: [...passFields] };
}
