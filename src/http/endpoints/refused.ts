/**
 * Paths that OpenAI has, refused by name: clients are told more than that there is nothing. No
 * document tells of them.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { callerOf } from "../callers/authenticate.ts";
import type { Endpoint } from "./shape/endpoint.ts";

const NEW_VIDEO =
  "create a new video with POST /v1/videos, which takes an image as 'input_reference'";

/** What the Videos API had besides. */
export const REFUSED_OF_VIDEOS: readonly Endpoint[] = [
  refused("POST", "/videos/edits", NEW_VIDEO),
  refused("POST", "/videos/extensions", NEW_VIDEO),
  refused("POST", "/videos/characters", NEW_VIDEO),
  refused("GET", "/videos/characters/{id}", NEW_VIDEO),
  refused("POST", "/videos/{id}/remix", NEW_VIDEO),
];

/** @param instead What to do. */
function refused(method: Endpoint["method"], path: string, instead: string): Endpoint {
  const [of, ...names] = path.split("/").filter((part) => part !== "" && part !== "{id}");
  const message = `'${names}' of ${of} is not supported here: ${instead}`;
  return {
    method,
    path,
    handler: (deps) => (context) => {
      callerOf(context, deps);
      throw new GatewayError("not_supported", message);
    },
  };
}
