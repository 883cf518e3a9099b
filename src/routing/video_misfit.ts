/**
 * What a route's offer of films lacks for a request, and what the offers of all routes lack.
 *
 * @module
 */

import type { Model, VideoOffer } from "../domain/catalogue.ts";
import type { RouteReason } from "../errors.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { mayNeed } from "../domain/capabilities.ts";

/** Values shown of a list. */
const SHOWN = 20;

/** Why a film is not on offer. */
export interface VideoMisfit {
  readonly reason: Extract<
    RouteReason,
    "size_not_offered" | "seconds_not_offered" | "field_not_passed"
  >;
  readonly detail: string;
}

/**
 * The first thing that an offer lacks, in the order size, seconds, fields;
 * `undefined` when it has everything.
 */
export function videoMisfit(
  offer: VideoOffer | undefined,
  { video, passFields = [] }: Pick<RequestFacts, "video" | "passFields">,
): VideoMisfit | undefined {
  const { sizes = [], seconds = [], passFields: passed = [] } = offer ?? {};
  if (video !== undefined && !sizes.includes(video.size)) {
    return { reason: "size_not_offered", detail: `offers ${listValues(sizes)}` };
  }
  if (video !== undefined && !seconds.includes(video.seconds)) {
    return { reason: "seconds_not_offered", detail: `offers ${listSeconds(seconds)}` };
  }
  const field = passFields.find((name) => !passed.includes(name));
  return field === undefined
    ? undefined
    : { reason: "field_not_passed", detail: `does not pass '${shortly(field)}'` };
}

/** Such as `1280x720, 640x360`, in the order given; long lists are cut. */
export function listValues(values: readonly (string | number)[]): string {
  if (values.length === 0) return "none";
  const shown = values.slice(0, SHOWN).join(", ");
  return values.length > SHOWN ? `${shown} and ${values.length - SHOWN} more` : shown;
}

/** Lengths in rising order: the order of an offer says only which one is the default. */
function listSeconds(seconds: readonly number[]): string {
  return listValues([...seconds].sort((one, other) => one - other));
}

/** What a caller made up, no longer than it helps. */
export function shortly(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

/** A wrong value in words. */
export interface BadValue {
  readonly message: string;
  /** The request's field. */
  readonly param: string;
}

/**
 * The first wrong value, in the order size, seconds, fields: the caller's mistake, whatever the state of
 * the routes. A value that any configured route offers is not wrong, although other constraints may
 * rule that route out; `undefined` also for a model without routes, and for other requests.
 */
export function badVideoValue(
  { id, routes }: Model,
  { capability, video, passFields = [] }: RequestFacts,
): BadValue | undefined {
  if (!mayNeed(capability, "film") || routes.length === 0) return undefined;
  if (video !== undefined) {
    const sizes = union(routes.map((route) => route.video?.sizes ?? []));
    if (!sizes.includes(video.size)) {
      const message = `Model '${id}' does not offer the size '${shortly(video.size)}': ` +
        `choose one of ${listValues(sizes)}`;
      return { message, param: "size" };
    }
    const seconds = union(routes.map((route) => route.video?.seconds ?? []));
    if (!seconds.includes(video.seconds)) {
      const message = `Model '${id}' does not offer films of ${video.seconds} seconds: ` +
        `choose one of ${listSeconds(seconds)}`;
      return { message, param: "seconds" };
    }
  }
  const passed = union(routes.map((route) => route.video?.passFields ?? []));
  const field = passFields.find((name) => !passed.includes(name));
  if (field === undefined) return undefined;
  const further = passed.length === 0
    ? "it takes no further fields"
    : `further fields it takes are ${listValues(passed)}`;
  return {
    message: `Model '${id}' does not know the field '${shortly(field)}': leave it out; ${further}`,
    param: field,
  };
}

function union<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return [...new Set(lists.flat())];
}
