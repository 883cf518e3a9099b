/**
 * `GET /v1/models` and `GET /v1/models/{id}` (section 4.3 of the service
 * specification): the logical models that the calling key may use.
 *
 * @module
 */

import { mayUse } from "../../accounts/key_directory.ts";
import type { Snapshot } from "../../catalog/snapshot.ts";
import { joinOffers, pricedOffer } from "../../catalog/video_offer.ts";
import { makesFilms } from "../../domain/capabilities.ts";
import type { Model, VideoOffer } from "../../domain/catalogue.ts";
import { findModel } from "../../planning/find_model.ts";
import { fromPrice, priceList } from "../../pricing/from_price.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { jsonResponse } from "../answers/json_response.ts";
import { callerOf } from "../callers/authenticate.ts";
import type { AppContext } from "../context/request_context.ts";
import type { ModelEntry, VideoOfferView } from "../schemas/model_entry.ts";

/** Makes the handler of the list. */
export function listModels(deps: ApiDeps): (context: AppContext) => Response {
  return (context) => {
    const { env } = context;
    const caller = callerOf(context, deps);
    const snapshot = deps.catalogue.current;
    const data = snapshot.models
      .filter((model) => mayUse(caller, model.id))
      .map((model) => modelEntry(model, snapshot));
    return jsonResponse({ object: "list", data }, env.identity.requestId);
  };
}

/** Makes the handler of one model, which may be named by an alias. */
export function showModel(deps: ApiDeps): (context: AppContext) => Response {
  return (context) => {
    const { env, req } = context;
    const caller = callerOf(context, deps);
    const snapshot = deps.catalogue.current;
    const model = findModel(snapshot, { model: req.param("id")!, caller });
    return jsonResponse(modelEntry(model, snapshot), env.identity.requestId);
  };
}

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
  const isVideo = makesFilms(model.kind);
  const usable = model.routes.filter((route) => route.enabled && !route.maintenance);
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
