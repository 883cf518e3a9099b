/**
 * What a project may take of the disk, as administration takes and shows it.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { byteSize } from "../../documents/byte_size.ts";
import { MAX_QUOTA_BYTES, type Quotas } from "../../domain/account.ts";
import { shownCount } from "../base/answer_fields.ts";
import { patchOf } from "../base/input_fields.ts";
import { optionWords } from "../base/option_words.ts";

const bytes = byteSize({ min: 0, max: MAX_QUOTA_BYTES })
  .register(optionWords, { placeholder: "size", orNone: "none for what all have" });

/** Quotas as JSON: an absent one is as for every project. */
export const quotasField = z.strictObject({
  kept_bytes: bytes.describe("most that is kept of its answers, such as 1GiB"),
  video_bytes: bytes.describe("most that its films may take, such as 50GB"),
}).partial();

/** Quotas as they are shown: in bytes. */
export const shownQuotas = z.object({ kept_bytes: shownCount, video_bytes: shownCount }).partial();

/** Quotas in which `null` takes a project's own away. */
export const quotasPatchField = patchOf(quotasField);

/** Quotas from JSON. */
export function toQuotas(json: z.output<typeof quotasPatchField>): Quotas {
  const { kept_bytes: keptBytes, video_bytes: videoBytes } = json;
  return {
    ...(typeof keptBytes === "number" && { keptBytes }),
    ...(typeof videoBytes === "number" && { videoBytes }),
  };
}

/** Quotas as JSON. */
export function quotasToJson({ keptBytes, videoBytes }: Quotas): Shown<typeof shownQuotas> {
  return {
    ...(keptBytes !== undefined && { kept_bytes: keptBytes }),
    ...(videoBytes !== undefined && { video_bytes: videoBytes }),
  };
}
