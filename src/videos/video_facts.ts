/**
 * What a video request needs of a route, and what its price depends on.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";
import type { RequestFacts } from "../routing/route_request.ts";

/** The request, as far as routes differ in it. */
export interface VideoNeeds extends VideoWork {
  readonly hasReference: boolean;
  /** Further create fields, by name. */
  readonly fields: { readonly [name: string]: unknown };
}

/** The facts of a film: no tokens are read or written. */
export function videoFacts({ size, seconds, hasReference, fields }: VideoNeeds): RequestFacts {
  return {
    capability: "videos",
    stream: false,
    tools: false,
    vision: hasReference,
    jsonSchema: false,
    images: hasReference ? 1 : 0,
    promptTokensEstimate: 0,
    promptTokensBound: 0,
    maxOutputTokens: undefined,
    choices: 1,
    video: { size, seconds },
    passFields: Object.keys(fields),
  };
}
