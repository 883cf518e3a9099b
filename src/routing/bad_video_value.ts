/**
 * Values of a film request that no route of its model has on offer: the caller's
 * mistake, whatever the state of the routes.
 *
 * @module
 */

import { mayNeed } from "../domain/capabilities.ts";
import type { Model } from "../domain/catalogue.ts";
import { listSeconds, listValues, shortly } from "./video_misfit.ts";
import type { RequestFacts } from "../domain/request_facts.ts";

/** A wrong value in words. */
export interface BadValue {
  readonly message: string;
  /** The request's field. */
  readonly param: string;
}

/**
 * The first wrong value, in the order size, seconds, fields. A value that any
 * configured route offers is not wrong, although other constraints may rule that
 * route out; `undefined` also for a model without routes, and for other requests.
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
