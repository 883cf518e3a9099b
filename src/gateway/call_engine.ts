/**
 * The path of every model call: plan, select a route, admit, hold, attempt,
 * settle. One engine serves all capabilities; a capability brings its facts and
 * how to ask a provider.
 *
 * @module
 */

import type { CatalogueHolder } from "../catalog/snapshot.ts";
import type { ClosedCall } from "../domain/call.ts";
import { Roster } from "../domain/brief_map.ts";
import { capabilityOf } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import type { ThoughtSeals } from "../dialects/turns/thought_seals.ts";
import { GatewayError } from "../errors.ts";
import type { Limiter } from "../limits/limiter.ts";
import { CountingHabits } from "../metering/counting_habits.ts";
import { UsageMeter } from "../metering/usage_meter.ts";
import { capWithThoughts } from "../pricing/output_cap.ts";
import { type Plan, planCall, type PlanRequest, requireModel } from "../planning/plan_call.ts";
import { planCalls } from "../planning/plan_calls.ts";
import { wishesFor } from "../planning/model_names.ts";
import { answerFactsAfter } from "../planning/facts_after_rules.ts";
import { countRequest, countWhenRoom } from "../planning/take_permit.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { Conversation } from "../providers/contract/provider.ts";
import { countedBy } from "./counted_by.ts";
import {
  type AttemptLoopDeps,
  type BegunAttempt,
  runAttempts,
  type Served,
} from "./attempt_loop.ts";
import type { AnswerKind, CallRequest, KeptResponse, StreamKind } from "./call_request.ts";
import { endingOf, shuttingDown } from "./call_ending.ts";
import { type CachedCall, recordCachedCall } from "./cached_call.ts";
import { LeftStreams } from "./left_streams.ts";
import { isRefusal, isStarved } from "./failed_attempt.ts";
import { leaseFor } from "../planning/lease_for.ts";
import { listText } from "./list_text.ts";
import { MeteredCall, type MeteredCallDeps, toldAnswer } from "./metered_call.ts";
import { openStream } from "./open_stream.ts";
import { SealedRoutes } from "./sealed_routes.ts";
import { promptTokens } from "./prompt_tokens.ts";
import { conversationOf, providerCallOf } from "./provider_call.ts";
import { takeHold } from "./take_hold.ts";
import { QuickCall } from "./quick_call.ts";
import type { QuickCaller } from "./quick_caller.ts";
import { QuickEngines, type QuickKind } from "./quick_engines.ts";
import {
  type OpenedStream,
  type OpenStream,
  type RelayOptions,
  relayStream,
} from "./stream_relay.ts";
import type { TextParts } from "../domain/text_parts.ts";

/** What the engine works with, handed over by the composition root. */
export interface EngineDeps
  extends AttemptLoopDeps, Omit<MeteredCallDeps, "currency" | "onEnded" | "habits"> {
  readonly catalogue: CatalogueHolder;
  readonly limiter: Limiter;
  readonly seals: Pick<ThoughtSeals, "routeOf">;
  /** Refuses what is not to be served by this engine; absent: it serves all. */
  readonly mayAdmit?: (plan: Pick<Plan, "selection">) => void;
  /** Told which route a conversation's sealed thoughts are from. */
  readonly onSeal?: (note: { projectId: string; seal: string; route: string }) => void;
}

/** A stream under way: who serves it is known before its first byte. */
export interface StreamAnswer {
  readonly provider: string;
  readonly route: string;
  readonly body: TextParts;
}

