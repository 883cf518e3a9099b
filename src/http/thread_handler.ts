/**
 * What a serving thread answers itself: the usual calls of models, for callers whose calls take
 * nothing but money. Every other request goes on to the main thread as it came, and so does each
 * that would be refused before it is a call: its answer, its line in the log and its count among the
 * refusals are made in one place.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import { OPENAI } from "../dialects/openai/family.ts";
import type { Family } from "../dialects/base/dialect.ts";
import { keysIn } from "./callers/authenticate.ts";
import type { ApiDeps, CallDeps } from "./context/api_deps.ts";
import type { AppEnv } from "./context/request_context.ts";
import { createMessage } from "./endpoints/messages/create_message.ts";
import {
  createChatCompletion,
  createCompletion,
  createEmbedding,
} from "./endpoints/model_calls.ts";
import { type Endpoint, pathsOf } from "./endpoints/shape/endpoint.ts";
import type { RequestHandler } from "./listener/contract.ts";
import { IncomingRequest } from "./listener/incoming_request.ts";
import { passOn } from "./listener/passage.ts";
import { LiteralRouter } from "./literal_router.ts";
import { mountEndpoints } from "./request_handler.ts";
import { RequestFrame } from "./request_frame.ts";

/** What it works with. */
export interface ThreadDeps extends CallDeps, Pick<ApiDeps, "ids" | "onRequest" | "clientAddress"> {
  /** Largest body that is read here, bytes. */
  readonly mostBodyBytes: number;
  /** Whether browsers of other origins may ask: the main thread knows which. */
  readonly hasBrowsers: boolean;
  /**
   * Whether calls with one of these keys are served here: the first that is known decides. It may
   * have to be asked for first, and so may the catalogue.
   */
  readonly serves: (keys: readonly string[]) => boolean | Promise<boolean>;
}

/** Served in a thread: whose answers are nowhere kept, and take no other turn. */
const SERVED: readonly Endpoint<CallDeps>[] = [
  createChatCompletion,
  createCompletion,
  createEmbedding,
  createMessage,
];

/** Makes the handler of a thread's listener. */
export function createThreadHandler(deps: ThreadDeps): RequestHandler {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  mountEndpoints(app, SERVED, deps);
  const frame = new RequestFrame(deps);
  app.onError((error, { env }) => frame.refuse(error, env));

  async function serve(request: Request, peer: string): Promise<Response> {
    const env = frame.open(peer, IncomingRequest.header(request, "x-forwarded-for"));
    const answer = frame.complete(await app.fetch(request, env), env);
    const asked = { method: request.method, path: IncomingRequest.path(request) };
    const { note } = env;
    if (note.hasBegun === undefined) {
      return passOn({ closes: true, otherwise: () => frame.tell(answer, env, asked) }, answer);
    }
    // Nobody asks an upstream twice for a call that a defect has ended.
    frame.tellOthers(answer, env, () => asked);
    return answer;
  }

  return async (request, { remoteAddress: peer }) => {
    const keys = keysOfUsual(request, deps);
    const serves = keys !== undefined && deps.serves(keys);
    if (!(typeof serves === "boolean" ? serves : await serves)) {
      return passOn({ closes: false }, gone());
    }
    return await serve(request, peer);
  };
}

/** The dialects' families by the paths that are served. */
const FAMILIES: ReadonlyMap<string, Family> = new Map(
  SERVED.flatMap((endpoint) =>
    pathsOf(endpoint).map((path) => [path, endpoint.family ?? OPENAI] as const)
  ),
);

/** What decides whether a request is of the usual kind. */
export type UsualBounds = Pick<ThreadDeps, "mostBodyBytes" | "hasBrowsers">;

/**
 * The keys that a request carries, one of which decides whether it is served in a thread; `undefined`
 * where the main thread serves it, whosever it is.
 */
export function keysOfUsual(request: Request, bounds: UsualBounds): readonly string[] | undefined {
  const family = FAMILIES.get(IncomingRequest.path(request));
  return family !== undefined && isUsual(request, bounds) ? keysIn(request, family) : undefined;
}

/** Whether nothing about a request is of a kind that the main thread alone knows. */
function isUsual(request: Request, { mostBodyBytes, hasBrowsers }: UsualBounds): boolean {
  if (request.method !== "POST") return false;
  // A body whose length nobody has told is read where there is most room.
  const length = IncomingRequest.header(request, "content-length");
  if (length === null || Number(length) > mostBodyBytes) return false;
  if (IncomingRequest.header(request, "idempotency-key") !== null) return false;
  return !hasBrowsers || IncomingRequest.header(request, "origin") === null;
}

/** Seen by nobody: a client that is there is passed on. */
function gone(): Response {
  return new Response(null, { status: 503 });
}
