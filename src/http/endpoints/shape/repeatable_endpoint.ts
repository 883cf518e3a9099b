/**
 * A `POST` that is safe to repeat: whose it is, its place, its body, and the answer that it or an
 * equal request before it got.
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import type { StreamAnswer } from "../../../gateway/call_engine.ts";
import { LongTexts } from "../../../files/long_texts.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import type { Stay } from "../../../limits/stay.ts";
import type { ParsedBody } from "../../bodies/read_body.ts";
import { arriveWhenRoom, callerOf, lookIn, modelCallerOf } from "../../callers/authenticate.ts";
import type { ApiDeps, CallDeps } from "../../context/api_deps.ts";
import type { AppContext } from "../../context/request_context.ts";
import {
  answerOnce,
  idempotencyKey,
  namesLeftOut,
  type Once,
  streamOnce,
  type StreamResponder,
} from "../../idempotency/repeatable_post.ts";
import type { Capability } from "../../../domain/capabilities.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import type { Tags } from "../../../domain/tags.ts";
import { answerFromCache, cacheTerms, streamFromCache } from "../../idempotency/response_cache.ts";
import { keepPrompt } from "../../answers/keep_prompt.ts";
import type { Guard } from "../../guard/guard.ts";
import { guardKept, serveGuarded } from "./serve_guarded.ts";
import { headersOf } from "./request_headers.ts";
import type { BodyKind } from "./body_kind.ts";
import { type Description, type Endpoint, fixedHeaders } from "./endpoint.ts";

/** A request that has been read and checked. */
export interface Arrived<Fields> {
  readonly context: AppContext;
  readonly caller: Caller;
  readonly stay: Stay;
  readonly body: ParsedBody;
  /** What was checked of the body. */
  readonly fields: Fields;
}

/** What serves such requests. */
export interface Serving<Request> {
  /** Gives the JSON text that it has passed to `once.remember`. */
  readonly answer?: (request: Request, once: Once) => Promise<string>;
  /** Asked instead where a stream is wanted. */
  readonly stream?: (request: Request, once: Once) => Promise<StreamAnswer>;
}

/** What such an endpoint is made of. */
export interface RepeatableSpec<Fields, Request, Deps extends CallDeps = ApiDeps>
  extends
    Pick<Endpoint, "path" | "family" | "version">,
    Omit<Description, "request" | "callsModel" | "isRepeatable"> {
  /**
   * Whether it takes a place among the caller's requests at the same time, and its answers tell
   * what the caller's limits leave.
   */
  readonly callsModel: boolean;
  /** Whether it tells what a model has said before. */
  readonly tellsKept?: boolean;
  /** Whether what is asked and answered is kept of projects that have it so; absent: it is not. */
  readonly keepsPrompts?: true;
  readonly body: BodyKind<Fields, Deps>;
  /** Makes what is served, and refuses what the body's schema cannot. */
  readonly toRequest: (arrived: Arrived<Fields>) => Request;
  /** What is asked for where equal requests of a project may get the same answer; absent: they may not. */
  readonly cached?: Capability;
  /** Whether such a request may, by its fields; absent: it may. */
  readonly mayCache?: (fields: Fields) => boolean;
  /** Whether a stream is wanted, by the fields; where the body has `stream: true` if absent. */
  readonly isStream?: (fields: Fields) => boolean;
  /** What is made of an answer in JSON, by the fields; absent: nothing. */
  readonly toAnswer?: (fields: Fields) => ((answer: Response) => Promise<Response>) | undefined;
  /** How a stream is sent, by the fields; as server-sent events where absent. */
  readonly toResponse?: (fields: Fields) => StreamResponder | undefined;
  /** Whether answers may have texts so long that they go by way of the disk; absent: they do not. */
  readonly hasLongTexts?: true;
  /** What makes a request equal to another; the whole body where absent. */
  readonly fingerprint?: (request: Request) => string;
  /** Makes what serves it, once. */
  readonly serve: (deps: Deps) => Serving<Request>;
}

/** Fields that mean the same of every body that has them. */
interface NamedFields {
  readonly model?: string | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly stream?: boolean | null | undefined;
}

/** Makes it. */
export function repeatableEndpoint<
  Fields extends NamedFields,
  Request,
  Deps extends CallDeps = ApiDeps,
