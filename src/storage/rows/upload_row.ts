/**
 * Uploaded files as rows.
 *
 * @module
 */

import type { UploadedFile } from "../../domain/uploaded_file.ts";
import { freeText, integer, orNone, RowOf, text } from "./row_of.ts";

export const FILE = new RowOf<UploadedFile>({
  id: text(),
  projectId: text(),
  purpose: text(),
  filename: freeText(),
  bytes: integer(),
  sha256: text(),
  createdAt: integer(),
  expiresAt: orNone(integer()),
  objectKey: orNone(text()),
});
