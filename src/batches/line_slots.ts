/**
 * How many lines of all batches may be asked at one time.
 *
 * @module
 */

/** Whose line wants a place, and which model it asks. */
export interface LineOwner {
  readonly projectId: string;
  /** The logical model's id: however its callers call it, it is one. */
  readonly model: string;
}

/**
 * Places that projects have in turn, of one project's lines its models in turn, and of one model's
 * the line that has asked first.
 *
 * One project has at most half of what the others leave, and one model leaves a quarter of its
 * project's places, and of all of them, to other models: were all lines of a project, or all lines
 * of a model, to wait for an upstream that says nothing, the next one would find a place.
 */
export class LineSlots {
  readonly #slots: number;
  /** By project and model, of those that have any. */
  readonly #taken = new Tally();
  /** By project and model, whose turn is next first. */
  readonly #waiting = new Map<string, Map<string, (() => void)[]>>();

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Takes a place; whoever has it gives it back. */
  async take(line: LineOwner): Promise<void> {
    if (this.#mayTake(line)) return this.#taken.add(line, 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const ofProject = this.#waiting.get(line.projectId) ?? new Map<string, (() => void)[]>();
    this.#waiting.set(line.projectId, ofProject);
    const ofModel = ofProject.get(line.model);
    if (ofModel === undefined) ofProject.set(line.model, [resolve]);
    else ofModel.push(resolve);
    await promise;
  }

  /** Gives a place back. */
  give(line: LineOwner): void {
    this.#taken.add(line, -1);
    while (this.#letNextIn());
  }

  #letNextIn(): boolean {
    for (const [projectId, models] of this.#waiting) {
      // Asked once: a project may wait with as many models as lines.
      if (this.#leftTo(projectId) <= 0) continue;
      for (const [model, waiting] of models) {
        const line = { projectId, model };
        if (!this.#mayTake(line)) continue;
        const next = waiting.shift()!;
        models.delete(model);
        if (waiting.length > 0) models.set(model, waiting);
        this.#waiting.delete(projectId);
        if (models.size > 0) this.#waiting.set(projectId, models);
        this.#taken.add(line, 1);
        next();
        return true;
      }
    }
    return false;
  }

  #mayTake({ projectId, model }: LineOwner): boolean {
    const left = this.#leftTo(projectId);
    if (left <= 0) return false;
    const ownOfModel = this.#taken.of(projectId, model);
    if (ownOfModel >= shareOfModel(left + ownOfModel)) return false;
    const ofModel = this.#taken.ofModel(model);
    return ofModel < shareOfModel(this.#slots - (this.#taken.all - ofModel));
  }

  /** Places that a project may take of half of what the others leave. */
  #leftTo(projectId: string): number {
    const own = this.#taken.of(projectId);
    return Math.ceil((this.#slots - (this.#taken.all - own)) / 2) - own;
  }
}

/** Of so many places: where there are few, all of them, as a quarter is none. */
function shareOfModel(places: number): number {
  return places - Math.floor(places / 4);
}

/** Places that are taken: of all, by project, by model and by both; what has none is not kept. */
class Tally {
  readonly #counts = new Map<string, number>();
  all = 0;

  of(projectId: string, model?: string): number {
    return this.#counts.get(nameOf(projectId, model)) ?? 0;
  }

  ofModel(model: string): number {
    return this.#counts.get(nameOf(undefined, model)) ?? 0;
  }

  add({ projectId, model }: LineOwner, more: number): void {
    this.all += more;
    this.#add(nameOf(projectId, undefined), more);
    this.#add(nameOf(projectId, model), more);
    this.#add(nameOf(undefined, model), more);
  }

  #add(name: string, more: number): void {
    const count = (this.#counts.get(name) ?? 0) + more;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** No two of them are the same: a JSON list tells where each part ends. */
function nameOf(projectId: string | undefined, model: string | undefined): string {
  return JSON.stringify([projectId ?? null, model ?? null]);
}