>(
  {
    path,
    version,
    family,
    callsModel,
    tellsKept = false,
    keepsPrompts,
    cached: capability,
    mayCache,
    body: kind,
    toRequest,
    isStream = ({ stream }) => stream === true,
    toResponse,
    toAnswer,
    hasLongTexts,
    fingerprint: own,
    serve,
    ...described
  }: RepeatableSpec<Fields, Request, Deps>,
): Endpoint<Deps> {
  return {
    method: "POST",
    path,
    ...(version !== undefined && { version }),
    family,
    description: {
      ...described,
      callsModel,
      isRepeatable: true,
      request: kind.request,
      errors: [400, 401, ...kind.errors, ...described.errors],
    },
    handler(deps) {
      const serving = serve(deps);
      const read = kind.reader(deps);
      const identify = callsModel ? modelCallerOf : callerOf;
      const enter = callsModel ? arriveWhenRoom : lookIn;
      const filled = pathFiller(path);
      const headers = fixedHeaders(described.answer.headers);
      const { guard, spool } = deps;
      /** Nowhere where somebody looks at the answer, or keeps it. */
      const longTextsOf = ({ context, caller, stay }: Arrived<Fields>): LongTexts | undefined => {
        if (hasLongTexts !== true || guard?.looksAtAnswers === true) return undefined;
        if (context.env.batchLine !== undefined) return undefined;
        return new LongTexts(async () => {
          const part = await spool.create(caller.project.id);
          stay.whenSent(() => void part.remove());
          return part;
        });
      };
      const respond = (arrived: Arrived<Fields>, key: string | undefined): Promise<Response> => {
        const { context, caller, stay, body, fields } = arrived;
        const { raw } = context.req;
        const request = toRequest(arrived);
        const names = { caller, model: fields.model ?? undefined, furtherModels: fields.models };
        const marked = (text: string) => {
          const leftOut = namesLeftOut(deps, names);
          return leftOut.length === 0 ? text : fingerprint([text, leftOut]);
        };
        const post = {
          ...names,
          key,
          stay,
          path: filled(context),
          // Of a line that is asked again a guard may have made another body.
          fingerprint: () =>
            context.env.batchLine?.key ?? marked(own?.(request) ?? fingerprint(body.value)),
        };
        const { answer, stream } = serving;
        const terms = key !== undefined || capability === undefined
          ? undefined
          : cacheTerms(raw, caller.project);
        const make = (once: Once) => answer!(request, once);
        if (terms !== undefined && capability !== undefined && mayCache?.(fields) !== false) {
          const { tags, ...asked } = body.value as JsonObject;
          const cached = {
            ...post,
            ...{ capability, terms, tags: tags as Tags | null | undefined },
            fingerprint: () =>
              marked(fingerprint([asked, headersOf(raw, described.requestHeaders ?? [])])),
          };
          return stream === undefined || !isStream(fields)
            ? answerFromCache(deps, context, { post: cached, make, headers })
            : streamFromCache(deps, context, {
              post: cached,
              open: (once) => stream(request, once),
            });
        }
        const longTexts = longTextsOf(arrived);
        if (stream !== undefined && isStream(fields)) {
          return streamOnce(deps, context, {
            post,
            open: (once) => stream(request, once),
            respond: toResponse?.(fields),
            longTexts,
          });
        }
        const answered = answerOnce(deps, context, { post, make, headers, longTexts });
        const finish = toAnswer?.(fields);
        return finish === undefined ? answered : answered.then(finish);
      };
      /** Likewise, with the operator's guard before and, where it looks at answers, behind it. */
      const respondGuarded = (
        guard: Guard,
        arrived: Arrived<Fields>,
        key: string | undefined,
      ): Promise<Response> => {
        const { context, body, fields } = arrived;
        const post = {
          ...arrived,
          path: filled(context),
          model: fields.model ?? undefined,
          furtherModels: fields.models,
          stream: isStream(fields),
          body: body.value,
        };
        return serveGuarded(guard, deps, post, (value) =>
          respond(
            value === body.value
              ? arrived
              : { ...arrived, body: { ...body, value }, fields: kind.check(value) },
            key,
          ));
      };
      const checkAndRespond = async (
        { context, caller, stay, body }: Omit<Arrived<Fields>, "fields">,
        key: string | undefined,
      ): Promise<Response> => {
        const fields = kind.check(body.value);
        context.env.note.model = fields.model ?? undefined;
        const arrived = { context, caller, stay, body, fields };
        if (guard === undefined || !(callsModel || tellsKept)) return await respond(arrived, key);
        if (callsModel) return await respondGuarded(guard, arrived, key);
        return await guardKept(
          deps,
          { ...arrived, path: filled(context) },
          await respond(arrived, key),
        );
      };
      const { prompts, clock } = deps;
      /** Likewise, for a project that has it kept: as its caller has sent it, and as it is delivered. */
      const respondKeeping = (
        arrived: Omit<Arrived<Fields>, "fields">,
        key: string | undefined,
      ): Promise<Response> => {
        const { context: { env }, caller: { project }, body } = arrived;
        const respondNow = () => checkAndRespond(arrived, key);
        if (prompts === undefined) return respondNow();
        const model = (body.value as NamedFields | null)?.model;
        return keepPrompt(prompts, {
          project,
          requestId: env.identity.requestId,
          at: Math.round(clock.now() - (clock.monotonic() - env.arrivedAt)),
          path: filled(arrived.context),
          model: typeof model === "string" ? model : undefined,
          request: body.value,
          requestBytes: body.bytes,
        }, respondNow);
      };
      return async (context) => {
        const { raw } = context.req;
        const caller = identify(context, deps);
        const key = context.env.batchLine?.key ?? idempotencyKey(raw);
        const entering = enter(deps, caller);
        const stay = entering instanceof Promise ? await entering : entering;
        try {
          const body = await read(raw, stay, caller);
          if (keepsPrompts !== true || caller.project.quotas.promptDays === undefined) {
            return await checkAndRespond({ context, caller, stay, body }, key);
          }
          return await respondKeeping({ context, caller, stay, body }, key);
        } finally {
          stay.leave();
        }
      };
    },
  };
}

/** Puts a request's parameters in their places: two prefixes are one path, two ids are two. */
function pathFiller(path: string): (context: AppContext) => string {
  if (!path.includes("{")) return () => path;
  return ({ req }) => path.replaceAll(/\{(\w+)\}/g, (_, name) => req.param(name)!);
}
