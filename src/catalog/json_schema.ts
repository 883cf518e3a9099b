/**
 * The published JSON Schema of the catalogue file, for editors and `config schema`.
 *
 * @module
 */

import * as z from "zod";
import { catalogueFileSchema } from "./file_schema.ts";

/** JSON Schema (2020-12) of what an operator may write; defaults and descriptions included. */
export function catalogueJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    ...z.toJSONSchema(catalogueFileSchema, { io: "input" }),
    title: "Tollgate catalogue",
  };
}
