/**
 * What serving threads and the main thread have in memory together: numbers that each of them reads
 * and writes at once, without a word to the others.
 *
 * @module
 */

import type { AmountCells } from "../../accounts/purses.ts";
import { takeFrom } from "../../accounts/purses.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Instant } from "../../domain/instant.ts";
import type { AmountE8 } from "../../domain/money.ts";
import { GaugeMemory } from "../../limits/shared_gauges.ts";

/** Projects whose balance can be shared; calls of others are the main thread's. */
const MOST_SHARED = 65_536;
/** Projects, keys and routes whose limits can be shared, likewise. */
const MOST_GAUGES = 65_536;

/** Routes whose probes are told apart; others that share a cell wait for one another. */
const PROBE_CELLS = 4_096;
/** Of all threads together a route is probed about once a second. */
const PROBE_APART_MS = 900;

enum Word {
  /** Rises with every change of keys and projects. */
  Callers,
  /** Rises with every change of the catalogue. */
  Catalogue,
  /** 1 while nothing can be written. */
  Troubled,
  /** Where the threads' own words begin. */
  Threads = 8,
}

enum ThreadWord {
  Calls,
  Streams,
  Connections,
  Begun,
  Beats,
  /** How many there are. */
  Count = 8,
}

/** Of what other nodes change: until when what is known counts, by both clocks (milliseconds). */
enum CurrentCell {
  /** By the main thread's; 0 where nobody else changes anything. */
  Monotonic,
  Wall,
  Count,
}

/** As it crosses to a thread. */
export interface SharedBuffers {
  readonly words: SharedArrayBuffer;
  readonly avail: SharedArrayBuffer;
  /** By thread. */
  readonly untold: readonly SharedArrayBuffer[];
  readonly gauges: SharedArrayBuffer;
  readonly probes: SharedArrayBuffer;
  readonly current: SharedArrayBuffer;
}

/** Makes it, for so many threads. */
export function makeBuffers(threads: number): SharedBuffers {
  const amounts = () => new SharedArrayBuffer(MOST_SHARED * 8);
  return {
    words: new SharedArrayBuffer((Word.Threads + threads * ThreadWord.Count) * 4),
    avail: amounts(),
    untold: Array.from({ length: threads }, amounts),
    // The main thread counts too.
    gauges: GaugeMemory.buffer(MOST_GAUGES, threads + 1),
    probes: new SharedArrayBuffer(PROBE_CELLS * 4),
    current: new SharedArrayBuffer(CurrentCell.Count * 8),
  };
}

/** What of it belongs to no thread alone. */
export class SharedMemory {
  static readonly mostProjects = MOST_SHARED;
  readonly buffers: SharedBuffers;
  /** What each project can still spend, by its slot. */
  readonly avail: AmountCells;
  readonly #words: Int32Array;
  readonly #probes: Int32Array;
  readonly #current: BigInt64Array;

  constructor(buffers: SharedBuffers) {
    this.buffers = buffers;
    this.#probes = new Int32Array(buffers.probes);
    this.#current = new BigInt64Array(buffers.current);
    this.#words = new Int32Array(buffers.words);
    this.avail = new BigInt64Array(buffers.avail);
  }

