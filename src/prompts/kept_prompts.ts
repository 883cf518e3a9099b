/**
 * What calls of some projects said: redacted, shortened, compressed and kept, one after the other and
 * never in a call's way. Nothing here refuses or fails a call: what cannot be kept is not.
 *
 * @module
 */

import { DEFAULT_PROMPT_BYTES } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import { isObject } from "../domain/json_value.ts";
import { Turns } from "../domain/turns.ts";
import { answerWithin } from "../domain/wait_at_most.ts";
import { GatewayError } from "../errors.ts";
import { PackingError, PackingThread } from "./packing_thread.ts";
import { DAY_MS, type PromptPlace } from "./prompt_place.ts";
import { PromptRoom, TakingTurns } from "./prompt_room.ts";
import type { KeptPrompt, SaidPrompt } from "./said_prompt.ts";

/** The end of the process waits so long for a bucket that does not answer. */
const STOP_PATIENCE_MS = 5_000;
/** What takes longer to be kept is told. */
const SLOW_MS = 10_000;
/** How long it is told that some were lost. */
const LOSS_TOLD_MS = 3_600_000;
const RETRY_SECONDS = 10;

/** What keeping works with. */
export interface KeptPromptsOptions {
  readonly place: PromptPlace;
  readonly clock: Pick<Clock, "now">;
  /** For how many days a project has its own kept now; `undefined` where it has none kept. */
  readonly daysOf: (projectId: string) => number | undefined;
  /** The module of the Worker that packs; by default the real one. */
  readonly packer?: URL;
}

/** What waits to be kept. */
interface Waiting {
  readonly said: SaidPrompt;
  readonly characters: number;
  /** Resolves when it is kept, or is not. */
  readonly over: PromiseWithResolvers<void>;
  isForgotten: boolean;
  /** When its turn came, milliseconds since the epoch; `undefined` before. */
  begunAt?: number;
}

/** Why calls are lost that could have been kept. */
type Loss = "more came than could be written" | "the thread that packs them failed";

export class KeptPrompts {
  readonly #options: KeptPromptsOptions;
  readonly #place: PromptPlace;
  readonly #writes: Turns;
  readonly #thread: PackingThread;
  readonly #room = new PromptRoom();
  readonly #waiting = new TakingTurns<Waiting>();
  readonly #losses = new Map<Loss, { count: number; at: number }>();
  /** What is being packed or written. */
  readonly #current = new Set<Waiting>();
  #keeping: Promise<void> | undefined;
  /** Hears that one is kept, or is not. */
  #onEnd: (() => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #trouble: string | undefined;
  #reapTrouble: string | undefined;
  #isStopped = false;

  constructor(options: KeptPromptsOptions) {
    this.#options = options;
    this.#place = options.place;
    this.#writes = new Turns(options.place.atOnce);
    this.#thread = new PackingThread(options.packer);
  }

  /** Removes from now on what has been kept long enough. */
  start(): void {
    void this.reap();
    this.#timer = setInterval(() => void this.reap(), this.#place.reapEveryMs);
  }

