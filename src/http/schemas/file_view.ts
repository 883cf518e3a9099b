/**
 * An uploaded file as callers see it: OpenAI's File.
 *
 * @module
 */

import * as z from "zod";
import { FILE_PURPOSES, type UploadedFile } from "../../domain/uploaded_file.ts";

const seconds = z.lazy(() => z.int().min(0).describe("Unix time in seconds"));

export const fileViewSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal("file"),
    bytes: z.int().min(0),
    created_at: seconds,
    expires_at: seconds.nullable().describe("When the file is removed; null for never"),
    filename: z.string(),
    purpose: z.enum([...FILE_PURPOSES, "batch_output"]),
    status: z.literal("processed"),
  })
);

export type FileView = z.infer<typeof fileViewSchema>;

/** The view of a file. */
export function fileView(file: UploadedFile): FileView {
  return {
    id: file.id,
    object: "file",
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt / 1_000),
    expires_at: file.expiresAt === undefined ? null : Math.floor(file.expiresAt / 1_000),
    filename: file.filename,
    purpose: file.purpose,
    status: "processed",
  };
}
