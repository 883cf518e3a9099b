/**
 * Repeated requests over answers in memory, with work that tests do step by step.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { GatewayError } from "../../src/errors.ts";
import { createBodyBudget } from "../../src/http/bodies/body_budget.ts";
import type { ClaimedKeys } from "../../src/idempotency/claimed_keys.ts";
import {
  type Lead,
  type LedStream,
  RepeatedRequests,
} from "../../src/idempotency/repeated_requests.ts";
import type { TextParts } from "../../src/domain/text_parts.ts";
import { FakeClock } from "./fake_clock.ts";

/** Where the requests below belong. */
export const SCOPE = { projectId: "p", path: "/videos", key: "k" };
/** A part that is no part of a stream's text. */
export const KEEP_ALIVE = ": alive\n\n";

/** Repeated requests, and what a test does with them. */
export function repeatedRequestsBench({
  mostBytes = 1_000,
  roomBytes = 10_000,
  stored = new Map(),
  claimed,
}: {
  readonly mostBytes?: number;
  readonly roomBytes?: number;
  /** Answers that others store as well. */
  readonly stored?: Map<string, IdempotencyRecord>;
  readonly claimed?: ClaimedKeys;
} = {}) {
  const clock = new FakeClock();
  const place = ({ projectId, path, key }: typeof SCOPE) => `${projectId} ${path} ${key}`;
  const room = createBodyBudget(roomBytes);
  /** Sizes of the answers that had to wait for their turns, and how they are let go on. */
  const turns: { readonly bytes: number; readonly go: (error?: Error) => void }[] = [];
  let waits = false;
  let read = 0;
  const requests = new RepeatedRequests({
    answers: {
      size: (scope) => {
        const record = stored.get(place(scope));
        return Promise.resolve(record && Buffer.byteLength(record.body ?? ""));
      },
      find: (scope) => {
        read++;
        return Promise.resolve(stored.get(place(scope)));
      },
    },
    awaitTurn: (_projectId, bytes) => {
      if (!waits) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      turns.push({ bytes, go: (error) => error === undefined ? resolve() : reject(error) });
      return promise;
    },
    clock,
    roomOf: () => room,
    mayKeep: () => true,
    cached: { size: () => Promise.resolve(undefined), find: () => Promise.resolve(undefined) },
    mayCache: () => true,
    claimed,
    fleetingPart: KEEP_ALIVE,
    mostBytes,
  });
  let number = 0;
  const request = (changes: { scope?: typeof SCOPE; fingerprint?: string } = {}) => {
    const leaving = new AbortController();
    return {
      scope: SCOPE,
      fingerprint: "f1",
      requestId: `req_${++number}`,
      client: leaving.signal,
      leave: () => leaving.abort(),
      ...changes,
    };
  };
  const put = (record: IdempotencyRecord) => stored.set(place(record), record);
  let led = 0;
  const lead = ({ toRecord }: Lead) => {
    const body = `{"n":${++led}}`;
    put(toRecord(body));
    return Promise.resolve(body);
  };
  /** A source of parts that a test gives one by one; its last part is recorded when it is read. */
  function source() {
    const parts: PromiseWithResolvers<() => string | undefined>[] = [];
    let next = 0;
    const at = (index: number) => parts[index] ??= Promise.withResolvers();
    const given: Lead[] = [];
    const open = (lead: Lead): Promise<LedStream> => {
      given.push(lead);
      return Promise.resolve({
        provider: "remote",
        route: "remote/m",
        body: {
          next: () => at(next++).promise.then((part) => part()),
          cancel: () => Promise.resolve(),
        },
      });
    };
    let giving = 0;
    return {
      open,
      given,
      asked: () => next,
      give: (part: string | undefined) => at(giving++).resolve(() => part),
      end(tail: string) {
        at(giving++).resolve(() => {
          put(given.at(-1)!.toRecord(tail));
          return tail;
        });
        at(giving++).resolve(() => undefined);
      },
    };
  }
  return {
    requests,
    clock,
    room,
    request,
    lead,
    led: () => led,
    stored,
    source,
    turns,
    /** From now on answers wait for their turns. */
    holdTurns: () => waits = true,
    /** How often a stored answer was read. */
    read: () => read,
  };
}

/** All that is left of a body. */
export async function readAll(parts: TextParts): Promise<string> {
  let text = "";
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) text += part;
  return text;
}

/** Whether an error is the gateway's of this name. */
export const isError = (name: string) => (error: unknown) =>
  error instanceof GatewayError && error.error === name;

/** Resolves when everything that is ready has happened. */
export const settled = () => new Promise((resolve) => setTimeout(resolve));
