/**
 * `GET /v1/batches`, `GET /v1/batches/{id}`, `POST /v1/batches/{id}/cancel`: a project's own
 * batches.
 *
 * @module
 */

import type { ShownBatch } from "../../../batches/batches.ts";
import * as z from "zod";
import { GatewayError } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { batchView, batchViewSchema } from "../../schemas/batch_view.ts";
import { pageFields, pageOf, pageSchema } from "../../schemas/page.ts";
import { NO_BODY } from "../shape/body_kind.ts";
import { jsonEndpoint } from "../shape/keyed_endpoint.ts";
import { repeatableEndpoint } from "../shape/repeatable_endpoint.ts";

export const retrieveBatch = jsonEndpoint({
  path: "/batches/{id}",
  id: "retrieveBatch",
  summary: "How far a batch is",
  answer: batchViewSchema,
  errors: [404],
  tell: (deps) => async ({ context, caller: { project } }) =>
    batchView(await ownBatch(deps, { projectId: project.id, id: context.req.param("id")! })),
});

export const listBatches = jsonEndpoint({
  path: "/batches",
  id: "listBatches",
  summary: "The batches of this project, newest first",
  query: z.lazy(() =>
    z.object(pageFields({
      least: 1,
      order: "Newest first",
      after: "Id of the batch that the page comes after",
    })).omit({ order: true })
  ),
  answer: pageSchema(batchViewSchema),
  errors: [400],
  tell: ({ batches }) => async ({ caller: { project }, query: { limit, after } }) => {
    const page = await batches.page({ projectId: project.id, limit, after });
    if (page === undefined) {
      throw new GatewayError(
        "invalid_value",
        "Invalid value for 'after': it must be the id of a batch of this project, such as a page's 'last_id'",
        { param: "after" },
      );
    }
    return pageOf(page.batches.map(batchView), page);
  },
});

export const cancelBatch = repeatableEndpoint({
  path: "/batches/{id}/cancel",
  id: "cancelBatch",
  summary: "Have a batch ask for nothing more; what was answered is kept",
  callsModel: false,
  body: NO_BODY,
  answer: { schema: batchViewSchema },
  errors: [400, 404, 503],
  toRequest: ({ context, caller: { project } }) => ({
    projectId: project.id,
    id: context.req.param("id")!,
  }),
  serve: (deps) => ({
    async answer(request, { remember }) {
      const found = await ownBatch(deps, request);
      const { batch } = found;
      const write = (one: ShownBatch) => JSON.stringify(batchView(one));
      const cancelled = await deps.batches.cancel(batch.id, {
        toRecord: remember && ((one) => remember(write(one))),
      });
      // It ended meanwhile, or before: who has cancelled it already learns nothing else.
      if (cancelled === undefined && batch.status === "cancelled") return write(found);
      if (cancelled === undefined) {
        throw new GatewayError(
          "invalid_value",
          `This batch has ended as ${batch.status}: there is nothing to cancel`,
        );
      }
      return write(cancelled);
    },
  }),
});

async function ownBatch(
  { batches }: Pick<ApiDeps, "batches">,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<ShownBatch> {
  const found = await batches.findOwn(projectId, id);
  if (found === undefined) {
    throw new GatewayError(
      "not_found",
      "There is no such batch: GET /v1/batches lists those of this project",
    );
  }
  return found;
}
