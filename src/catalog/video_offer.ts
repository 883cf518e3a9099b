/**
 * What the routes of a video model have on offer.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";
import { makesVideos, type ModelKind } from "../domain/capabilities.ts";
import type { Model, Route, VideoOffer } from "../domain/catalogue.ts";
import { isPriced } from "../domain/rates_for.ts";
import type { SourceWishes } from "../domain/request_facts.ts";
import { kindNamed } from "../providers/kinds.ts";

/** What OpenAI's Videos API offered: unmodified clients ask an upstream for this. */
const OPENAI_OFFER: VideoOffer = Object.freeze({
  sizes: ["720x1280", "1280x720", "1024x1792", "1792x1024"],
  seconds: [4, 8, 12],
  passFields: [],
});

/** The offer of a route whose catalogue names none; `undefined` where no film is made. */
export function defaultOffer(
  model: ModelKind,
  provider: string | undefined,
): VideoOffer | undefined {
  if (!makesVideos(model)) return undefined;
  return kindNamed(provider)?.videoOffer ?? OPENAI_OFFER;
}

/** A route's offer without the sizes that have no price, which nobody can get. */
export function pricedOffer(route: Route): VideoOffer {
  const { sizes = [], seconds = [], passFields = [] } = route.video ?? {};
  return {
    sizes: sizes.filter((size) => isPriced(route, "video", size)),
    seconds,
    passFields,
  };
}

/** Everything that any of the routes offers, in their order: the first is the default. */
export function joinOffers(routes: readonly Route[]): VideoOffer {
  const offers = routes.map(pricedOffer);
  return {
    sizes: [...new Set(offers.flatMap(({ sizes }) => sizes))],
    seconds: [...new Set(offers.flatMap(({ seconds }) => seconds))],
    passFields: [...new Set(offers.flatMap(({ passFields }) => passFields))],
  };
}

/** What a caller says of a film, as far as it does. */
export interface VideoRequest {
  readonly size: string | undefined;
  readonly seconds: number | undefined;
  readonly wishes: Pick<SourceWishes, "provider" | "route">;
}

/**
 * The film that a caller means: what was left out is the first of the lists of
 * the first route that fits the rest. Routes in service come before others, and
 * where none fits any route's lists will do, since the request is refused then.
 * `undefined` when the model's routes offer nothing at all.
 */
export function videoOf(
  { routes }: Pick<Model, "routes">,
  { size, seconds, wishes }: VideoRequest,
): VideoWork | undefined {
  if (size !== undefined && seconds !== undefined) return { size, seconds };
  const offering = routes.filter(({ video }) => video !== undefined);
  const fitting = offering.filter((route) =>
    (wishes.provider === undefined || wishes.provider === route.providerId) &&
    (wishes.route === undefined || wishes.route === route.id) &&
    (size === undefined || route.video!.sizes.includes(size)) &&
    (seconds === undefined || route.video!.seconds.includes(seconds))
  );
  const chosen =
    fitting.find((route) =>
      route.enabled && !route.maintenance && pricedOffer(route).sizes.length > 0
    ) ?? fitting[0] ?? offering[0];
  if (chosen === undefined) return undefined;
  const { sizes, seconds: lengths } = chosen.video!;
  const first = pricedOffer(chosen).sizes[0] ?? sizes[0]!;
  return { size: size ?? first, seconds: seconds ?? lengths[0]! };
}
