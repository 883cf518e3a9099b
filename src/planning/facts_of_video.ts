/**
 * What a request for a film needs of a route, and what its price depends on.
 *
 * @module
 */

import { boughtBy, type VideoWork } from "../domain/call.ts";
import { NO_WORK } from "../domain/work.ts";
import type { Terms } from "../domain/terms.ts";
import type { AskedFacts } from "../pricing/quote.ts";
import type { RequestFacts } from "../domain/request_facts.ts";

/** The request, as far as routes differ in it. */
export interface VideoNeeds {
  /** `undefined` when the model offers no films at all. */
  readonly work: VideoWork | undefined;
  readonly hasReference: boolean;
  /** Further create fields, by name. */
  readonly fields: { readonly [name: string]: unknown };
}

/** What a film's price is made of. */
export function videoAsked(
  { hasReference, ...film }: {
    readonly video: VideoWork | undefined;
    readonly hasReference: boolean;
    readonly terms?: Terms | undefined;
  },
): AskedFacts {
  const { work: asked, terms } = boughtBy({ ...film, work: hasReference ? { image: 1 } : NO_WORK });
  return { asked, terms };
}

/** The facts of a film: no tokens are read or written. */
export function factsOfVideo({ work, hasReference, fields }: VideoNeeds): RequestFacts {
  return {
    capability: "videos",
    stream: false,
    tools: false,
    vision: hasReference,
    jsonSchema: false,
    promptTokensEstimate: 0,
    promptTokensBound: 0,
    maxOutputTokens: undefined,
    choices: 1,
    ...(work === undefined ? {} : { video: { size: work.size, seconds: work.seconds } }),
    ...videoAsked({ video: work, hasReference, terms: qualityOf(fields) }),
    passFields: Object.keys(fields),
  };
}

function qualityOf({ quality }: VideoNeeds["fields"]): Terms | undefined {
  return typeof quality === "string" ? { quality } : undefined;
}
