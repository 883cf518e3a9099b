/**
 * Counts work on files that is under way, so that a fake clock can wait for it.
 *
 * @module
 */

import type { ContentFiles } from "../../src/videos/files/content_files.ts";

const PART_WORK = ["write", "startOver", "resume", "finish"];
const FILE_WORK = [
  "openPart",
  "keep",
  "writeThumbnail",
  "readReference",
  "removeReference",
  "removePart",
  "removeContent",
  "removeAll",
];
/** Counts the calls under way of everything that works on files. */
export class FileWatch {
  #underWay = 0;

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Gives the same object, watched from now on. */
  watch(files: ContentFiles): ContentFiles {
    return this.#watched(files, FILE_WORK);
  }

  /** Counts the calls under way of some methods. */
  #watched<Files extends object>(files: Files, names: readonly string[]): Files {
    const methods = files as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const name of names) {
      const method = methods[name]!.bind(files);
      methods[name] = async (...args) => {
        this.#underWay++;
        try {
          const result = await method(...args);
          return name === "openPart" ? this.#watched(result as object, PART_WORK) : result;
        } finally {
          this.#underWay--;
        }
      };
    }
    return files;
  }
}