export class CallEngine {
  readonly #deps: EngineDeps;
  readonly #open = new Roster<OpenStream>();
  readonly #habits = new CountingHabits();
  /** Which routes sealed thoughts are from. */
  readonly seals: SealedRoutes;
  readonly #left: LeftStreams;
  readonly #quick: QuickEngines;
  #calls = 0;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.seals = new SealedRoutes(deps.seals);
    this.#left = new LeftStreams({ delay: deps.delay, habits: this.#habits });
    this.#quick = new QuickEngines({
      deps,
      open: this.#open,
      now: this.#now,
      relayOptions: (call, plan, kind) => this.#relayOptions(call, plan, kind),
      noteSeal: (call, seal) => this.#noteSeal(call, seal),
      fail: (call, error) => this.#serve<never>(call, () => Promise.reject(error)),
      answerOf: (call, plan, kind, begun) => this.#answerOf(call, plan, kind, begun),
      streamOf: (call, plan, kind, begun) => this.#streamOf(call, plan, kind, begun),
    });
  }

  /**
   * Serves a call whose answer comes in one piece. Resolves with its JSON text, the one that
   * is stored where any is, when the call is settled on disk.
   *
   * @throws {GatewayError}
   */
  async answer(request: CallRequest, kind: AnswerKind): Promise<string> {
    const plan = this.#plan(request, kind.dialect, false);
    const begun = this.#begun(request, kind.dialect, plan);
    return await this.#answerOf(begun instanceof Promise ? await begun : begun, plan, kind);
  }

  /**
   * Serves a call whose answer is a stream. Resolves when the model has begun to
   * write, so that every failure before that is an ordinary error answer.
   *
   * @throws {GatewayError}
   */
  async stream(request: CallRequest, kind: StreamKind): Promise<StreamAnswer> {
    const plan = this.#plan(request, kind.dialect, true);
    const begun = this.#begun(request, kind.dialect, plan);
    return await this.#streamOf(begun instanceof Promise ? await begun : begun, plan, kind);
  }

  /**
   * Begins a call by callbacks where its first route can be asked so; whether it did. Else nothing has
   * happened: the caller asks for an answer as ever, which also tells why where the call is refused.
   */
  begin(request: CallRequest, kind: QuickKind, caller: QuickCaller): QuickCall | undefined {
    const isStream = kind.stream !== undefined;
    const { dialect } = kind;
    let plan: Plan;
    let call: MeteredCall;
    let conversation: Conversation | undefined;
    try {
      plan = this.#plan(request, dialect, isStream);
      conversation = conversationOf(this.#deps, dialect, plan);
      if (conversation?.mayBegin?.() !== true) return undefined;
      this.#requireTaking(plan);
      countRequest(this.#deps.limiter, countedBy(request, plan));
      call = this.#admit(request, dialect, plan, { isWatched: false });
    } catch (error) {
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
    const quick = new QuickCall(this.#quick.of(kind), { call, plan, caller });
    quick.ask(conversation);
    return quick;
  }

  /**
   * Writes down a call that gets the answer of an equal one.
   *
   * @throws {GatewayError} See {@linkcode recordCachedCall}.
   */
  recordCached(call: CachedCall): Promise<void> {
    return recordCachedCall(this.#deps, call);
  }

  /** Whether the gateway is stopping: new calls are refused. */
  get draining(): boolean {
    return this.#drained !== undefined;
  }

  /** Calls that have not ended. */
  get openCalls(): number {
    return this.#calls;
  }

  /** Of them, streams that have begun and are not over. */
  get openStreams(): number {
    return this.#open.size;
  }

  /** Refuses new calls from now on; resolves when those under way have ended. */
  drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    this.#left.stop();
    if (this.#calls === 0) this.#drained.resolve();
    return this.#drained.promise;
  }

  /** Sends a comment on every stream that has been silent for 15 s, so that no proxy closes it. */
  keepStreamsAlive(): void {
    const before = this.#deps.clock.monotonic() - SILENCE_MS;
    this.#open.forEach((stream) => stream.keepAlive(before));
  }

  /** Ends every open stream with an error frame: the gateway stops and waits no longer. */
  stopStreams(): void {
    this.#open.forEach((stream) => stream.stop());
  }

  #answerOf(
    call: MeteredCall,
    plan: Plan,
    kind: AnswerKind,
    begun?: BegunAttempt,
  ): Promise<string> {
    return this.#serve(call, async () => {
      const { answer, ended } = await this.#attempt(call, plan, kind.invoke, begun);
      ended("success");
      call.meter.report(answer.usage, answer.terms);
      this.#noteSeal(call, answer.seal);
      if (!call.meter.hasReport) call.meter.wrote(answer.text());
      const reported = answer.body.usage as JsonObject | undefined;
      const describe = (closed: ClosedCall) => toldAnswer(call, answer.body, { closed, reported });
      const { keep } = kind;
      const { remember, batchLine } = call.request;
      let text: string | undefined;
      const closed = await call.close(
        { result: "completed", billable: true, status: 200 },
        (meter) => meter.complete(),
        (keep ?? remember ?? batchLine) === undefined ? undefined : (closing) => {
          const body = describe(closing);
          const { response, unkept } = keep?.(body) ?? NOTHING_KEPT;
          text = response?.body ?? JSON.stringify(body);
          return {
            kept: {
              response,
              idempotency: remember?.(text),
              batchLine: batchLine?.(text, closing),
            },
            unkept,
          };
        },
      );
      return text ?? listText(describe(closed));
    });
  }

  #streamOf(
    call: MeteredCall,
    plan: Plan,
    kind: StreamKind,
    begun?: BegunAttempt,
  ): Promise<StreamAnswer> {
    return this.#serve(call, async () => {
      const served = await this.#attempt<OpenedStream>(
        call,
        plan,
        async (provider, providerCall, signal) =>
          openStream(await kind.invoke(provider, providerCall, signal), ({ usage, terms }) => {
            // Of an attempt that failed by itself nobody is billed anything.
            if (signal.aborted) call.meter.report(usage, terms);
          }),
        begun,
      );
      const body = relayStream(call, served, this.#relayOptions(call, plan, kind));
      return { provider: call.route.providerId, route: call.route.id, body };
    });
  }

  #relayOptions(call: MeteredCall, plan: Plan, kind: Pick<StreamKind, "writer">): RelayOptions {
    const { streamTokens } = plan.capOf(call.route);
    const { choices } = plan.factsOn(call.route);
    return {
      writer: kind.writer(call.request, call.route.modelId),
      mostTokens: streamTokens === undefined ? undefined : {
        answer: streamTokens * choices,
        withThoughts: capWithThoughts(call.route, streamTokens) * choices,
      },
      left: this.#left,
      onSeal: this.#sealNote(call),
      now: this.#now,
      open: this.#open,
    };
  }

  /** Which model, what it needs, and which routes may serve it. */
  #plan(request: CallRequest, dialect: Dialect, stream: boolean): Plan {
    const { caller, furtherModels } = request;
    const { kind } = capabilityOf(dialect.capability);
    const snapshot = this.#deps.catalogue.current;
    const facts = dialect.facts(request, stream);
    const factsAfter = (route: Route) => answerFactsAfter({ dialect, request, facts }, route);
    const sticky = this.seals.routeOf(caller.project.id, facts.seal);
    const question = (name: string): PlanRequest => {
      const model = requireModel(snapshot, { model: name, caller, kind });
      const wishes = wishesFor(snapshot, name, request.wishes);
      return { caller, wishes, model, facts, factsAfter, sticky };
    };
    return furtherModels === undefined
      ? planCall(this.#deps, question(request.model))
      : planCalls(this.#deps, [request.model, ...furtherModels], question);
  }

  /** Counts and admits, again where this node's part of a balance is to be enlarged first. */
  #begun(request: CallRequest, dialect: Dialect, plan: Plan): MeteredCall | Promise<MeteredCall> {
    const take = () => {
      const counting = this.#count(request, plan);
      const admit = () => this.#admit(request, dialect, plan);
      return counting === undefined ? admit() : counting.then(admit);
    };
    const { ledger } = this.#deps;
    return leaseFor(ledger, { plan, projectId: request.caller.project.id, take });
  }

  /** Counts the call in the limits of the project and the key, which others may have to leave first. */
  #count(request: CallRequest, plan: Plan): Promise<void> | undefined {
    this.#requireTaking(plan);
    const counting = countWhenRoom(this.#deps.limiter, countedBy(request, plan));
    return counting?.then(() => this.#requireTaking(plan));
  }

  /** Takes the hold on the balance. */
  #admit(
    request: CallRequest,
    dialect: Dialect,
    plan: Plan,
    { isWatched = true } = {},
  ): MeteredCall {
    const taken = takeHold(this.#deps, request, plan);
    request.stay.takeOver();
    this.#calls++;
    const { ledger, clock, onCall, traceCall, catalogue } = this.#deps;
    const { currency } = catalogue.current.catalogue;
    const { facts } = plan;
    const meter = new UsageMeter(() => promptTokens(dialect, request.body), facts.expected?.likely);
    return new MeteredCall(
      { ledger, clock, onCall, traceCall, habits: this.#habits, currency, onEnded: this.#onEnded },
      { request, dialect, facts, meter, isWatched, ...taken },
    );
  }

  #requireTaking(plan: Plan): void {
    if (this.draining) throw shuttingDown();
    this.#deps.mayAdmit?.(plan);
  }

  /** Monotonic milliseconds. */
  readonly #now = (): number => this.#deps.clock.monotonic();

  /** Apart, so that a stream does not keep its plan alive, with all routes that were weighed. */
  #sealNote(call: MeteredCall): (seal: string) => void {
    return (seal) => this.#noteSeal(call, seal);
  }

  #noteSeal(call: MeteredCall, seal: string | undefined): void {
    if (seal === undefined) return;
    const projectId = call.request.caller.project.id;
    const { id: route } = call.route;
    this.seals.note(projectId, seal, route);
    this.#deps.onSeal?.({ projectId, seal, route });
  }

  readonly #onEnded = (): void => {
    this.#calls--;
    if (this.#calls === 0) this.#drained?.resolve();
  };

  /** Does an admitted call's work; whatever fails releases the call before it is told. */
  async #serve<Answer>(call: MeteredCall, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const { shown, gone, ending } = endingOf(error);
      if (gone) await call.leave(ending);
      else if (isStarved(shown)) await call.starve(ending);
      else {
        const result = isRefusal(shown) ? "refused" : "upstream_failed";
        await call.release({ ...ending, result });
      }
      // The record of a call has no place for a defect: the request's own line tells of it.
      if (!(shown instanceof GatewayError)) call.request.note.isCall = false;
      throw shown;
    }
  }

  #attempt<Answer>(
    call: MeteredCall,
    plan: Plan,
    invoke: AnswerInvoke<Answer>,
    begun: BegunAttempt | undefined,
  ): Promise<Served<Answer>> {
    return runAttempts(this.#deps, {
      call,
      invoke,
      begun,
      ...plan,
      providerCall: (route) => providerCallOf(call, plan, route),
    });
  }
}

type AnswerInvoke<Answer> = Parameters<typeof runAttempts<Answer>>[1]["invoke"];

const NOTHING_KEPT: KeptResponse = { response: undefined };

/** Proxies close connections that are silent for a minute or less. */
const SILENCE_MS = 15_000;
