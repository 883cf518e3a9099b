/**
 * What a route's offer of films lacks for a request.
 *
 * @module
 */

import type { VideoOffer } from "../domain/catalogue.ts";
import type { RouteReason } from "../errors.ts";
import type { RequestFacts } from "../domain/request_facts.ts";

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
export function listSeconds(seconds: readonly number[]): string {
  return listValues([...seconds].sort((one, other) => one - other));
}

/** What a caller made up, no longer than it helps. */
export function shortly(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}
