/**
 * What went wrong last with each task, in an operator's words: more than its
 * caller is told. In memory alone, as the log has it for good.
 *
 * @module
 */

import type { RunnerEvent } from "../task/runner_event.ts";

/** What went wrong, and where. */
export interface LastFailure {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly route: string;
  /** One line with its cause, without secrets. */
  readonly message: string;
}

/** Tasks that are remembered; those that failed longest ago are forgotten first. */
const MOST_TASKS = 1_000;

export class LastFailures {
  readonly #failures = new Map<string, LastFailure>();

  /** Takes in what happened at a time in milliseconds since the epoch. */
  note(event: RunnerEvent, at: number): void {
    switch (event.kind) {
      case "attempt_failed":
      case "poll_failed":
      case "download_cut":
        return this.#keep(event.taskId, {
          at,
          route: event.route,
          message: inOneLine(event.error),
        });
      case "abandoned_worker":
        return this.#keep(event.taskId, { at, route: event.route, message: event.message });
      case "completed":
        this.#failures.delete(event.taskId);
    }
  }

  /** What went wrong last with a task; `undefined` for nothing since this process began. */
  of(taskId: string): LastFailure | undefined {
    return this.#failures.get(taskId);
  }

  #keep(taskId: string, failure: LastFailure): void {
    this.#failures.delete(taskId);
    this.#failures.set(taskId, failure);
    if (this.#failures.size <= MOST_TASKS) return;
    const [oldest] = this.#failures.keys();
    this.#failures.delete(oldest!);
  }
}

/** An error and the cause that the system gave. */
function inOneLine({ message, cause }: Error): string {
  const why = cause instanceof Error ? cause.message : cause;
  const text = why === undefined || message.includes(String(why)) ? message : `${message}: ${why}`;
  // Behind the first line comes a stack: that is the log's.
  return text.split("\n", 1)[0]!;
}
