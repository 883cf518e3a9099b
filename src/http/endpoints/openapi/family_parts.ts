/**
 * The parts of the API's document that all endpoints of one family share: how a key is sent, and
 * how an error looks.
 *
 * @module
 */

import * as z from "zod";
import type { Family, KeyPlace } from "../../../dialects/base/dialect.ts";
import { OPENAI } from "../../../dialects/openai/family.ts";

/** What operations refer to. */
export function componentsOf(families: readonly Family[]): object {
  return {
    schemas: Object.fromEntries(
      families.map((family) => [errorName(family), z.toJSONSchema(family.errorSchema)]),
    ),
    securitySchemes: Object.fromEntries(
      families.flatMap(({ keyPlaces }) => keyPlaces).map((place) => [
        schemeName(place),
        isBearer(place)
          ? { type: "http", scheme: "bearer" }
          : { type: "apiKey", in: "header", name: place.header },
      ]),
    ),
  };
}

/** Any of the places for a key will do. */
export function securityOf({ keyPlaces }: Family): readonly object[] {
  return keyPlaces.map((place) => ({ [schemeName(place)]: [] }));
}

/** The body of its errors. */
export function errorReference(family: Family): object {
  return { $ref: `#/components/schemas/${errorName(family)}` };
}

function errorName(family: Family): string {
  return family === OPENAI ? "Error" : `Error_${family.name}`;
}

function schemeName(place: KeyPlace): string {
  return isBearer(place) ? "projectKey" : `projectKey_${place.header}`;
}

function isBearer({ header }: KeyPlace): boolean {
  return header === "authorization";
}
