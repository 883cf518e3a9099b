/**
 * Video tasks over the public API: as requests for a load, and one by one.
 *
 * @module
 */

import { type Command, runToEnd, type Server } from "./child_process.ts";

/** Who asks. */
export interface VideoClientOptions {
  readonly gateway: Server;
  readonly key: string;
}

/** What a film is to be. */
export interface FilmWish {
  readonly model: string;
  readonly prompt: string;
  readonly size: string;
  readonly seconds: number;
}

/** A task as `GET /v1/videos/{id}` tells it, as far as it is needed here. */
export interface VideoAnswer {
  readonly id: string;
  readonly status: "queued" | "in_progress" | "completed" | "failed";
  readonly progress: number;
}

const POLL_MS = 100;
const GIVE_UP_MS = 300_000;
const PAGE = 100;

export class VideoClient {
  readonly #url: string;
  readonly #key: string;

  constructor({ gateway: { port }, key }: VideoClientOptions) {
    this.#url = `http://127.0.0.1:${port}/v1/videos`;
    this.#key = key;
  }

  /** Creates a task. */
  create(wish: FilmWish): Promise<VideoAnswer> {
    return this.#json("", { method: "POST", body: JSON.stringify(wish) });
  }

  /** Deletes a task. */
  async delete(id: string): Promise<void> {
    await this.#json(`/${id}`, { method: "DELETE" });
  }

  /** A task now. */
  show(id: string): Promise<VideoAnswer> {
    return this.#json(`/${id}`);
  }

  /** Asks again and again until a task is as it should be. @throws {Error} When it ends otherwise. */
  async until(id: string, isAsWanted: (task: VideoAnswer) => boolean): Promise<VideoAnswer> {
    const startedAt = performance.now();
    for (;;) {
      const task = await this.show(id);
      if (isAsWanted(task)) return task;
      const isOver = task.status === "completed" || task.status === "failed";
      if (isOver || performance.now() - startedAt > GIVE_UP_MS) {
        throw new Error(
          `Cannot measure: a film did not come as it should: ${JSON.stringify(task)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Ids of all tasks. */
  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after = "";;) {
      const { data, has_more } = await this.#json<Page>(`?limit=${PAGE}${after}`);
      ids.push(...data.map(({ id }) => id));
      if (!has_more) return ids;
      after = `&after=${ids.at(-1)}`;
    }
  }

  async #json<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      ...init,
      headers: { "authorization": `Bearer ${this.#key}`, "content-type": "application/json" },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot measure: the gateway answered ${text}`);
    return JSON.parse(text);
  }
}

interface Page {
  readonly data: readonly VideoAnswer[];
  readonly has_more: boolean;
}

/** A request without a body as bytes on the wire, here still text. */
export function videoRequest(method: "GET" | "DELETE", path: string, key: string): string {
  return `${method} /v1/videos/${path} HTTP/1.1\r\n${headers(key)}\r\n`;
}

/** A create request as bytes on the wire, here still text. */
export function createRequest(wish: FilmWish, key: string): string {
  const body = JSON.stringify(wish);
  return `POST /v1/videos HTTP/1.1\r\n${headers(key)}content-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
}

function headers(key: string): string {
  return `host: 127.0.0.1\r\nauthorization: Bearer ${key}\r\naccept: */*\r\n` +
    "user-agent: tollgate-bench\r\n";
}

/** A task as `tollgate videos show` tells it. */
export interface ShownVideo {
  readonly started_at: string;
  readonly completed_at: string;
  readonly file: { readonly path: string; readonly bytes: number };
}

/** Asks the gateway's own command line. */
export async function showVideo(
  command: Command,
  { dataDir, id }: { readonly dataDir: string; readonly id: string },
): Promise<ShownVideo> {
  const show = ["videos", "show", id, "--json", "--data-dir", dataDir];
  return JSON.parse(await runToEnd([...command, ...show]));
}
