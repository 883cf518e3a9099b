/**
 * Which film a request asks for: its size and length, given or by default.
 *
 * @module
 */

import { videoOf, type VideoRequest } from "../catalog/video_offer.ts";
import type { VideoWork } from "../domain/call.ts";
import type { Model } from "../domain/catalogue.ts";
import { GatewayError } from "../errors.ts";

/**
 * The film that a request means; see {@linkcode videoOf}.
 *
 * @throws {GatewayError} `invalid_value` when the model offers no films at all.
 */
export function findWork(model: Model, request: VideoRequest): VideoWork {
  const film = videoOf(model, request);
  if (film !== undefined) return film;
  throw new GatewayError("invalid_value", `The model '${model.id}' has no route for films`, {
    param: "model",
  });
}
