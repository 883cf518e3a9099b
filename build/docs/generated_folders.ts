/**
 * The folders of documents that are made from the program, each with what makes its pages.
 *
 * @module
 */

import { REFERENCE_FOLDER, referencePages } from "./reference_pages.ts";
import { vendorPages, VENDORS_FOLDER } from "./vendor_pages.ts";

/** From the project's root; each gives the text of every page by its name. */
export const GENERATED_FOLDERS: ReadonlyMap<
  string,
  () => Promise<ReadonlyMap<string, string>>
> = new Map([
  [REFERENCE_FOLDER, referencePages],
  [VENDORS_FOLDER, vendorPages],
]);
