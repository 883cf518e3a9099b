/**
 * The folder of films: `<data>/videos/`, with everything in it named after its
 * task, as `<id>.<something>`; parts also after the session that writes them.
 *
 * @module
 */

import { renameSync } from "node:fs";
import type { VideoFile, VideoTask } from "../../domain/video_task.ts";
import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import { ifThere } from "../../files/if_there.ts";
import { PartFile } from "../../files/part_file.ts";
import type { FilmPath, FilmStore, FilmVariant, WholeFilm } from "./film_store.ts";

/** What may follow a task's id in the folder. */
const FILE_KINDS = ["mp4", "webp", "input", "part"] as const;

/** A file of the folder. */
export interface FolderEntry {
  readonly name: string;
  readonly taskId: string;
  readonly kind: typeof FILE_KINDS[number];
  /** Who writes it; only of parts. */
  readonly session: SessionId;
}

const FILE_NAME = /^(video_[a-z2-7]{26})\.(mp4|webp|input|(?:(\d+)\.)?part)$/;

/** Files are 0600, the folder 0700. */
export class ContentFiles implements FilmStore {
  readonly folder: string;
  readonly #session: SessionId;
  /** The newest part of each task that has one: no other becomes its film. */
  readonly #parts = new Map<string, PartFile>();

  /** @param session Who writes parts here. */
  constructor(folder: string, session: SessionId = EARLIER_SESSION) {
    this.folder = folder;
    this.#session = session;
  }

  /** Makes the folder if it is not there. */
  async prepare(): Promise<void> {
    await Deno.mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** `<id>.mp4`: the finished film. */
  contentPath(taskId: string): string {
    return this.#path(taskId, "mp4");
  }

  /** `<id>.webp` */
  thumbnailPath(taskId: string): string {
    return this.#path(taskId, "webp");
  }

  /**
   * Starts a film: an earlier attempt's part is thrown away, and whoever is still
   * writing it can neither change this one nor keep its own.
   */
  async openPart(taskId: string): Promise<PartFile> {
    await this.removePart(taskId);
    const part = await PartFile.create(this.#path(taskId, "part"));
    this.#parts.set(taskId, part);
    return part;
  }

  /** The part of a task that waits to be gone on with; `undefined` when it was removed, or is being written. */
  pausedPart(taskId: string): PartFile | undefined {
    const part = this.#parts.get(taskId);
    return part?.isPaused ? part : undefined;
  }

  /** Bytes that the film of a task takes already while it is written. */
  partBytes(taskId: string): number {
    return this.#parts.get(taskId)?.bytes ?? 0;
  }

  /**
   * Makes a part the film: synced, renamed, and the folder synced, so that a film
   * under its name is a whole one whatever happens.
   */
  async keep(
    { id }: Pick<VideoTask, "id">,
    { part, hasThumbnail }: WholeFilm,
  ): Promise<VideoFile> {
    const { bytes } = part;
    const sha256 = await part.finish();
    this.requirePart(id, part);
    // In the same turn as the look: nobody can begin another part in between.
    renameSync(part.path, this.contentPath(id));
    this.#parts.delete(id);
    await this.#syncFolder();
    return { bytes, sha256, hasThumbnail, key: undefined };
  }

  /** @throws {Deno.errors.NotFound} When the part was removed or another one begun. */
  requirePart(taskId: string, part: PartFile): void {
    if (this.#parts.get(taskId) === part) return;
    throw new Deno.errors.NotFound(`Cannot keep the film of ${taskId}: its part is another one`);
  }

  contentOf({ id }: Pick<VideoTask, "id">, variant: FilmVariant): FilmPath {
    return { path: variant === "video" ? this.contentPath(id) : this.thumbnailPath(id) };
  }

  placeOf({ id }: Pick<VideoTask, "id">): string {
    return this.contentPath(id);
  }

  /** Keeps a thumbnail; {@linkcode ContentFiles.keep} afterwards makes its name last. */
  async writeThumbnail(taskId: string, bytes: Uint8Array): Promise<void> {
    await writeSynced(this.thumbnailPath(taskId), bytes);
  }

  async writeReference(taskId: string, bytes: Uint8Array): Promise<void> {
    await writeSynced(this.#path(taskId, "input"), bytes);
    await this.#syncFolder();
  }

  async readReference(taskId: string): Promise<Uint8Array<ArrayBuffer>> {
    return await Deno.readFile(this.#path(taskId, "input"));
  }

  async removeReference(taskId: string): Promise<void> {
    await ifThere(Deno.remove(this.#path(taskId, "input")));
  }

  async removePart(taskId: string): Promise<void> {
    this.#parts.delete(taskId);
    await ifThere(Deno.remove(this.#path(taskId, "part")));
  }

  /** Removes a part, whoever wrote it. */
  async removeEntry({ name }: FolderEntry): Promise<void> {
    await ifThere(Deno.remove(`${this.folder}/${name}`));
  }

  async removeContent({ id }: Pick<VideoTask, "id">): Promise<void> {
    await ifThere(Deno.remove(this.contentPath(id)));
    await ifThere(Deno.remove(this.thumbnailPath(id)));
  }

  async removeAll(taskId: string): Promise<void> {
    this.#parts.delete(taskId);
    for (const kind of FILE_KINDS) await ifThere(Deno.remove(this.#path(taskId, kind)));
  }

  /** Everything in the folder that is named after a task. */
  async *entries(): AsyncGenerator<FolderEntry> {
    for await (const { name, isFile } of Deno.readDir(this.folder)) {
      const [, taskId, rest, session = EARLIER_SESSION] = FILE_NAME.exec(name) ?? [];
      if (!isFile || taskId === undefined) continue;
      const kind = rest!.endsWith("part") ? "part" : rest as FolderEntry["kind"];
      yield { name, taskId, kind, session: Number(session) };
    }
  }

  async #syncFolder(): Promise<void> {
    using folder = await Deno.open(this.folder);
    await folder.sync();
  }

  #path(taskId: string, kind: FolderEntry["kind"]): string {
    const isOwn = kind === "part" && this.#session !== EARLIER_SESSION;
    const name = isOwn ? `${taskId}.${this.#session}.part` : `${taskId}.${kind}`;
    if (!FILE_NAME.test(name)) throw new TypeError(`Cannot name a file after '${taskId}'`);
    return `${this.folder}/${name}`;
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { create: true, truncate: true, write: true, mode: 0o600 });
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
  }
  await file.sync();
}
