/**
 * `GET /v1/files`, `GET` and `DELETE /v1/files/{id}`, `GET|HEAD /v1/files/{id}/content`: a
 * project's own files.
 *
 * @module
 */

import * as z from "zod";
import type { UploadedFile } from "../../../domain/uploaded_file.ts";
import { GatewayError } from "../../../errors.ts";
import { FileMissingError, fileResponse } from "../../answers/file_response.ts";
import { objectResponse } from "../../answers/object_response.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AskedFor } from "../../context/request_context.ts";
import { fileView, fileViewSchema } from "../../schemas/file_view.ts";
import { pageFields, pageOf, pageSchema } from "../../schemas/page.ts";
import {
  type Asked,
  deletingEndpoint,
  jsonEndpoint,
  keyedEndpoint,
} from "../shape/keyed_endpoint.ts";

/** OpenAI's bound; other lists have 100. */
const MOST_ENTRIES = 10_000;

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache",
};

export const retrieveFile = jsonEndpoint({
  path: "/files/{id}",
  id: "retrieveFile",
  summary: "What is known of a file",
  answer: fileViewSchema,
  errors: [404],
  tell: (deps) => async (asked) => fileView(await ownFile(asked, deps)),
});

export const listFiles = jsonEndpoint({
  path: "/files",
  id: "listFiles",
  summary: "The files of this project, newest first",
  query: z.lazy(() =>
    z.object({
      ...pageFields({
        least: 1,
        order: "By creation; desc by default",
        after: "Id of the file that the page comes after",
      }),
      limit: z.string().regex(/^[1-9]\d{0,4}$/, "Expected a whole number, in digits alone")
        .prefault("100").transform((text) => Math.min(Number(text), MOST_ENTRIES))
        .describe(`At most ${MOST_ENTRIES}; 100 by default`),
      purpose: z.string().max(64).optional().describe("Only files for it"),
    })
  ),
  answer: pageSchema(fileViewSchema),
  errors: [400],
  tell: ({ uploads }) => async ({ caller: { project }, query }) => {
    const page = await uploads.page({ ...pagePlace(query), projectId: project.id });
    if (page === undefined) {
      throw new GatewayError(
        "invalid_value",
        "Invalid value for 'after': it must be the id of a file of this project, such as a page's 'last_id'",
        { param: "after" },
      );
    }
    return pageOf(page.files.map(fileView), page);
  },
});

function pagePlace({ limit, order, after, purpose }: {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly after?: string | undefined;
  readonly purpose?: string | undefined;
}) {
  return { limit, order, after, purpose };
}

export const deleteFile = deletingEndpoint({
  path: "/files/{id}",
  id: "deleteFile",
  summary: "Delete a file; a batch that reads it goes on until the gateway is started again",
  object: "file",
  async remove({ uploads }, { projectId, id }) {
    if (await uploads.removeOwn(projectId, id) === "missing") throw fileNotFound();
  },
});

export const downloadFile = keyedEndpoint({
  method: "GET",
  path: "/files/{id}/content",
  id: "downloadFile",
  summary: "The file itself",
  requestHeaders: ["range", "if-range", "if-none-match"],
  answer: { types: ["application/octet-stream"] },
  otherAnswers: {
    206: { types: ["application/octet-stream"], description: "The part asked for with Range" },
    304: { description: "The file is the one that the conditions name" },
  },
  errors: [404, 412, 416],
  head: {
    id: "inspectFileContent",
    summary: "Size and validators of the file",
    requestHeaders: ["if-none-match"],
    otherAnswers: { 304: { description: "The file is the one that the conditions name" } },
    errors: [401, 404, 412],
  },
  respond: (deps) => async (asked) => {
    const file = await ownFile(asked, deps);
    return await sendFile(asked.context, file, deps);
  },
});

/**
 * Answers with a file, whole or in part.
 *
 * @throws {GatewayError} `not_found`, `films_away`, and as {@linkcode fileResponse}.
 */
export async function sendFile(
  { req, env }: AskedFor,
  file: UploadedFile,
  { uploads }: Pick<ApiDeps, "uploads">,
): Promise<Response> {
  try {
    const stored = uploads.contentOf(file);
    if (stored === undefined) throw fileNotFound();
    const content = {
      bytes: file.bytes,
      etag: `"${file.sha256}"`,
      lastModifiedMs: file.createdAt,
      contentType: "application/octet-stream",
      headers: { ...HEADERS, "content-disposition": dispositionOf(file) },
    };
    const { requestId } = env.identity;
    return "path" in stored
      ? await fileResponse(req.raw, { ...content, path: stored.path }, requestId)
      : await objectResponse(
        req.raw,
        { ...content, object: stored, mayRedirect: false },
        requestId,
      );
  } catch (error) {
    throw error instanceof FileMissingError ? fileNotFound() : error;
  }
}

/** RFC 6266: in ASCII for everybody, and as it is called. */
function dispositionOf({ filename }: UploadedFile): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const coded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${coded}`;
}

async function ownFile(
  { context, caller: { project } }: Asked,
  { uploads }: Pick<ApiDeps, "uploads">,
): Promise<UploadedFile> {
  const file = await uploads.findOwn(project.id, context.req.param("id")!);
  if (file === undefined) throw fileNotFound();
  return file;
}

/** The same for one that was deleted, of another project, or never was. */
export function fileNotFound(): GatewayError {
  return new GatewayError(
    "not_found",
    "There is no such file: GET /v1/files lists those there are",
  );
}
