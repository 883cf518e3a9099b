/**
 * What is done for a session that others have ended: the ends of its calls are booked by another one,
 * which is there for that alone.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { NodeIdentity, SessionId } from "../../domain/session.ts";
import { waitAtMost } from "../../domain/wait_at_most.ts";
import { DONE } from "../entries/entry_results.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { LateBooks } from "../ports/late_books.ts";
import type { SessionEnded } from "../ports/session_lost.ts";
import { GOES_ON, KEY_TAKEN } from "./apply_late.ts";
import { BatchWriter, refuseAll } from "./batch_writer.ts";
import { SessionBeat, type SessionBeatOptions } from "./session_beat.ts";
import type { WriteOptions } from "./write_turns.ts";

const GIVEN_BACK_MS = 2_000;
const AGAIN_MS = 100;

/** Where it writes, and in whose place. */
export interface LateSessionOptions extends WriteOptions, Pick<SessionBeatOptions, "beatMs"> {
  readonly identity: NodeIdentity;
  /** Milliseconds in which others give back what they do not need. Default 2,000: some of their looks. */
  readonly givenBackMs?: number;
}

/** It begins when there is something to book. */
export class LateSession {
  readonly #options: LateSessionOptions;
  readonly #endedSession: () => SessionId;
  readonly #beat: SessionBeat;
  #writer: Promise<BatchWriter> | undefined;
  /** Projects of which others have given back too little. */
  readonly #short: Set<string> = new Set();
  #isOver = false;
  #booked = 0;
  #closedElsewhere = 0;
  #keysTaken = 0;
  #linesLeft = 0;

  /** @param endedSession The one that others have ended. */
  constructor(options: LateSessionOptions, endedSession: () => SessionId) {
    this.#options = options;
    this.#endedSession = endedSession;
    this.#beat = new SessionBeat(options, {
      beatMs: options.beatMs,
      listens: false,
      // What it writes then is refused.
      onLost: () => {},
    });
  }

  /**
   * One result per entry, in order. Holds need not be written: each is booked with the end of its call.
   * What is no call's is not written any more.
   *
   * @param why What has become of the session that the entries are of.
   */
  async write(entries: readonly Entry[], why: SessionEnded): Promise<readonly EntryResult[]> {
    if (this.#isOver) return refuseAll(entries, why);
    const closes = entries.filter(({ kind }) => kind === "close") as readonly CloseEntry[];
    const results = new Map<Entry, EntryResult>();
    // In the order in which everybody locks balances.
    const ordered = [...closes].sort(byProject);
    const booked = await this.#book(ordered);
    for (const [index, close] of ordered.entries()) results.set(close, booked[index]!);
    return entries.map((entry) => {
      if (entry.kind === "hold" || entry.kind === "rehold") return DONE;
      return results.get(entry) ?? refuseAll([entry], why)[0]!;
    });
  }

  /**
   * Ends it for good, behind what is being written; what it has come to, `undefined` where nothing was to be
   * booked.
   *
   * @param farewellMs What a silent server may take. Default: as long as writing may.
   */
  async end(farewellMs?: number): Promise<LateBooks | undefined> {
    this.#isOver = true;
    const opening = this.#writer;
    if (opening === undefined) return undefined;
    const writer = await opening;
    const sums = writer.writeUsage();
    await (farewellMs === undefined ? sums : waitAtMost(farewellMs, sums));
    await writer.close(farewellMs);
    await this.#beat.stop();
    this.#writer = undefined;
    return {
      booked: this.#booked,
      closedElsewhere: this.#closedElsewhere,
      keysTaken: this.#keysTaken,
      linesLeft: this.#linesLeft,
    };
  }

  async #book(closes: readonly CloseEntry[]): Promise<readonly EntryResult[]> {
    if (closes.length === 0) return [];
    let results;
    try {
      const writer = await (this.#writer ??= this.#open());
      await this.#lease(writer, closes);
      results = await writer.write(closes);
    } catch (error) {
      return refuseAll(closes, error);
    }
    for (const [index, result] of results.entries()) {
      // What could not be charged comes once more, to be released.
      if (result.ok) this.#booked += closes[index]!.call.state === "settled" ? 1 : 0;
      else if (result === KEY_TAKEN) this.#keysTaken++;
      else if (result === GOES_ON) this.#linesLeft++;
      else if (result.reason === "conflict") this.#closedElsewhere++;
    }
    return results;
  }

  /**
   * Leases what calls are charged. Where nobody has it to lease, others are asked for what they do not
   * need, and waited for a moment: once for each project.
   */
  async #lease(writer: BatchWriter, closes: readonly CloseEntry[]): Promise<void> {
    let needs = needsOf(closes).filter(({ projectId }) => !this.#short.has(projectId));
    const until = performance.now() + (this.#options.givenBackMs ?? GIVEN_BACK_MS);
    for (;;) {
      const results = await writer.write(needs);
      needs = needs.filter((_, index) => isElsewhere(results[index]!));
      if (needs.length === 0) return;
      if (performance.now() >= until) break;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    for (const { projectId } of needs) this.#short.add(projectId);
  }

  async #open(): Promise<BatchWriter> {
    const options = this.#options;
    const writer = new BatchWriter({
      ...options,
      identity: lateIdentity(options.identity),
      lateFor: this.#endedSession(),
      onLost: () => {},
    }, () => {});
    try {
      this.#beat.start(await writer.beginSession());
      return writer;
    } catch (error) {
      await writer.close();
      // What comes next tries it again.
      this.#writer = undefined;
      throw error;
    }
  }
}

function byProject({ call: one }: CloseEntry, { call: other }: CloseEntry): number {
  if (one.projectId === other.projectId) return 0;
  return one.projectId < other.projectId ? -1 : 1;
}

/** A lease for each project that pays, of what its calls are charged. */
function needsOf(closes: readonly CloseEntry[]): readonly LeaseEntry[] {
  const needs = new Map<string, AmountE8>();
  for (const { call: { projectId, chargedE8 } } of closes) {
    if (chargedE8 > 0n) needs.set(projectId, (needs.get(projectId) ?? 0n) + chargedE8);
  }
  return [...needs].map(([projectId, e8]) => ({
    ...{ kind: "lease", projectId },
    ...{ needE8: e8, wishE8: e8 },
  }));
}

/** Whether nothing was leased that others have. */
function isElsewhere(result: EntryResult): boolean {
  return result.ok && result.leased?.amountE8 === 0n && result.leased.elsewhereE8 > 0n;
}

type LeaseEntry = Extract<Entry, { readonly kind: "lease" }>;
type CloseEntry = Extract<Entry, { readonly kind: "close" }>;

/**
 * Of a node of its own: another process may have the node's name by now, whose session goes on; and one
 * that goes on with nothing, as it is there for a moment.
 */
function lateIdentity({ node, label, ...rest }: NodeIdentity): NodeIdentity {
  return { ...rest, node: `${node} late`, label: `what is left of ${label}`, isCommand: true };
}
