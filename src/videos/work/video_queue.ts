/**
 * The video tasks that wait for an attempt, in memory, and whose turn it is:
 * fair between lines and, within a line, between projects; oldest first within a
 * project, unless an operator has moved them. Choosing costs the same for ten tasks and for ten thousand. Tasks whose
 * films are too large for the room on the disk step aside for those that fit.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { turnOf, type VideoTask } from "../../domain/video_task.ts";
import { MinHeap } from "./min_heap.ts";
import { TurnRing } from "../task/turn_ring.ts";

/** Tasks that can go on under the same conditions. */
export interface VideoLine {
  readonly route: string;
  readonly provider: string;
  /** Whether the upstream works on them already, so that they only have to be asked after. */
  readonly hasJob: boolean;
}

/** Under which conditions the next attempt may begin. */
export interface QueueRoom {
  /** Whether another attempt may begin in a line. */
  readonly hasRoom: (line: VideoLine) => boolean;
  /** Whether it may be one of this project: a route may be shut for one alone. */
  readonly isOpenTo: (line: VideoLine, projectId: string) => boolean;
  /** Bytes that a film may take. */
  readonly contentBytes: () => number;
}

/** What the queue needs. */
export interface VideoQueueOptions {
  readonly clock: Clock;
  /** Attempts that one project may have at a time; Infinity for any number. */
  readonly tasksPerProject: number;
  /** Bytes that the film of a task will still take. */
  readonly bytesToCome: (task: VideoTask) => number;
}

/**
 * No task is put off for longer. `notBefore` is a time of the machine's clock,
 * which may be set back meanwhile.
 */
const MAX_WAIT_MS = 600_000;

interface Waiting {
  readonly task: VideoTask;
  /** Monotonic milliseconds. */
  readonly dueAt: number;
  readonly contentBytes: number;
  /** Where it waits; `undefined` until it is due, and while it is too large. */
  stack: Stack | undefined;
  isGone: boolean;
}

/** What one project has in one line. */
interface Stack {
  readonly line: Line;
  readonly project: ProjectLoad;
  readonly tasks: MinHeap<Waiting>;
  /** Without those that are gone. */
  count: number;
}

interface Line extends VideoLine {
  readonly key: string;
  readonly stacks: Map<string, Stack>;
  /** Those with tasks whose projects may have another attempt. */
  readonly turns: TurnRing<Stack>;
}

interface ProjectLoad {
  readonly id: string;
  readonly stacks: Set<Stack>;
  running: number;
}

export class VideoQueue {
  readonly #options: VideoQueueOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #later = new MinHeap<Waiting>(({ dueAt }) => dueAt);
  /** Those that have stepped aside, smallest film first. */
  readonly #tooLarge = new MinHeap<Waiting>(({ contentBytes }) => contentBytes);
  readonly #lines = new Map<string, Line>();
  readonly #projects = new Map<string, ProjectLoad>();
  /** Jobs under way come before new ones: their upstreams work on them whether or not we ask. */
  readonly #rings = { jobs: new TurnRing<Line>(), starts: new TurnRing<Line>() };

  constructor(options: VideoQueueOptions) {
    this.#options = options;
  }

