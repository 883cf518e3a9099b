/**
 * Finds the model that a caller names.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import { mayUse } from "../accounts/key_directory.ts";
import type { Snapshot } from "../catalog/snapshot.ts";
import type { Model } from "../domain/catalogue.ts";
import { didYouMean } from "../documents/did_you_mean.ts";
import { GatewayError } from "../errors.ts";

/** Longer names are cut where an error repeats them. */
const SHOWN_CHARACTERS = 200;
/** Longer names are not compared with those that exist, which takes its time. */
const COMPARED_CHARACTERS = 64;

/** Who asks, and for what: an id or alias. */
export interface ModelQuestion {
  readonly model: string;
  readonly caller: Caller;
}

/**
 * The model that the caller means.
 *
 * @throws {GatewayError} `model_not_found` or `model_not_allowed`.
 */
export function findModel(snapshot: Snapshot, { model: asked, caller }: ModelQuestion): Model {
  const model = snapshot.model(asked);
  if (model === undefined) {
    const shown = asked.slice(0, SHOWN_CHARACTERS);
    const near = shown.length > COMPARED_CHARACTERS
      ? undefined
      : didYouMean(shown, namesFor(snapshot, caller));
    const hint = near === undefined ? "" : `did you mean '${near}'? `;
    throw new GatewayError(
      "model_not_found",
      `The model '${shown}' does not exist: ${hint}GET /v1/models lists those this key may use`,
      { param: "model" },
    );
  }
  requireUse(model, caller);
  return model;
}

/** @throws {GatewayError} `model_not_allowed` */
export function requireUse({ id }: Model, caller: Caller): void {
  if (mayUse(caller, id)) return;
  throw new GatewayError(
    "model_not_allowed",
    `This key may not use the model '${id}': GET /v1/models lists those it may`,
    { param: "model" },
  );
}

/** Every name by which the caller may use a model: of others it learns nothing. */
function namesFor({ models }: Snapshot, caller: Caller): readonly string[] {
  return models.filter(({ id }) => mayUse(caller, id)).flatMap((
    { id, aliases },
  ) => [id, ...aliases]);
}
