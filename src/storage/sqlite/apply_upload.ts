/**
 * Entries about uploaded files.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import { refuseLiveAnswer } from "./apply_answer.ts";

export const UPLOAD_APPLIERS: Appliers<"create_upload" | "delete_upload"> = {
  create_upload(batch, { file, idempotency }, { uploads, answers }) {
    if (batch.balance(file.projectId) === undefined) return missing("project", file.projectId);
    if (uploads.find(file.id) !== undefined) return conflict(`File '${file.id}' exists already`);
    const refusal = refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    uploads.insert(file);
    if (idempotency !== undefined) answers.put(idempotency, file.id);
    return DONE;
  },
  delete_upload(_batch, { fileId }, { uploads, answers }) {
    if (!uploads.delete(fileId)) return missing("file", fileId);
    answers.forgetOf(fileId);
    return DONE;
  },
};
