/**
 * A relay of one call that holds all of a balance, with everything in memory: for the ends
 * of streams that no client can bring about at will.
 *
 * @module
 */

import { Ledger } from "../../src/accounts/ledger.ts";
import type { ClosedCall } from "../../src/domain/call.ts";
import type { Route } from "../../src/domain/catalogue.ts";
import type { CallRequest } from "../../src/gateway/call_request.ts";
import { Roster } from "../../src/domain/brief_map.ts";
import { ChatWriter } from "../../src/dialects/openai/chunk_writer.ts";
import { openaiChat } from "../../src/dialects/openai_chat/dialect.ts";
import { LeftStreams } from "../../src/gateway/left_streams.ts";
import { MeteredCall } from "../../src/gateway/metered_call.ts";
import { type OpenStream, relayStream } from "../../src/gateway/stream_relay.ts";
import { UNLIMITED_PERMIT } from "../../src/limits/permit.ts";
import { CountingHabits } from "../../src/metering/counting_habits.ts";
import { UsageMeter } from "../../src/metering/usage_meter.ts";
import type { AnswerEvent } from "../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import type { EntryResult } from "../../src/storage/ports/entry.ts";
import { route as routeOf } from "./catalogue_parts.ts";
import { chunk } from "./chat_bodies.ts";
import { commitsBy } from "./commits_by.ts";
import { FakeClock } from "./fake_clock.ts";
import { freeStay } from "./free_stay.ts";

/** An event with a text. */
export function written(text: string, parts: Partial<AnswerEvent> = {}): AnswerEvent {
  return {
    chunk: chunk({ content: text }),
    text,
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
    ...parts,
  };
}

/** What a test says of a relay. */
export interface RelayParts {
  /** Events that came before the caller was given anything. */
  readonly first: readonly AnswerEvent[];
  /** What the stream gives after them. */
  readonly next?: () => Promise<readonly AnswerEvent[] | undefined>;
  /** What storage answers to the close. */
  readonly result?: EntryResult;
  /** What the caller asked for. */
  readonly body?: JsonObject;
  readonly projectId?: string;
  readonly route?: Route;
  /** How long the upstream took to begin; absent: nobody was asked. */
  readonly waitedMs?: number;
  /** Those that other relays share with this one. */
  readonly habits?: CountingHabits;
  readonly left?: LeftStreams;
  /** Tokens that the answer may have. */
  readonly mostTokens?: number;
}

/** A relay of a call that holds all of a balance of 1,000,000 units. */
export function relayBench({
  first,
  next = () => new Promise(() => {}),
  result = { ok: true },
  body = {},
  projectId = "p",
  route = routeOf(),
  waitedMs,
  habits = new CountingHabits(),
  left = new LeftStreams({ delay: () => new Promise(() => {}), habits }),
  mostTokens,
}: RelayParts) {
  const clock = new FakeClock();
  const closed: ClosedCall[] = [];
  const ended: string[] = [];
  const endedTokens: (number | undefined)[] = [];
  const note = { isCall: false };
  let cancelled = 0;
  let over = 0;
  const ledger = new Ledger({
    commits: commitsBy(() => Promise.resolve(result)),
    balances: [{ projectId, avail: 1_000_000n, held: 0n }],
    now: () => clock.now(),
    onTrouble() {},
    retryDelay: () => new Promise(() => {}),
  });
  const hold = ledger.hold({
    callId: 1,
    requestId: "req_aaaaaaaaaaaa1",
    projectId,
    keyId: "k",
    capability: "chat",
    model: "one",
    provider: "acme",
    route: route.id,
    priceVersion: 1,
    heldE8: 1_000_000n,
    unlimited: false,
    stream: true,
    openedAt: clock.now(),
  })!;
  const call = new MeteredCall({
    ledger,
    clock,
    currency: "USD",
    onCall: (record) => closed.push(record.call),
    onEnded: () => over++,
    habits,
  }, {
    request: {
      signal: new AbortController().signal,
      caller: { project: { id: projectId } },
      body,
      note,
      arrivedAt: 0,
      stay: freeStay(),
    } as unknown as CallRequest,
    dialect: openaiChat,
    facts: {
      capability: "chat",
      stream: true,
      tools: false,
      vision: false,
      jsonSchema: false,
      promptTokensEstimate: 1,
      promptTokensBound: 1,
      maxOutputTokens: undefined,
      choices: 1,
    },
    meter: new UsageMeter(() => 1),
    hold,
    route,
  });
  if (waitedMs !== undefined) {
    call.startAttempt(route, UNLIMITED_PERMIT);
    clock.advance(waitedMs);
    call.noteFirstByte();
  }
  const open = new Roster<OpenStream>();
  const relay = relayStream(call, {
    answer: { stream: { next, cancel: () => cancelled++ }, first },
    ended: (how, tokens) => {
      ended.push(how);
      endedTokens.push(tokens);
    },
  }, {
    writer: new ChatWriter({ model: "one", includeUsage: false }),
    mostTokens: mostTokens === undefined
      ? undefined
      : { answer: mostTokens, withThoughts: mostTokens },
    left,
    now: () => clock.monotonic(),
    open,
  });
  return {
    relay,
    closed,
    ended,
    endedTokens,
    note,
    clock,
    open,
    balance: () => ledger.balanceOf(projectId),
    cancelled: () => cancelled,
    over: () => over,
  };
}
