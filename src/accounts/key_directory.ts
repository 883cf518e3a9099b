/**
 * Who a key belongs to: every key and project in memory, so that a call costs
 * one look-up however many keys there are, and a change is effective at once.
 *
 * @module
 */

import { allowsModel, type Project, type ProjectKey } from "../domain/account.ts";
import { hashKey } from "./project_key.ts";

/** The key and project behind a request. */
export interface Caller {
  readonly key: ProjectKey;
  readonly project: Project;
}

/** What became of a key that was presented. */
export type Resolution =
  | { readonly kind: "caller"; readonly caller: Caller }
  | { readonly kind: "unknown" | "expired" | "disabled" };

/** How many presented keys are remembered unhashed; beyond it the cache starts again. */
const CACHED_CALLERS = 20_000;

const UNKNOWN: Resolution = { kind: "unknown" };
const EXPIRED: Resolution = { kind: "expired" };
const DISABLED: Resolution = { kind: "disabled" };

/** All projects and keys, as storage has them. */
export class KeyDirectory {
  readonly #projects = new Map<string, Project>();
  readonly #keys = new Map<string, ProjectKey>();
  readonly #idByHash = new Map<string, string>();
  /** Presented key → caller. Holds only keys that exist, so guessing fills nothing. */
  readonly #callers = new Map<string, Caller>();
  readonly #listeners = new Set<() => void>();

  constructor(projects: readonly Project[], keys: readonly ProjectKey[]) {
    for (const project of projects) this.#projects.set(project.id, project);
    for (const key of keys) this.#addKey(key);
  }

  /**
   * Finds the caller behind a presented key.
   *
   * @param nowMs Milliseconds since the epoch, for expiry.
   */
  resolve(presented: string, nowMs: number): Resolution {
    return stateOf(this.#callers.get(presented) ?? this.#lookUp(presented), nowMs);
  }

  /** As {@linkcode KeyDirectory.resolve}, for whoever may use a key without having it. */
  resolveId(keyId: string, nowMs: number): Resolution {
    const key = this.#keys.get(keyId);
    const project = key && this.#projects.get(key.projectId);
    return stateOf(key && project && { key, project }, nowMs);
  }

  project(id: string): Project | undefined {
    return this.#projects.get(id);
  }

  key(id: string): ProjectKey | undefined {
    return this.#keys.get(id);
  }

  projects(): readonly Project[] {
    return [...this.#projects.values()];
  }

  keys(): readonly ProjectKey[] {
    return [...this.#keys.values()];
  }

  /** Adds or replaces a project; its keys see the change with their next request. */
  putProject(project: Project): void {
    this.#projects.set(project.id, project);
    this.#changed();
  }

  /** Adds or replaces a key. */
  putKey(key: ProjectKey): void {
    this.#addKey(key);
    this.#changed();
  }

  /** Forgets a key. */
  removeKey(id: string): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    this.#forgetSecrets(key);
    this.#changed();
  }

  /** Calls `listener` after each change: whoever it was learnt of before may be another now. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #changed(): void {
    this.#callers.clear();
    for (const listener of this.#listeners) listener();
  }

  #addKey(key: ProjectKey): void {
    const before = this.#keys.get(key.id);
    if (before !== undefined) this.#forgetSecrets(before);
    this.#keys.set(key.id, key);
    this.#idByHash.set(key.hash, key.id);
    if (key.earlier !== undefined) this.#idByHash.set(key.earlier.hash, key.id);
  }

  #forgetSecrets({ hash, earlier }: ProjectKey): void {
    this.#idByHash.delete(hash);
    if (earlier !== undefined) this.#idByHash.delete(earlier.hash);
  }

  #lookUp(presented: string): Caller | undefined {
    const hash = hashKey(presented);
    const id = this.#idByHash.get(hash);
    const key = id === undefined ? undefined : this.#keys.get(id);
    const project = key && this.#projects.get(key.projectId);
    if (key === undefined || project === undefined) return undefined;
    if (this.#callers.size >= CACHED_CALLERS) this.#callers.clear();
    const caller = { key: hash === key.hash ? key : untilGraceEnds(key), project };
    this.#callers.set(presented, caller);
    return caller;
  }
}

/** The key as its earlier secret knows it: whether that has ended costs a call nothing of its own. */
function untilGraceEnds(key: ProjectKey): ProjectKey {
  const { expiresAt = Infinity, earlier } = key;
  return { ...key, expiresAt: Math.min(expiresAt, earlier?.until ?? 0) };
}

/** What a key is worth now, by whose it is. */
export function stateOf(caller: Caller | undefined, nowMs: number): Resolution {
  if (caller === undefined) return UNKNOWN;
  const { key, project } = caller;
  if (key.expiresAt !== undefined && key.expiresAt <= nowMs) return EXPIRED;
  if (key.disabled || project.disabled) return DISABLED;
  return { kind: "caller", caller };
}

/** Whether a caller may use a model: the project must allow it and, where it says so, the key. */
export function mayUse(caller: Caller, modelId: string): boolean {
  return allowsModel(caller.project.models, modelId) &&
    (caller.key.models === undefined ||
      allowsModel(caller.key.models, modelId));
}