  /** Writes what waits, for some seconds at most where that is a bucket, and ends. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const patience = setTimeout(() => void this.#place.stop(), STOP_PATIENCE_MS);
    try {
      await this.flush();
    } finally {
      clearTimeout(patience);
    }
    this.#isStopped = true;
    await Promise.all([this.#thread.stop(), this.#place.stop()]);
  }

  /** Resolves when everything given so far is kept, or is not. */
  async flush(): Promise<void> {
    await this.#keeping;
    await Promise.all([...this.#current].map(({ over }) => over.promise));
  }

  /** Why something is not kept, or not removed, as long as that lasts; for an hour how many calls were lost. */
  warnings(): readonly string[] {
    const since = this.#options.clock.now() - LOSS_TOLD_MS;
    const losses = [...this.#losses].filter(([, { at }]) => at > since).map(([why, { count }]) =>
      `prompts of ${count} ${count === 1 ? "call" : "calls"} were not kept: ${why}`
    );
    const slowSince = this.#options.clock.now() - SLOW_MS;
    const isSlow = [...this.#current].some(({ begunAt = Infinity }) => begunAt < slowSince);
    return [
      ...(this.#trouble === undefined ? [] : [`prompts are not kept: ${this.#trouble}`]),
      ...(this.#reapTrouble === undefined
        ? []
        : [`kept prompts may not be deleted in time: ${this.#reapTrouble}`]),
      ...(isSlow ? [`prompts wait: it takes more than ${SLOW_MS / 1000} s to keep one`] : []),
      ...losses,
    ];
  }

  /**
   * Takes room in memory for what comes of a stream, to be given back; `false` where this project has
   * none left.
   */
  hold(projectId: string, characters: number): boolean {
    return this.#room.take(projectId, characters);
  }

  /** Gives back what was held. */
  release(projectId: string, characters: number): void {
    this.#room.give(projectId, characters);
  }

  /** Keeps what a call said, later. */
  keep(said: SaidPrompt): void {
    const { id: projectId, quotas } = said.project;
    if (quotas.promptDays === undefined || this.#isStopped) return;
    const characters = said.requestBytes + said.answer.text.length;
    if (!this.hold(projectId, characters)) return this.#lose("more came than could be written");
    const over = Promise.withResolvers<void>();
    this.#waiting.add(projectId, { said, characters, over, isForgotten: false });
    this.#keeping ??= this.#keepAll();
  }

  /**
   * What is kept of a call of a project that began about then; `undefined` for nothing.
   *
   * @throws {GatewayError} `films_away` where a bucket does not answer, or does not take it in time.
   */
  async find(
    call: { readonly projectId: string; readonly requestId: string; readonly at: number },
  ): Promise<(KeptPrompt & { readonly until: number }) | undefined> {
    await this.#isOver(call);
    const file = await this.#place.read(call);
    if (file === undefined) return undefined;
    const days = this.#options.daysOf(call.projectId);
    const until = days === undefined ? file.until : Math.min(file.until, call.at + days * DAY_MS);
    if (until <= this.#options.clock.now()) return undefined;
    const kept = await unpack(file.bytes);
    return kept === undefined ? undefined : { ...kept, until };
  }

  /**
   * Removes everything of a project, now, and whatever it takes: what others have, too. Gives how many
   * bytes that were: of the disk in whole blocks, and of what was on its way there one for each character.
   */
  async forget(projectId: string): Promise<number> {
    let onTheWay = 0;
    for (const waiting of this.#waiting.drop(projectId)) {
      onTheWay += waiting.characters;
      this.#end(waiting);
    }
    for (const current of this.#onTheWay(projectId)) {
      if (!current.isForgotten) onTheWay += current.characters;
      current.isForgotten = true;
    }
    return onTheWay + await this.#place.forget(projectId, this.#options.clock.now());
  }

  /** Removes what has been kept long enough. */
  async reap(): Promise<void> {
    const { clock, daysOf } = this.#options;
    try {
      await this.#place.expire(clock.now(), daysOf);
      this.#reapTrouble = undefined;
    } catch (error) {
      this.#reapTrouble = this.#place.troubleOf(error);
    }
  }

  async #keepAll(): Promise<void> {
    // Calls have their turn before the first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (;;) {
      // What is packed is written in that order, however many a project has: so only one more than is
      // written at one time.
      while (this.#current.size > this.#place.atOnce) {
        await new Promise<void>((resolve) => this.#onEnd = resolve);
      }
      const waiting = this.#waiting.next();
      if (waiting === undefined) break;
      this.#current.add(waiting);
      waiting.begunAt = this.#options.clock.now();
      if (this.#place.hasEnded) {
        this.#end(waiting);
        continue;
      }
      try {
        const bytes = await this.#thread.pack(waiting.said);
        // The next is packed meanwhile: what waits to be written holds its room until then.
        void this.#writes.take(() => this.#write(waiting, bytes));
      } catch (error) {
        if (!(error instanceof PackingError)) throw error;
        this.#lose("the thread that packs them failed");
        this.#end(waiting);
      }
    }
    this.#keeping = undefined;
  }

  #end(waiting: Waiting): void {
    const { said, characters, over } = waiting;
    this.#current.delete(waiting);
    this.release(said.project.id, characters);
    over.resolve();
    this.#onEnd?.();
  }

  #onTheWay(projectId: string): readonly Waiting[] {
    const waiting = this.#waiting.of(projectId);
    const current = [...this.#current].filter(({ said }) => said.project.id === projectId);
    return [...current, ...waiting];
  }

  /** Waits for a call that is on its way to be kept, as long as whoever asks should. */
  async #isOver({ projectId, requestId }: { projectId: string; requestId: string }): Promise<void> {
    const found = this.#onTheWay(projectId).find(({ said, isForgotten }) =>
      said.requestId === requestId && !isForgotten
    );
    if (found === undefined) return;
    const { patienceMs } = this.#place;
    if (patienceMs === undefined) return await found.over.promise;
    try {
      await answerWithin(patienceMs, found.over.promise);
    } catch (cause) {
      throw new GatewayError(
        "films_away",
        `What '${requestId}' said is still on its way to the bucket that has the gateway's films and ` +
          "files. Try again",
        { cause, retryAfterSeconds: RETRY_SECONDS },
      );
    }
  }

  #lose(why: Loss): void {
    const now = this.#options.clock.now();
    const before = this.#losses.get(why);
    const isOld = before === undefined || before.at <= now - LOSS_TOLD_MS;
    this.#losses.set(why, { count: isOld ? 1 : before.count + 1, at: now });
  }

  async #write(waiting: Waiting, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { project: { id: projectId, quotas }, requestId, at } = waiting.said;
    const { promptDays: days, promptBytes: mostBytes = DEFAULT_PROMPT_BYTES } = quotas;
    try {
      if (days === undefined) return;
      const isForgotten = () => waiting.isForgotten;
      await this.#place.write({ projectId, requestId, at, days, mostBytes, isForgotten }, bytes);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = this.#place.troubleOf(error);
    } finally {
      this.#end(waiting);
    }
  }
}

/** `undefined` for a file that a power cut has left without its bytes. */
async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<KeptPrompt | undefined> {
  try {
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const kept: unknown = await new Response(plain).json();
    return isObject(kept) ? kept as unknown as KeptPrompt : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
