/**
 * Moves tasks to other routes that fit their callers' wishes, hold and all.
 *
 * @module
 */

import type { KeyDirectory } from "../../accounts/key_directory.ts";
import type { OpenCall } from "../../domain/call.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import { GatewayError } from "../../errors.ts";
import { factsOfVideo } from "../../planning/facts_of_video.ts";
import { termsOn } from "../../planning/open_call.ts";
import { planCall, type PlanDeps } from "../../planning/plan_call.ts";
import { nameOf } from "../task/attempt.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";
import type { TaskBook, TaskChange } from "../task/task_book.ts";
import type { TaskWriter } from "../task/task_writer.ts";

/** What rerouting needs. */
export interface RerouterOptions extends PlanDeps {
  readonly book: TaskBook;
  readonly directory: Pick<KeyDirectory, "project">;
  readonly onEvent: OnRunnerEvent;
}

export class Rerouter {
  readonly #options: RerouterOptions;
  /** Routes that failed for a task, while this process knows of it. */
  readonly #failed = new Map<string, Set<string>>();

  constructor(options: RerouterOptions) {
    this.#options = options;
    options.book.subscribe((before, after) => {
      const id = (after ?? before)!.id;
      if (after?.error !== undefined || after?.completedAt !== undefined || after === undefined) {
        this.#failed.delete(id);
      }
    });
  }

  /** Keeps a task from being moved back to the route that it is on. */
  noteFailure({ id, route }: VideoTask): void {
    const failed = this.#failed.get(id);
    if (failed === undefined) this.#failed.set(id, new Set([route]));
    else failed.add(route);
  }

  /** Whether routes have failed for a task, so that it may have fewer candidates than others like it. */
  hasFailures(taskId: string): boolean {
    return this.#failed.has(taskId);
  }

  /**
   * Moves a task to the best other route, without its job and its claim.
   *
   * @param change What else changes with the move.
   * @returns The moved task; `undefined` when there is no other route that fits the
   * wishes, none that the balance covers, or the task is no longer the writer's.
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  async move(
    task: VideoTask,
    { writer, change }: {
      readonly writer: TaskWriter;
      readonly change: (task: VideoTask) => TaskChange["set"];
    },
  ): Promise<VideoTask | undefined> {
    for (const move of this.#candidates(task)) {
      const { route, provider } = move;
      const moved = await writer.change((newest) => ({
        set: {
          ...change(newest),
          route,
          provider,
          job: undefined,
          mayHaveBegun: false,
          lease: undefined,
          notBefore: 0,
        },
        move,
      }));
      if (moved !== undefined) {
        this.#options.onEvent({ kind: "rerouted", toRoute: route, ...nameOf(task) });
        return moved;
      }
      const newest = await this.#options.book.find(task.id);
      if (newest === undefined || !writer.owns(newest)) return undefined;
    }
    return undefined;
  }

  /** The task's call on each route that may do instead, best first. */
  #candidates(task: VideoTask): OpenCall[] {
    const { book, catalogue, directory } = this.#options;
    const call = book.callOf(task.id);
    const model = catalogue.current.model(task.model);
    const project = directory.project(task.projectId);
    // An exact route is the caller's last word.
    if (task.wishes.route !== undefined || call === undefined) return [];
    if (model === undefined || project === undefined) return [];
    const facts = factsOfVideo({
      work: task,
      hasReference: task.referenceType !== undefined,
      fields: task.fields,
    });
    const caller = { project: { ...project, unlimited: call.unlimited } };
    try {
      const plan = planCall(this.#options, { caller, wishes: task.wishes, model, facts });
      return plan.selection.candidates
        .filter(({ route: { id }, isLastResort }) =>
          // From one route that is down to another: that would never end.
          isLastResort !== true && id !== task.route && !this.#failed.get(task.id)?.has(id)
        )
        .map(({ route }) => ({
          ...call,
          provider: route.providerId,
          route: route.id,
          priceVersion: route.prices.version,
          heldE8: plan.worstCaseE8(route),
          terms: termsOn(route, facts),
          ...(call.reservedE8 !== undefined && { reservedE8: plan.quoteE8(route) }),
        }));
    } catch (error) {
      if (error instanceof GatewayError) return [];
      throw error;
    }
  }
}