  /** Tasks that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether tasks have stepped aside because their films do not fit. */
  get hasTooLarge(): boolean {
    while (this.#tooLarge.first?.isGone) this.#tooLarge.pop();
    return this.#tooLarge.first !== undefined;
  }

  /** Lets a task wait for its turn, from its `notBefore` on; it replaces an earlier state of it. */
  put(task: VideoTask): void {
    this.remove(task.id);
    const waitMs = Math.min(Math.max(task.notBefore - this.#options.clock.now(), 0), MAX_WAIT_MS);
    const dueAt = this.#options.clock.monotonic() + waitMs;
    const contentBytes = this.#options.bytesToCome(task);
    const waiting: Waiting = { task, dueAt, contentBytes, stack: undefined, isGone: false };
    this.#waiting.set(task.id, waiting);
    if (waitMs > 0) this.#later.push(waiting);
    else this.#line(waiting);
  }

  /** Takes a task out, if it waits. */
  remove(taskId: string): void {
    const waiting = this.#waiting.get(taskId);
    if (waiting === undefined) return;
    this.#waiting.delete(taskId);
    waiting.isGone = true;
    if (waiting.stack !== undefined) this.#shrink(waiting.stack);
  }

  /**
   * Takes the task whose turn it is out of the queue. Its project has one more
   * attempt from now on, until {@linkcode VideoQueue.leave}.
   */
  next(room: QueueRoom): VideoTask | undefined {
    this.#lineDue();
    const { jobs, starts } = this.#rings;
    const task = this.#takeFrom(jobs, room) ?? this.#takeFrom(starts, room);
    if (task === undefined) return undefined;
    const project = this.#project(task.projectId);
    project.running++;
    if (project.running === this.#options.tasksPerProject) {
      for (const stack of project.stacks) this.#skip(stack);
    }
    return task;
  }

  /** Ends an attempt of a project. */
  leave(projectId: string): void {
    const project = this.#project(projectId);
    project.running--;
    for (const stack of project.stacks) this.#offer(stack);
    this.#forgetIdle(project);
  }

  /** Milliseconds until the next task is due that is not yet; `undefined` when there is none. */
  nextDueMs(): number | undefined {
    for (;;) {
      const { first } = this.#later;
      if (first === undefined) return undefined;
      if (!first.isGone) return Math.max(0, first.dueAt - this.#options.clock.monotonic());
      this.#later.pop();
    }
  }

  /** Lets those that stepped aside wait for their turn again, as many as fit together. */
  readmit(contentBytes: number): void {
    let left = contentBytes;
    while (this.hasTooLarge && this.#tooLarge.first!.contentBytes <= left) {
      const waiting = this.#tooLarge.pop()!;
      left -= waiting.contentBytes;
      this.#line(waiting);
    }
  }

  #lineDue(): void {
    while (this.nextDueMs() === 0) this.#line(this.#later.pop()!);
  }

  #line(waiting: Waiting): void {
    const { task } = waiting;
    const line = this.#lineOf(task);
    let stack = line.stacks.get(task.projectId);
    if (stack === undefined) {
      const project = this.#project(task.projectId);
      const tasks = new MinHeap<Waiting>((other) => turnOf(other.task));
      stack = { line, project, tasks, count: 0 };
      line.stacks.set(task.projectId, stack);
      project.stacks.add(stack);
    }
    stack.tasks.push(waiting);
    stack.count++;
    waiting.stack = stack;
    this.#offer(stack);
  }

  #takeFrom(
    ring: TurnRing<Line>,
    { hasRoom, isOpenTo, contentBytes }: QueueRoom,
  ): VideoTask | undefined {
    for (let left = ring.size; left > 0; left--) {
      const line = ring.turn();
      if (line === undefined || !hasRoom(line)) continue;
      for (let passed = 0; passed < line.turns.size;) {
        const stack = line.turns.turn()!;
        if (!isOpenTo(line, stack.project.id)) {
          passed++;
          continue;
        }
        if (contentBytes() <= 0) return undefined;
        passed = 0;
        const waiting = this.#takeFirst(stack);
        if (waiting.contentBytes <= contentBytes()) {
          this.#waiting.delete(waiting.task.id);
          return waiting.task;
        }
        this.#tooLarge.push(waiting);
      }
    }
    return undefined;
  }

  #takeFirst(stack: Stack): Waiting {
    let waiting = stack.tasks.pop()!;
    while (waiting.isGone) waiting = stack.tasks.pop()!;
    waiting.stack = undefined;
    this.#shrink(stack);
    return waiting;
  }

  /** One task less; an empty stack is forgotten, and so is what only it kept alive. */
  #shrink(stack: Stack): void {
    stack.count--;
    if (stack.count > 0) return;
    this.#skip(stack);
    const { line, project } = stack;
    line.stacks.delete(project.id);
    if (line.stacks.size === 0) this.#lines.delete(line.key);
    project.stacks.delete(stack);
    this.#forgetIdle(project);
  }

  #offer(stack: Stack): void {
    if (stack.project.running >= this.#options.tasksPerProject) return;
    stack.line.turns.add(stack);
    this.#ringOf(stack.line).add(stack.line);
  }

  #skip(stack: Stack): void {
    stack.line.turns.remove(stack);
    if (stack.line.turns.size === 0) this.#ringOf(stack.line).remove(stack.line);
  }

  #ringOf({ hasJob }: Line): TurnRing<Line> {
    return hasJob ? this.#rings.jobs : this.#rings.starts;
  }

  #lineOf({ route, provider, job }: VideoTask): Line {
    const hasJob = job !== undefined;
    const key = `${hasJob ? "job" : "start"} ${provider} ${route}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = { key, route, provider, hasJob, stacks: new Map(), turns: new TurnRing() };
      this.#lines.set(key, line);
    }
    return line;
  }

  #project(id: string): ProjectLoad {
    let project = this.#projects.get(id);
    if (project === undefined) {
      project = { id, stacks: new Set(), running: 0 };
      this.#projects.set(id, project);
    }
    return project;
  }

  #forgetIdle(project: ProjectLoad): void {
    if (project.running === 0 && project.stacks.size === 0) this.#projects.delete(project.id);
  }
}