  /** Which state of keys and projects is the last. */
  get callersVersion(): number {
    return Atomics.load(this.#words, Word.Callers);
  }

  callersChanged(): void {
    Atomics.add(this.#words, Word.Callers, 1);
  }

  /** Which catalogue is the last. */
  get catalogueVersion(): number {
    return Atomics.load(this.#words, Word.Catalogue);
  }

  /** @returns The new one's. */
  catalogueChanged(): number {
    return Atomics.add(this.#words, Word.Catalogue, 1) + 1;
  }

  /** Whether nothing can be written, so that no call may begin. */
  get isTroubled(): boolean {
    return Atomics.load(this.#words, Word.Troubled) !== 0;
  }

  set isTroubled(value: boolean) {
    Atomics.store(this.#words, Word.Troubled, Number(value));
  }

  /** Says until when keys, prices and limits are known well enough. */
  setCurrentUntil({ monotonic, wall }: Instant): void {
    Atomics.store(this.#current, CurrentCell.Monotonic, BigInt(Math.ceil(monotonic)));
    Atomics.store(this.#current, CurrentCell.Wall, BigInt(Math.ceil(wall)));
  }

  /** Whether they are, by the main thread's clock. */
  isCurrent({ monotonic, now }: Clock): boolean {
    const until = Atomics.load(this.#current, CurrentCell.Monotonic);
    return until === 0n ||
      (monotonic() <= Number(until) &&
        now() <= Number(Atomics.load(this.#current, CurrentCell.Wall)));
  }

  /** Takes the one probe of a route that all threads have about once a second; says whether it could. */
  takeProbe(routeId: string, nowMs: number): boolean {
    const cell = hashOf(routeId) % PROBE_CELLS;
    // It may wrap around: what counts is how far apart two are.
    const now = Math.floor(nowMs) | 0;
    const last = Atomics.load(this.#probes, cell);
    // Threads' clocks are a little apart too: the other's probe may lie ahead.
    const apart = Math.abs((now - last) | 0);
    if (last !== 0 && apart < PROBE_APART_MS) return false;
    return Atomics.compareExchange(this.#probes, cell, last, now) === last;
  }

  /** Counts of limits, as the main thread has them, or the thread of a number from 0. */
  gauges(thread?: number): GaugeMemory {
    const { gauges, untold } = this.buffers;
    return new GaugeMemory(gauges, untold.length + 1, thread === undefined ? 0 : thread + 1);
  }

  /** What belongs to one thread, numbered from 0. */
  thread(index: number): ThreadMemory {
    const words = new Int32Array(
      this.buffers.words,
      (Word.Threads + index * ThreadWord.Count) * 4,
      ThreadWord.Count,
    );
    const untold = new BigInt64Array(this.buffers.untold[index]!);
    return new ThreadMemory(words, this.avail, untold);
  }
}

/** A thread's counts, and what it has taken of balances. */
export class ThreadMemory {
  readonly #words: Int32Array;
  readonly #avail: AmountCells;
  readonly #untold: AmountCells;

  constructor(words: Int32Array, avail: AmountCells, untold: AmountCells) {
    this.#words = words;
    this.#avail = avail;
    this.#untold = untold;
  }

  /** What is under way in it. */
  get load(): ThreadLoad {
    const [calls, streams, connections, begun] = this.#words;
    return { calls: calls!, streams: streams!, connections: connections!, begun: begun! >>> 0 };
  }

  /** Counts a call that has begun: whoever is to wait for all of them may ask at any moment. */
  callBegun(): void {
    Atomics.add(this.#words, ThreadWord.Calls, 1);
    Atomics.add(this.#words, ThreadWord.Begun, 1);
  }

  callEnded(): void {
    Atomics.sub(this.#words, ThreadWord.Calls, 1);
  }

  /** Says what else is under way, and that it lives. */
  beat({ streams, connections }: Pick<ThreadLoad, "streams" | "connections">): void {
    this.#words[ThreadWord.Streams] = streams;
    this.#words[ThreadWord.Connections] = connections;
    Atomics.add(this.#words, ThreadWord.Beats, 1);
  }

  /** How often it has said so. */
  get beats(): number {
    return Atomics.load(this.#words, ThreadWord.Beats);
  }

  availOf(slot: number): AmountE8 {
    return Atomics.load(this.#avail, slot);
  }

  /**
   * Takes an amount of a project's balance where there is as much; says whether. It counts as untold
   * after that: of a thread that is ended in between nothing is given back that it had not taken.
   */
  take(slot: number, amountE8: AmountE8): boolean {
    if (!takeFrom(this.#avail, slot, amountE8)) return false;
    Atomics.add(this.#untold, slot, amountE8);
    return true;
  }

  /** The main thread knows of what was taken. */
  told(slot: number, amountE8: AmountE8): void {
    Atomics.sub(this.#untold, slot, amountE8);
  }

  /** Forgets what a thread that has ended has taken and never told of, and says how much. */
  forget(slot: number): AmountE8 {
    return Atomics.exchange(this.#untold, slot, 0n);
  }

  /** Of a thread that begins anew. */
  clear(): void {
    this.#words.fill(0);
  }
}

/** What is under way in a thread. */
export interface ThreadLoad {
  readonly calls: number;
  readonly streams: number;
  readonly connections: number;
  /** Calls that have begun since its start, up to 2³². */
  readonly begun: number;
}

/** FNV-1a, of 31 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 1;
}
