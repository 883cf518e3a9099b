/**
 * Settings that one kind of provider alone has, as they are stored.
 *
 * @module
 */

import * as z from "zod";
import type { Provider as ProviderSettings } from "../domain/catalogue.ts";

/**
 * Reads them by the schemas of the kind; what is absent has its default.
 *
 * @throws {TypeError} When another version has stored what this one does not take.
 */
export function readOwnSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  { id, own = {} }: Pick<ProviderSettings, "id" | "own">,
): z.output<z.ZodObject<Shape>> {
  const read = z.object(shape).safeParse(own);
  if (read.success) return read.data;
  const keys = new Set(read.error.issues.map(({ path }) => String(path[0])));
  throw new TypeError(
    `Cannot create provider '${id}': this version does not take its ${[...keys].join(", ")} ` +
      "as it is stored; apply the catalogue again",
  );
}
