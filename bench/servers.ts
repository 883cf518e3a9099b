/**
 * Starts the fake upstreams, what the gateway is compared with, and the gateway.
 *
 * @module
 */

import {
  type Command,
  runToEnd,
  scriptCommand,
  type Server,
  startServer,
} from "./child_process.ts";
import { mediaCatalogue } from "./media_catalogue.ts";
import { videoCatalogue } from "./video_catalogue.ts";

const PORT_LINE = /^(\d+)$/m;
const BASE_URL = /http:\/\/127\.0\.0\.1:(\d+)/;

/** Starts the fake upstream. */
export function startFakeUpstream(folder: string): Promise<Server> {
  return startServer(scriptCommand("./fake_upstream.ts"), {
    logFile: `${folder}/upstream.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the pass-through in front of the upstream. */
export function startPassThrough(
  command: Command,
  { folder, upstream }: { readonly folder: string; readonly upstream: Server },
): Promise<Server> {
  return startServer([...command, `http://127.0.0.1:${upstream.port}/v1`], {
    logFile: `${folder}/pass_through.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the upstream that makes films, of `filmBytes` each. */
export function startFilmUpstream(folder: string, filmBytes: number): Promise<Server> {
  return startServer([...scriptCommand("./fake_film_upstream.ts", "net"), String(filmBytes)], {
    logFile: `${folder}/film_upstream.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the upstream that embeds, with so many vectors in each answer. */
export function startEmbeddingUpstream(
  folder: string,
  { vectors, dimensions }: { readonly vectors: number; readonly dimensions: number },
): Promise<Server> {
  const script = scriptCommand("./fake_embedding_upstream.ts", "net");
  return startServer([...script, String(vectors), String(dimensions)], {
    logFile: `${folder}/embedding_upstream.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the upstream that hears, draws and speaks; what it makes has `mediaBytes`. */
export function startMediaUpstream(folder: string, mediaBytes: number): Promise<Server> {
  return startServer([...scriptCommand("./fake_media_upstream.ts", "net"), String(mediaBytes)], {
    logFile: `${folder}/media_upstream.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the bare server that answers every request with a file: as parsed JSON, or as it is. */
export function startBareServer(
  command: Command,
  { folder, kind, file }: {
    readonly folder: string;
    readonly kind: "json" | "film";
    readonly file: string;
  },
): Promise<Server> {
  return startServer([...command, kind, file], {
    logFile: `${folder}/bare_server.log`,
    port: (printed) => PORT_LINE.exec(printed)?.[1],
  });
}

/** Starts the gateway on a data dir; its log lines, JSON as it is no terminal, go to a file. */
export function startGateway(
  command: Command,
  dataDir: string,
  settings: readonly string[] = [],
): Promise<Server> {
  const serve = ["serve", "--listen", "127.0.0.1:0", "--data-dir", dataDir, ...settings];
  return startServer([...command, ...serve], {
    logFile: `${dataDir}.log`,
    port: (printed) => BASE_URL.exec(printed)?.[1],
  });
}

/** Where a data dir is and how to call a gateway that has it. */
export interface DataDir {
  readonly path: string;
  /** Of a project that pays, with credit and limits beyond what is sent. */
  readonly key: string;
}

/** How many models there are and how many routes each has. */
export interface CatalogueSize {
  readonly models: number;
  readonly routesPerModel: number;
}

/** One model with 20 routes. */
export const SMALL_CATALOGUE: CatalogueSize = { models: 1, routesPerModel: 20 };

/** The model that calls ask for. */
export const MODEL = "bench-0";
/** Like {@linkcode MODEL}, answered in paced streams. */
export const PACED_MODEL = "bench-0-paced";
/** Like {@linkcode MODEL}, answered after 30 ms. */
export const LATE_MODEL = "bench-0-late";
/** Like {@linkcode MODEL}, answered in streams of one chunk every 4 s. */
export const SLOW_MODEL = "bench-0-slow";
/** Like {@linkcode MODEL}, of providers that speak Anthropic's dialect. */
export const MESSAGES_MODEL = "bench-messages";
/** The model that embeds, where there is an upstream for it. */
export const EMBEDDING_MODEL = "bench-embed";

const PROVIDERS = ["alpha", "beta", "gamma", "delta"];
const CLAUDES = PROVIDERS.map((id) => `${id}-claude`);

/** What a data dir's catalogue is made of. */
export interface CatalogueOptions {
  readonly path: string;
  readonly upstream: Server;
  readonly size: CatalogueSize;
  /** Leaves out what executables of before may not know: providers that speak Anthropic's dialect. */
  readonly isPlain?: true;
  /** Adds video models: the built-in one, and two of this upstream's if there is one. */
  readonly films?: Server | "builtin";
  /** Adds {@linkcode EMBEDDING_MODEL}, of this upstream. */
  readonly embeddings?: Server;
  /** Adds models that hear, draw and speak, of this upstream. */
  readonly media?: Server;
}

/**
 * Makes a data dir through the gateway's own commands: a catalogue whose routes all lead to the
 * fake upstream by way of several providers, and a project that pays.
 */
export async function makeDataDir(command: Command, options: CatalogueOptions): Promise<DataDir> {
  const { path } = options;
  await applyCatalogue(command, options);
  const tollgate = (...args: string[]) => runToEnd([...command, ...args, "--data-dir", path]);
  await tollgate("projects", "credit", "bench", "1000000");
  const { key } = JSON.parse(await tollgate("keys", "create", "--project", "bench", "--json"));
  return { path, key };
}

/** Gives a data dir its catalogue, with a project that has nothing yet. */
export async function applyCatalogue(
  command: Command,
  { path, upstream, ...options }: CatalogueOptions,
): Promise<void> {
  const file = `${path}.catalogue.json`;
  await Deno.writeTextFile(file, JSON.stringify(catalogue(upstream, options)));
  await runToEnd([...command, "apply", file, "--data-dir", path]);
}

/** A catalogue file; JSON is YAML. */
function catalogue(
  { port }: Server,
  { size: { models, routesPerModel }, isPlain, films, embeddings, media }: Omit<
    CatalogueOptions,
    "path" | "upstream"
  >,
): object {
  const videos = films === undefined ? undefined : videoCatalogue(films);
  const others = media === undefined ? undefined : mediaCatalogue(media);
  const manyPerMinute = { requests_per_minute: 100_000_000, tokens_per_minute: 100_000_000_000 };
  const model = (id: string, providers = PROVIDERS) => ({
    id,
    kind: "chat",
    routes: Array.from({ length: routesPerModel }, (_, index) => {
      const provider = providers[index % providers.length]!;
      return {
        id: `${provider}/${id}/${index}`,
        provider,
        upstream_model: id,
        risk_level: ["low", "medium", "high"][index % 3],
        supports: { tools: true, context_tokens: 128_000, max_output_tokens: 16_384 },
        cost: { input: `0.${25 + index}`, cached_input: "0.025", output: `2.${10 + index}` },
        sale: { markup: "1.10" },
        limits: { ...manyPerMinute, concurrent: 10_000 },
      };
    }),
  });
  return {
    currency: "USD",
    providers: [
      ...PROVIDERS.map((id) => provider(id, port)),
      ...isPlain ? [] : CLAUDES.map((id) => ({ ...provider(id, port), kind: "anthropic" })),
      ...embeddings === undefined ? [] : [provider("embedder", embeddings.port)],
      ...videos?.providers ?? [],
      ...others?.providers ?? [],
    ],
    models: [
      ...Array.from({ length: models }, (_, index) => model(`bench-${index}`)),
      ...[PACED_MODEL, LATE_MODEL, SLOW_MODEL].map((id) => model(id)),
      ...isPlain ? [] : [model(MESSAGES_MODEL, CLAUDES)],
      ...embeddings === undefined ? [] : [EMBEDDER],
      ...videos?.models ?? [],
      ...others?.models ?? [],
    ],
    projects: [{ id: "bench", limits: { ...manyPerMinute, concurrent: 10_000 } }],
  };
}

function provider(id: string, port: number): object {
  return { id, kind: "openai_compatible", base_url: `http://127.0.0.1:${port}/v1` };
}

const EMBEDDER = {
  id: EMBEDDING_MODEL,
  kind: "embedding",
  routes: [{
    id: `embedder/${EMBEDDING_MODEL}`,
    provider: "embedder",
    upstream_model: EMBEDDING_MODEL,
    cost: { input: "0.02" },
    sale: { markup: "1.10" },
  }],
};
