/**
 * The tags of a request: a field of its body, or a header where a body has no place for it.
 *
 * @module
 */

import { percentDecoded } from "../../domain/percent_decoded.ts";
import { MOST_TAGS, TAG_NAME, TAG_VALUE, type Tags } from "../../domain/tags.ts";
import { GatewayError } from "../../errors.ts";
import type { InsideRequest } from "../context/request_context.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

/** The header's name: `team=search, user=42`, values percent-encoded where they have to be. */
export const TAGS_HEADER = "x-tollgate-tags";

/**
 * Those of the body, and those of the header that the body has not; `undefined` for none. What a
 * request from inside is called by nobody else says.
 *
 * @throws {GatewayError} `invalid_value`
 */
export function tagsOf(
  request: Request,
  body: Tags | null | undefined,
  inside?: Pick<InsideRequest, "tags">,
): Tags | undefined {
  return tagsIn(IncomingRequest.header(request, TAGS_HEADER), body, inside);
}

/** The same, by the header's value. */
export function tagsIn(
  header: string | null,
  body: Tags | null | undefined,
  inside?: Pick<InsideRequest, "tags">,
): Tags | undefined {
  if (header === null && (body === null || body === undefined)) return inside?.tags;
  const own = inside?.tags;
  const tags = header === null ? { ...body, ...own } : { ...parseTags(header), ...body, ...own };
  const count = Object.keys(tags).length;
  if (count > MOST_TAGS) throw invalid(`expected at most ${MOST_TAGS} pairs, found ${count}`);
  return count === 0 ? undefined : tags;
}

function parseTags(header: string): Tags {
  // Made without a prototype's names: a tag may be called like one.
  const tags: { [name: string]: string } = Object.create(null);
  for (const pair of header.split(",", 2 * MOST_TAGS)) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    const value = percentDecoded(pair.slice(at + 1).trim());
    if (at < 0 || !TAG_NAME.test(name) || value === undefined || !TAG_VALUE.test(value)) {
      throw invalid("expected pairs such as team=search, user=42, with values percent-encoded");
    }
    tags[name] = value;
  }
  return tags;
}

function invalid(what: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid value for '${TAGS_HEADER}': ${what}`, {
    param: TAGS_HEADER,
  });
}
