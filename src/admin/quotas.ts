/**
 * What a project may take of the disk, as administration takes and shows it.
 *
 * @module
 */

import * as z from "zod";
import { byteSize } from "../documents/byte_size.ts";
import { MAX_QUOTA_BYTES, type Quotas } from "../domain/account.ts";

const bytes = byteSize({ min: 0, max: MAX_QUOTA_BYTES });

/** Quotas as JSON: an absent one is as for every project. */
export const quotasField = z.strictObject({
  kept_bytes: bytes.optional(),
  video_bytes: bytes.optional(),
});

/** The value of {@linkcode quotasField}. */
export type QuotasJson = z.output<typeof quotasField>;

/** Quotas in which `null` takes a project's own away. */
export const quotasPatchField = z.strictObject({
  kept_bytes: bytes.nullable().optional(),
  video_bytes: bytes.nullable().optional(),
});

/** Quotas from JSON. */
export function toQuotas(json: z.output<typeof quotasPatchField>): Quotas {
  const { kept_bytes: keptBytes, video_bytes: videoBytes } = json;
  return {
    ...(typeof keptBytes === "number" && { keptBytes }),
    ...(typeof videoBytes === "number" && { videoBytes }),
  };
}

/** Quotas as JSON. */
export function quotasToJson({ keptBytes, videoBytes }: Quotas): QuotasJson {
  return {
    ...(keptBytes !== undefined && { kept_bytes: keptBytes }),
    ...(videoBytes !== undefined && { video_bytes: videoBytes }),
  };
}
