/**
 * The program with priced video models and paying projects, which a test may
 * kill and start again on the same data dir.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type ServedGateway, serveGateway } from "../served_gateway.ts";
import { until } from "../until.ts";
import { CREDIT, filmCatalogue, UPSTREAM_KEYS } from "./film_catalogue.ts";

/** The projects of the catalogue. */
export const PROJECTS = ["shop", "studio", "staff"] as const;
/** One of {@linkcode PROJECTS}. */
export type Project = typeof PROJECTS[number];

/** How to start. */
export interface FilmGatewayOptions {
  /** Base URL of the upstream of the model `remote`. */
  readonly upstreamUrl?: string;
  /** Default: {@linkcode filmCatalogue}. */
  readonly catalogue?: string;
  readonly args?: readonly string[];
  /** Beside the keys of the upstream and of the administrator. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a new one, removed at the end. */
  readonly dataDir?: string;
  /** Who gets a key and, if it pays, credit; by default `shop` alone. */
  readonly projects?: readonly Project[];
}

/** A task whose creation was answered. */
export interface CreatedFilm {
  readonly id: string;
  readonly requestId: string;
  readonly project: Project;
}

/** The states in which a task stays. */
export const ENDED: readonly string[] = ["completed", "failed"];

/** A small film that is rendered here. */
export const SMALL_FILM = { model: "film", prompt: "a red kite", size: "64x64", seconds: 1 };

const ADMIN_KEY = "admin-of-films-0123456789";
const ENVIRONMENT = { ...UPSTREAM_KEYS, TOLLGATE_ADMIN_KEY: ADMIN_KEY };

// deno-lint-ignore no-explicit-any -- each path has its own answer
type Json = any;

/** `await using` ends it. */
export class FilmGateway implements AsyncDisposable {
  readonly dataDir: string;
  readonly keys: Readonly<Record<Project, string>>;
  readonly #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #ownsDataDir: boolean;
  #served: ServedGateway;
  /** Everything that ended processes logged. */
  #oldLog = "";

  private constructor(options: {
    readonly served: ServedGateway;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly keys: Readonly<Record<Project, string>>;
    readonly ownsDataDir: boolean;
  }) {
    this.#served = options.served;
    this.#args = options.args;
    this.#env = options.env;
    this.dataDir = options.served.server.dataDir;
    this.keys = options.keys;
    this.#ownsDataDir = options.ownsDataDir;
  }

