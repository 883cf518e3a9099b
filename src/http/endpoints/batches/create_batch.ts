/**
 * `POST /v1/batches`: has the requests of a file made, each as an ordinary call.
 *
 * @module
 */

import * as z from "zod";
import { boundedRecord } from "../../../documents/bounded.ts";
import { GatewayError } from "../../../errors.ts";
import { batchView, batchViewSchema } from "../../schemas/batch_view.ts";
import { jsonBody } from "../shape/body_kind.ts";
import { type Arrived, repeatableEndpoint } from "../shape/repeatable_endpoint.ts";

/** As OpenAI has it. */
const MOST_FILE_BYTES = 200 * 1024 ** 2;
const MOST_METADATA = 16;
const HOUR_MS = 3_600_000;
const MOST_HOURS = 14 * 24;
const WINDOW = /^(\d{1,3})(h|d)$/;

const createRequest = z.lazy(() =>
  z.strictObject({
    input_file_id: z.string().min(1).max(100),
    endpoint: z.string().min(1).max(200).describe("Path that every line asks for"),
    completion_window: z.string().regex(WINDOW, "Expected hours or days, such as '24h'").describe(
      "After which lines that were not asked expire, free of charge: 24h, or up to 14d",
    ),
    metadata: boundedRecord(z.string().max(64), z.string().max(512), { most: MOST_METADATA })
      .nullish(),
    output_expires_after: z.strictObject({
      anchor: z.literal("created_at"),
      seconds: z.int().min(3_600).max(30 * 86_400),
    }).nullish().describe("How long output and error files are kept; 30 days by default"),
  })
);

/** Names no model. */
type CreateFields = z.output<typeof createRequest> & { readonly model?: undefined };

/** @param pathsOf Paths that lines may ask for. */
export const createBatch = (pathsOf: () => readonly string[]) =>
  repeatableEndpoint<CreateFields, Arrived<CreateFields>>({
    path: "/batches",
    id: "createBatch",
    summary: "Have the requests of a file made in the background, each as an ordinary call",
    callsModel: false,
    body: jsonBody<CreateFields>(createRequest),
    answer: { schema: batchViewSchema },
    errors: [404, 429, 503],
    toRequest: (arrived) => arrived,
    serve: ({ batches, uploads }) => ({
      async answer({ caller, fields }, { remember }) {
        const { endpoint, input_file_id: inputFileId, completion_window: window } = fields;
        const paths = pathsOf();
        if (!paths.includes(endpoint)) throw noEndpoint(paths);
        const file = await uploads.findOwn(caller.project.id, inputFileId);
        if (file === undefined) throw noFile();
        if (file.purpose !== "batch") throw notForBatch(file.purpose);
        if (file.bytes > MOST_FILE_BYTES) throw tooLarge();
        const write = (batch: Parameters<typeof batchView>[0]["batch"]) =>
          JSON.stringify(batchView({ batch, wait: undefined }));
        const { batch } = await batches.create({
          caller,
          endpoint,
          inputFileId,
          completionWindow: window,
          windowMs: windowMs(window),
          metadata: fields.metadata ?? undefined,
          outputSeconds: fields.output_expires_after?.seconds,
          remember: remember && ((one) => remember(write(one))),
        });
        return write(batch);
      },
    }),
  });

function windowMs(text: string): number {
  const [, digits, unit] = WINDOW.exec(text)!;
  const hours = Number(digits) * (unit === "d" ? 24 : 1);
  if (hours >= 1 && hours <= MOST_HOURS) return hours * HOUR_MS;
  throw new GatewayError(
    "invalid_value",
    "Invalid value for 'completion_window': it is from 1h to 14d, such as '24h'",
    { param: "completion_window" },
  );
}

function noEndpoint(paths: readonly string[]): GatewayError {
  return new GatewayError(
    "invalid_value",
    `Invalid value for 'endpoint': batches ask for ${paths.join(", ")}`,
    { param: "endpoint" },
  );
}

function noFile(): GatewayError {
  return new GatewayError(
    "not_found",
    "There is no such file: upload it with POST /v1/files and purpose 'batch'",
    { param: "input_file_id" },
  );
}

function notForBatch(purpose: string): GatewayError {
  return new GatewayError(
    "invalid_value",
    `Invalid value for 'input_file_id': the file's purpose is '${purpose}': upload it with purpose 'batch'`,
    { param: "input_file_id" },
  );
}

function tooLarge(): GatewayError {
  return new GatewayError(
    "invalid_value",
    `Invalid value for 'input_file_id': the file is larger than ${MOST_FILE_BYTES} bytes: make several batches`,
    { param: "input_file_id" },
  );
}
