/**
 * What the console has of the API: files of any project, for who may see them, and calls as one of a
 * project's keys, for who may spend its money. Such a call goes where its callers' calls go, so their
 * limits, budgets and prices hold for it; the key itself is nowhere in it.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { Tags } from "../domain/tags.ts";
import { GatewayError } from "../errors.ts";
import type { FilmVariant } from "../videos/files/film_store.ts";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppEnv, RequestBindings } from "./context/request_context.ts";
import { type Endpoint, pathsOf } from "./endpoints/shape/endpoint.ts";
import { fileNotFound, sendFile } from "./endpoints/files/files.ts";
import { sendFilm } from "./endpoints/videos/content.ts";
import { videoNotFound } from "./endpoints/videos/tasks.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import { LeanResponse } from "./listener/lean_response.ts";
import { LiteralRouter } from "./literal_router.ts";
import { type AskedPage, docsResponse, type DocsSite } from "./mount_docs.ts";
import { createRequestHandler, mountEndpoints } from "./request_handler.ts";

/** Headers by lower-case name, for an answer besides its own. */
type Headers = Readonly<Record<string, string>>;

/** A call of the console. */
export interface ConsoleCall {
  /** Id of the project key that it is a call of. */
  readonly keyId: string;
  /** From `/v1` on. */
  readonly path: string;
  /** What the call is called by whatever its body says. */
  readonly tags: Tags;
  readonly headers: Headers;
}

/** The API for one request of the console. */
export interface ConsoleApi {
  /** A film or its thumbnail, whosever it is; its project has not fetched it then. */
  film(taskId: string, variant: FilmVariant, headers: Headers): Promise<Response>;
  /** A file of a project. */
  file(projectId: string, fileId: string, headers: Headers): Promise<Response>;
  /** A page of the admin API's reference. */
  reference(asked: AskedPage): Promise<Response>;
  /**
   * Has the request that came to the console served as a caller's, with its body as it is.
   *
   * @throws {GatewayError} `not_found`, `project_key_invalid`, `project_key_disabled`; what the call
   * itself is refused for is its answer.
   */
  call(call: ConsoleCall): Promise<Response>;
}

/** A request as the console came to it. */
type Asked = Pick<RequestBindings, "identity" | "remoteAddress"> & { readonly raw: Request };

/** Headers of a request that mean something to a call. */
const CALL_HEADERS = ["content-type", "idempotency-key", "cache-control"];

/** Makes it, over those endpoints that the console may call. */
export function createConsoleApi(
  endpoints: readonly Endpoint[],
  deps: ApiDeps,
  docs: () => Promise<DocsSite>,
): (asked: Asked) => ConsoleApi {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  const handle = createRequestHandler(app, deps, mountEndpoints(app, endpoints, deps));
  const paths = new Set(endpoints.flatMap(pathsOf));
  const { videos, uploads, directory, clock } = deps;
  return ({ raw, identity, remoteAddress }) => {
    const asked = { req: { raw, method: raw.method }, env: { identity } };
    return {
      async film(taskId, variant, headers) {
        const task = await videos.find(taskId);
        if (task === undefined) throw videoNotFound();
        const answer = await sendFilm(asked, { task, variant, deps, notesFetched: false });
        return LeanResponse.withHeaders(answer, headers);
      },
      async file(projectId, fileId, headers) {
        const file = await uploads.findOwn(projectId, fileId);
        if (file === undefined) throw fileNotFound();
        return LeanResponse.withHeaders(await sendFile(asked, file, deps), headers);
      },
      async reference(page) {
        return docsResponse(await (await docs()).administration(page), identity.requestId);
      },
      async call({ keyId, path, tags, headers }) {
        if (!paths.has(path)) {
          throw new GatewayError("not_found", `The console does not call ${path.slice(0, 200)}`);
        }
        const resolution = directory.resolveId(keyId, clock.now());
        if (resolution.kind !== "caller") throw notUsable(resolution.kind);
        const request = IncomingRequest.under(raw, {
          path,
          headers: CALL_HEADERS.flatMap((name) => {
            const value = IncomingRequest.header(raw, name);
            return value === null ? [] : [[name, value] as const];
          }),
        });
        const inside = { caller: resolution.caller, tags };
        return LeanResponse.withHeaders(await handle(request, { remoteAddress, inside }), headers);
      },
    };
  };
}

function notUsable(why: "unknown" | "expired" | "disabled"): GatewayError {
  const code = why === "disabled" ? "project_key_disabled" : "project_key_invalid";
  return new GatewayError(
    code,
    why === "disabled"
      ? "The key, or its project, is disabled: enable it, or choose another one"
      : `The key ${why === "expired" ? "has expired" : "is gone"}: choose another one`,
  );
}
