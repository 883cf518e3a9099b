/**
 * `POST /v1/files`: keeps a file, which goes to the disk as it comes.
 *
 * @module
 */

import * as z from "zod";
import { FILE_PURPOSES, type UploadedFile } from "../../../domain/uploaded_file.ts";
import { GatewayError } from "../../../errors.ts";
import { SpooledFile } from "../../../files/spooled_file.ts";
import { fileView, fileViewSchema } from "../../schemas/file_view.ts";
import { spooledFormBody } from "../shape/body_kind.ts";
import { type Arrived, repeatableEndpoint } from "../shape/repeatable_endpoint.ts";

const DAY_SECONDS = 86_400;
/** As OpenAI has it. */
const BATCH_DAYS = 30;
/** Of a form besides its file: its fields and the lines between them. */
const FORM_BYTES = 64 * 1024;

const createRequest = z.lazy(() =>
  z.strictObject({
    file: z.instanceof(SpooledFile, { error: "Expected a file, with a filename" })
      .meta({ type: "string", format: "binary" }),
    purpose: z.enum(FILE_PURPOSES),
    expires_after: z.strictObject({
      anchor: z.literal("created_at"),
      seconds: z.coerce.number().int().min(3_600).max(30 * DAY_SECONDS),
    }).optional().describe("Files for batches go after 30 days without it, all others stay"),
  })
);

/** Names no model. */
type CreateFields = z.output<typeof createRequest> & { readonly model?: undefined };

export const createFile = repeatableEndpoint<CreateFields, Arrived<CreateFields>>({
  path: "/files",
  id: "createFile",
  summary: "Keep a file, such as the requests of a batch",
  callsModel: false,
  body: spooledFormBody<CreateFields>(createRequest, {
    maxBytes: ({ maxUploadBytes }) => maxUploadBytes + FORM_BYTES,
    maxFiles: 1,
  }),
  answer: { schema: fileViewSchema },
  errors: [],
  toRequest: (arrived) => arrived,
  serve: ({ uploads, clock, maxUploadBytes }) => ({
    async answer({ caller: { project }, fields: { file, purpose, expires_after } }, { remember }) {
      if (file.bytes > maxUploadBytes) throw tooLarge(maxUploadBytes);
      if (file.bytes === 0) throw empty();
      const seconds = expires_after?.seconds ??
        (purpose === "batch" ? BATCH_DAYS * DAY_SECONDS : undefined);
      const write = (kept: UploadedFile) => JSON.stringify(fileView(kept));
      const kept = await uploads.keep(file, {
        projectId: project.id,
        purpose,
        expiresAt: seconds === undefined ? undefined : clock.now() + seconds * 1_000,
        remember: remember && ((one) => remember(write(one))),
      });
      return write(kept);
    },
  }),
});

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError(
    "request_too_large",
    `The file is larger than ${maxBytes} bytes: send less`,
    { param: "file" },
  );
}

function empty(): GatewayError {
  return new GatewayError("invalid_value", "Invalid value for 'file': it is empty", {
    param: "file",
  });
}
