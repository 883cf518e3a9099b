/**
 * The folder of uploaded files: `<data>/files/`, each named by its id.
 *
 * @module
 */

import { ifThere } from "../files/if_there.ts";
import { syncFile, syncFolder } from "../files/place_new_file.ts";
import { FILE_ID } from "../domain/uploaded_file.ts";

/** What the name of a file ends with that is not whole yet. */
export const PART = ".part";

/** Files are 0600, the folder 0700. */
export class UploadFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder if it is not there, and removes what a crash has left of a file that was on its way. */
  async prepare(): Promise<void> {
    await Deno.mkdir(this.folder, { recursive: true, mode: 0o700 });
    for await (const { name, isFile } of Deno.readDir(this.folder)) {
      const id = name.endsWith(PART) ? name.slice(0, -PART.length) : "";
      if (isFile && FILE_ID.test(id)) await ifThere(Deno.remove(`${this.folder}/${name}`));
    }
  }

  pathOf(fileId: string): string {
    if (!FILE_ID.test(fileId)) throw new TypeError(`Cannot name a file after '${fileId}'`);
    return `${this.folder}/${fileId}`;
  }

  /** Takes a whole file that lies elsewhere on the same disk; it is there to stay when this resolves. */
  async take(path: string, fileId: string): Promise<void> {
    await syncFile(path);
    await Deno.rename(path, this.pathOf(fileId));
    await syncFolder(this.folder);
  }

  /** Removes a file if it is there. Whoever is reading it gets the rest of it. */
  async remove(fileId: string): Promise<void> {
    await ifThere(Deno.remove(this.pathOf(fileId)));
  }

  /** Ids of what lies in the folder. */
  async *ids(): AsyncGenerator<string> {
    for await (const { name, isFile } of Deno.readDir(this.folder)) {
      if (isFile && FILE_ID.test(name)) yield name;
    }
  }
}
