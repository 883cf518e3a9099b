/**
 * The keys of what calls said, in a bucket: `prompts/<project>/<hour>/<request id>.<days>d.<milliseconds>.gz`
 * below the prefix, and `prompts/<project>/forgotten`. The milliseconds are those of a clock that all nodes
 * know: a call's are the earliest at which it may have arrived by it, and those that `forgotten` holds the
 * latest at which somebody may have had the project forgotten.
 *
 * @module
 */

import type { ListedObject } from "../objects/object_store.ts";
import { blocksOf, hourText } from "./prompt_place.ts";

/** An object, as its key says. */
export interface KeptObject {
  readonly key: string;
  readonly projectId: string;
  readonly hour: string;
  readonly requestId: string;
  readonly days: number;
  /** Milliseconds since the epoch, by the clock of all. */
  readonly at: number;
  /** In whole blocks. */
  readonly size: number;
}

const FOLDER = "prompts/";
const KEY = /^prompts\/([^/]+)\/(\d{10})\/(req_[a-z0-9]{1,60})\.(\d{1,5})d\.(\d{1,16})\.gz$/;
const REQUEST_ID = /^req_[a-z0-9]{1,60}$/;
/** Behind all hours. */
const FORGOTTEN = "forgotten";

/** Whether something can be kept of it. */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text);
}

export class PromptKeys {
  /** What all of them begin with. */
  readonly begins: string;
  readonly #prefix: string;

  /** @param prefix "", or a path with `/` at its end. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.begins = prefix + FOLDER;
  }

  /** What those of a project begin with. */
  folderOf(projectId: string): string {
    return `${this.begins}${projectId}/`;
  }

  /** Whose folder it is. */
  projectOf(folder: string): string {
    return folder.slice(this.begins.length, -1);
  }

  /** Where it is noted until when a project's are forgotten. */
  noteOf(projectId: string): string {
    return this.folderOf(projectId) + FORGOTTEN;
  }

  keyOf(
    { projectId, requestId, days, ownAt, at }:
      & Pick<
        KeptObject,
        "projectId" | "requestId" | "days" | "at"
      >
      & {
        /** By the clock of the node that served it: its row has that hour. */
        readonly ownAt: number;
      },
  ): string {
    return `${this.folderOf(projectId)}${hourText(ownAt)}/${requestId}.${days}d.${at}.gz`;
  }

  /** `undefined` for what is none of these. */
  read({ key, bytes }: Pick<ListedObject, "key" | "bytes">): KeptObject | undefined {
    const [, projectId, hour, requestId, days, at] = KEY.exec(key.slice(this.#prefix.length)) ?? [];
    if (projectId === undefined) return undefined;
    return {
      ...{ key, projectId, hour: hour!, requestId: requestId! },
      ...{ days: Number(days), at: Number(at), size: blocksOf(bytes) },
    };
  }
}
