/**
 * What OpenAI's Videos API had besides.
 *
 * @module
 */

import type { Endpoint } from "../shape/endpoint.ts";
import { refusedEndpoint } from "../shape/refused_endpoint.ts";

/** All of it. */
export const REFUSED_OF_VIDEOS: readonly Endpoint[] = [
  refused("edits", "POST", "/videos/edits"),
  refused("extensions", "POST", "/videos/extensions"),
  refused("characters", "POST", "/videos/characters"),
  refused("characters", "GET", "/videos/characters/{id}"),
  refused("remix", "POST", "/videos/{id}/remix"),
];

function refused(name: string, method: Endpoint["method"], path: string): Endpoint {
  return refusedEndpoint({
    method,
    path,
    message:
      `'${name}' of videos is not supported here: create a new video with POST /v1/videos, which takes an image as 'input_reference'`,
  });
}
