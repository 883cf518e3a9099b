/**
 * Routes, tasks and providers for tests of video tasks.
 *
 * @module
 */

import type { Provider as ProviderSettings, Route } from "../../src/domain/catalogue.ts";
import { randomName } from "../../src/domain/ids.ts";
import { NEW_TASK, type VideoTask } from "../../src/domain/video_task.ts";
import { prices, rates, route, saleAt } from "./catalogue_parts.ts";
import { NO_WISHES } from "./no_wishes.ts";
import { providerSettings } from "./provider_parts.ts";

/** A video route of a provider: costs 1 and sells for 3 a second unless told otherwise. */
export function videoRoute(
  providerId: "here" | "acme" | "zeta",
  parts: Partial<Route> & { readonly sale?: string } = {},
): Route {
  const { sale = "3", ...rest } = parts;
  const id = parts.id ?? `${providerId}/film`;
  return route({
    id,
    modelId: "film",
    providerId,
    upstreamModel: "film",
    prices: prices({
      version: 0,
      routeId: id,
      cost: rates({ second: "1" }),
      sale: saleAt({ second: sale }),
    }),
    video: { sizes: ["640x360"], seconds: [4], passFields: [] },
    ...rest,
  });
}

/** What 4 seconds sell for at {@linkcode videoRoute}'s price. */
export const FILM_SALE_E8 = 1_200_000_000n;
/** What they cost. */
export const FILM_COST_E8 = 400_000_000n;
/** What each project has at first. */
export const CREDIT_E8 = 10_000_000_000_000n;

/** Settings of one of the three providers; `here` is built in. */
export function videoProviderSettings(id: string): ProviderSettings {
  return providerSettings(
    id === "here" ? { id, kind: "builtin", baseUrl: undefined, apiKeys: [] } : { id },
  );
}

/** A task of project `p` as it is created, on `here/film` unless told otherwise. */
export function newVideoTask(callId: number, parts: Partial<VideoTask>): VideoTask {
  return {
    id: `video_${randomName(26)}`,
    callId,
    requestId: `req_aaaaaaaaaaaa${callId.toString(36)}`,
    projectId: "p",
    keyId: "key",
    model: "film",
    prompt: "A lighthouse at night",
    size: "640x360",
    seconds: 4,
    wishes: NO_WISHES,
    fields: {},
    referenceType: undefined,
    callbackUrl: undefined,
    fingerprint: "f",
    provider: parts.route?.split("/")[0] ?? "here",
    route: "here/film",
    ...NEW_TASK,
    createdAt: 0,
    ...parts,
  };
}
