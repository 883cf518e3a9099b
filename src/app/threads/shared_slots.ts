/**
 * What threads have in common of callers and routes: where each balance and each limit lies in the
 * memory that they share.
 *
 * @module
 */

import type { Caller, KeyDirectory } from "../../accounts/key_directory.ts";
import type { Ledger } from "../../accounts/ledger.ts";
import type { SpendBook } from "../../accounts/spend_book.ts";
import { hasBudget } from "../../domain/budgets.ts";
import type { Catalogue, Limits } from "../../domain/catalogue.ts";
import type { Clock } from "../../domain/clock.ts";
import { isLimited } from "../../limits/gauge.ts";
import type { Limiter, LimitScope } from "../../limits/limiter.ts";
import type { RouteCapacity } from "../../limits/route_capacity.ts";
import type { GaugeCells, GaugeMemory } from "../../limits/shared_gauges.ts";
import { SharedMemory } from "./shared_memory.ts";
import type { SharedCatalogue, ThreadCaller } from "./thread_protocol.ts";

/** Who has counted alone until now. */
export interface SharedSlotsOptions {
  readonly ledger: Pick<Ledger, "share">;
  readonly spending: Pick<SpendBook, "admit">;
  readonly directory: Pick<KeyDirectory, "resolve">;
  readonly limiter: Pick<Limiter, "share" | "isShared">;
  readonly capacity: Pick<RouteCapacity, "share" | "isShared">;
  readonly clock: Clock;
}

export class SharedSlots {
  readonly #options: SharedSlotsOptions;
  readonly #shared: SharedMemory;
  readonly #projects = new Map<string, number>();
  readonly #gauges: GaugeSlots;

  constructor(shared: SharedMemory, options: SharedSlotsOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#gauges = new GaugeSlots(shared.gauges());
  }

  /** The projects whose balances are shared, by their slots. */
  get projects(): ReadonlyMap<string, number> {
    return this.#projects;
  }

  /** Leaves the places that a thread has taken which has ended. */
  leaveAllOf(thread: number): void {
    this.#gauges.leaveAllOf(thread);
  }

  /** Whose a key is, where a thread may serve its calls. */
  find(key: string): ThreadCaller | undefined {
    const { directory, clock, spending, limiter } = this.#options;
    const resolution = directory.resolve(key, clock.now());
    if (resolution.kind !== "caller") return undefined;
    const { caller } = resolution;
    if (!isServedInThreads(caller)) return undefined;
    // Where other nodes share its limits, the main thread knows what this one has of them.
    const subjects = [caller.project, caller.key];
    if (limiter.isShared && subjects.some(({ limits }) => isLimited(limits))) return undefined;
    try {
      spending.admit({ projectId: caller.project.id, keyId: caller.key.id });
    } catch {
      return undefined; // a brake has paused it: the main thread says so
    }
    const slot = this.#slotOf(caller.project.id);
    const projectGauge = this.#gaugeOf("project", caller.project);
    const keyGauge = this.#gaugeOf("key", caller.key);
    if (slot === undefined || projectGauge === FULL || keyGauge === FULL) return undefined;
    return { caller, slot, projectGauge, keyGauge };
  }

  /** Where a caller's limits are counted; `undefined` where it has none. */
  #gaugeOf(
    scope: LimitScope,
    { id, limits }: { readonly id: string; readonly limits: Limits },
  ): number | undefined {
    if (!isLimited(limits)) return undefined;
    return this.#gauges.slotOf(`${scope} ${id}`, (cells) => {
      this.#options.limiter.share({ scope, id }, cells);
    });
  }

  /** A catalogue, with where what its routes may take is counted. */
  catalogue(catalogue: Catalogue): SharedCatalogue {
    const gauges = new Map<string, number>();
    const { capacity } = this.#options;
    for (const { id, limits } of catalogue.models.flatMap(({ routes }) => routes)) {
      // Where other nodes share its limits, the main thread knows what this one has of them.
      if (!isLimited(limits) || capacity.isShared) continue;
      const slot = this.#gauges.slotOf(`route ${id}`, (cells) => {
        capacity.share(id, cells);
      });
      if (slot !== FULL) gauges.set(id, slot);
    }
    return { version: this.#shared.catalogueVersion, catalogue, gauges };
  }

  #slotOf(projectId: string): number | undefined {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const slot = this.#projects.size;
    if (slot >= SharedMemory.mostProjects) return undefined;
    this.#projects.set(projectId, slot);
    this.#options.ledger.share(projectId, this.#shared.avail, slot);
    return slot;
  }
}

/** Whether no budget bounds a caller's calls, and nothing of them is kept. */
function isServedInThreads({ project, key }: Caller): boolean {
  const { cacheSeconds, promptDays } = project.quotas;
  return (cacheSeconds ?? promptDays) === undefined &&
    [project, key].every(({ budgets }) => !hasBudget(budgets) && budgets.brakeTimes === undefined);
}

/** All are taken: whatever has none is the main thread's to count. */
const FULL = -1;

/** Which gauges are shared. */
class GaugeSlots {
  readonly #memory: GaugeMemory;
  readonly #slots = new Map<string, number>();

  constructor(memory: GaugeMemory) {
    this.#memory = memory;
  }

  /** How many are taken. */
  get size(): number {
    return this.#slots.size;
  }

  /** The slot of a name, taken where it has none; {@linkcode FULL} where there is none left. */
  slotOf(name: string, share: (cells: GaugeCells) => void): number {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    if (slot >= this.#memory.size) return FULL;
    this.#slots.set(name, slot);
    share(this.#memory.cells(slot));
    return slot;
  }

  /** Leaves the places that a thread has taken which has ended. */
  leaveAllOf(thread: number): void {
    this.#memory.leaveAllOf(thread + 1, this.size);
  }
}