  static async start(options: FilmGatewayOptions = {}): Promise<FilmGateway> {
    const { upstreamUrl, args = [], env = {}, projects = ["shop"] } = options;
    const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "tollgate-films-" });
    const served = await serveGateway({ dataDir, args, env: { ...ENVIRONMENT, ...env } });
    const keys: Record<string, string> = {};
    const films = new FilmGateway({
      served,
      args,
      env,
      keys: keys as Record<Project, string>,
      ownsDataDir: options.dataDir === undefined,
    });
    try {
      await films.#setUp(options.catalogue ?? filmCatalogue(upstreamUrl), { projects, keys });
    } catch (error) {
      await films[Symbol.asyncDispose]();
      throw error;
    }
    return films;
  }

  /** `http://127.0.0.1:PORT`; another one after each start. */
  get url(): string {
    return this.#served.url;
  }

  get server(): ServedGateway["server"] {
    return this.#served.server;
  }

  /** What all processes so far have logged. */
  get log(): string {
    return this.#oldLog + this.#served.server.stderr;
  }

  /** A command on the data dir, also when no server runs. */
  cli(...args: string[]): Promise<Json> {
    return this.#served.cli(...args);
  }

  /** An operation of the admin API, which costs no process of its own; fails unless it is done. */
  async admin(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Json> {
    const response = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      headers: { "authorization": `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Starts again on the same data dir, after killing what still runs; `env` is for this start. */
  async restart(
    { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    await this.#served.server.kill();
    this.#oldLog += this.#served.server.stderr;
    await this.#served[Symbol.asyncDispose]();
    this.#served = await serveGateway({
      dataDir: this.dataDir,
      args: this.#args,
      env: { ...ENVIRONMENT, ...this.#env, ...env },
    });
  }

  /** Asks for any path under `/v1` with a project's key. */
  async fetch(path: string, init: RequestInit & { readonly project?: Project } = {}) {
    const { project = "shop", ...rest } = init;
    const headers = new Headers(rest.headers);
    headers.set("authorization", `Bearer ${this.keys[project]}`);
    return await fetch(`${this.url}/v1${path}`, { ...rest, headers });
  }

  /** As {@linkcode FilmGateway.fetch}, for JSON. */
  async json(path: string, init: RequestInit & { readonly project?: Project } = {}): Promise<{
    readonly status: number;
    readonly body: Json;
    readonly requestId: string;
  }> {
    const response = await this.fetch(path, init);
    return {
      status: response.status,
      body: await response.json(),
      requestId: response.headers.get("x-request-id")!,
    };
  }

  /** Creates a task; fails unless it is taken. */
  async create(
    fields: Readonly<Record<string, unknown>> = {},
    project: Project = "shop",
  ): Promise<CreatedFilm> {
    const { status, body, requestId } = await this.json("/videos", {
      method: "POST",
      project,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...SMALL_FILM, ...fields }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, "queued");
    return { id: body.id, requestId, project };
  }

  /** The task as its caller sees it; fails unless it is there. */
  async show({ id, project }: CreatedFilm): Promise<Json> {
    const { status, body } = await this.json(`/videos/${id}`, { project });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async remove({ id, project }: CreatedFilm): Promise<number> {
    const response = await this.fetch(`/videos/${id}`, { method: "DELETE", project });
    await response.body?.cancel();
    return response.status;
  }

  /** The task once it is in one of these states. */
  async untilStatus(
    film: CreatedFilm,
    statuses: readonly string[] = ENDED,
    { withinMs = 60_000 }: { readonly withinMs?: number } = {},
  ): Promise<Json> {
    return await until(`${film.id} to be ${statuses.join(" or ")}`, async () => {
      const body = await this.show(film);
      return statuses.includes(body.status) && body;
    }, { withinMs });
  }

  /** The call that a task was bought with. */
  async call({ requestId, project }: CreatedFilm): Promise<Json> {
    const { status, body } = await this.json(`/calls/${requestId}`, { project });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** Names in the folder of films, in order; none while it is not there. */
  folder(): string[] {
    return [...Deno.readDirSync(`${this.dataDir}/videos`)].map(({ name }) => name).sort();
  }

  /** Where a file of a film lies; parts are those of the server that runs, or ran last. */
  path(film: Pick<CreatedFilm, "id">, kind: "mp4" | "webp" | "part" | "input"): string {
    const ending = kind === "part" ? `${this.#session()}.part` : kind;
    return `${this.dataDir}/videos/${film.id}.${ending}`;
  }

  /** As it is stored once a film is created. */
  #session(): string {
    using database = new DatabaseSync(`${this.dataDir}/tollgate.db`, { readOnly: true });
    database.exec("PRAGMA busy_timeout = 5000");
    const row = database.prepare("SELECT value FROM meta WHERE name = 'last_session'").get();
    return String(row!.value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]();
    if (this.#ownsDataDir) await Deno.remove(this.dataDir, { recursive: true });
  }

  async #setUp(text: string, { projects, keys }: {
    readonly projects: readonly Project[];
    readonly keys: Record<string, string>;
  }): Promise<void> {
    await this.admin("POST", "/catalogue/apply", { text, prune: true });
    for (const project of projects) {
      if (project !== "staff") {
        await this.admin("POST", `/projects/${project}/credit`, { amount: CREDIT });
      }
      keys[project] = (await this.admin("POST", "/keys", { project })).key;
    }
  }
}
