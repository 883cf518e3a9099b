/**
 * The reference at `/docs`, made of the API's own document, and that of administration, which the
 * console shows to whoever is signed in. Loaded and made when somebody first reads it.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import { onDemand } from "../domain/on_demand.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppContext, AppEnv } from "./context/request_context.ts";
import type { Endpoint } from "./endpoints/shape/endpoint.ts";
import { LeanResponse } from "./listener/lean_response.ts";

/** Headers of every page: it runs no script, loads nothing from elsewhere and is shown in no frame. */
const PAGE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "cache-control": "no-cache",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** What a reader asked for: an operation by its id, a search, or neither. */
export interface AskedPage {
  readonly operation?: string | undefined;
  readonly q?: string | undefined;
}

/** The references of this gateway, as pages. */
export interface DocsSite {
  readonly style: string;
  readonly stylePath: string;
  errors(): Promise<DocsAnswer>;
  api(asked: AskedPage): Promise<DocsAnswer>;
  administration(asked: AskedPage): Promise<DocsAnswer>;
}

/** A page. */
export interface DocsAnswer {
  readonly status: 200 | 404;
  readonly html: string;
}

/** Loads what makes the pages. */
export function docsOnDemand(
  endpoints: readonly Endpoint[],
  { videoViews }: Pick<ApiDeps, "videoViews">,
  { hasConsole }: { readonly hasConsole: boolean },
): () => Promise<DocsSite> {
  return onDemand(async () => {
    const [{ createDocs }, { apiDocument }] = await Promise.all([
      import("./docs/docs_site.tsx"),
      import("./endpoints/openapi/document.ts"),
    ]);
    return createDocs({
      baseUrl: () => videoViews().baseUrl,
      hasConsole,
      api: endpoints.map((endpoint) => () => apiDocument([endpoint])),
      async administration() {
        const [{ adminDocument }, { OPERATIONS }] = await Promise.all([
          import("./endpoints/admin/admin_document.ts"),
          import("../admin/operations.ts"),
        ]);
        return OPERATIONS.filter(({ isLocal }) => isLocal !== true)
          .map((operation) => () => adminDocument([operation]));
      },
    });
  });
}

/** Mounts the reference for whoever may read `/openapi.json`. */
export function mountDocs(app: Hono<AppEnv>, site: () => Promise<DocsSite>): void {
  app.get(
    "/docs",
    async (context) =>
      docsResponse(await (await site()).api(asked(context)), context.env.identity.requestId),
  );
  app.get(
    "/docs/errors",
    async ({ env }) => docsResponse(await (await site()).errors(), env.identity.requestId),
  );
  app.get("/docs/assets/docs.css", async ({ env, req }) => {
    const { style, stylePath } = await site();
    const isOfNow = `/docs/assets/docs.css${new URL(req.url).search}` === stylePath;
    return LeanResponse.make(style, {
      headers: {
        "content-type": "text/css; charset=utf-8",
        "cache-control": isOfNow ? "public, max-age=31536000, immutable" : "no-cache",
        "x-content-type-options": "nosniff",
        "x-request-id": env.identity.requestId,
      },
    });
  });
}

/** What a query asks for. */
function asked({ req }: AppContext): AskedPage {
  return { operation: req.query("operation"), q: req.query("q") };
}

/** A page as an answer. */
export function docsResponse({ status, html }: DocsAnswer, requestId: string): Response {
  return LeanResponse.make(html, {
    status,
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "x-request-id": requestId,
    },
  });
}
