/**
 * A server behind `/v1/videos` on a real socket, with the manners of vLLM-Omni,
 * SGLang Diffusion or OpenAI. A test decides how its jobs go and what breaks, and
 * may point the executable at it.
 *
 * ```ts
 * await using upstream = startFakeVideoServer({ manners: "vllm_omni", film });
 * upstream.behave({ steps: [{ status: "queued" }, { status: "completed", progress: 100 }] });
 * upstream.behave({ cut: { afterBytes: 1_000, times: 1 } });
 * upstream.forgetJobs(); // what a restart of such an engine does
 * ```
 *
 * @module
 */

import { filmAnswer, type FilmBehaviour } from "./fake_film_answer.ts";
import {
  createdAnswer,
  deletedAnswer,
  errorAnswer,
  type FakeVideoJob,
  jobAnswer,
  newJobId,
  refusalOf,
  type VideoManners,
} from "./fake_video_manners.ts";

export type { FakeVideoJob, VideoManners } from "./fake_video_manners.ts";

/** What a request asks for. */
export type VideoVerb = "start" | "status" | "content" | "cancel" | "list" | "other";

/** A file of a multipart body. */
export interface RecordedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A request as it came. */
export interface RecordedVideoRequest {
  readonly verb: VideoVerb;
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  readonly headers: Headers;
  /** Fields of the multipart body; `undefined` for any other body. */
  readonly form: Readonly<Record<string, string>> | undefined;
  /** Files of the multipart body by field. */
  readonly files: Readonly<Record<string, RecordedFile>>;
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** What a job says of itself at one poll. */
export interface JobStep {
  readonly status: string;
  readonly progress?: number;
}

/** How the server behaves from the next request on. */
export interface VideoBehaviour extends FilmBehaviour {
  /** What the polls of each job say in turn; the last repeats. */
  readonly steps: readonly JobStep[];
  /** Text of the failure that the last step ends in; `undefined` for none. */
  readonly failure: string | undefined;
  /** Answered instead, this many times (Infinity for ever). */
  readonly errors: readonly {
    readonly verb: VideoVerb;
    readonly status: number;
    readonly times: number;
    readonly message?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }[];
  /** Waited for before the verb is answered: slow starts, polls that hang. */
  readonly gates: Readonly<Partial<Record<VideoVerb, Promise<unknown>>>>;
  /** Keys that are let in, by `Authorization: Bearer`; `undefined` for all. */
  readonly keys: readonly string[] | undefined;
  /** Makes an id for a job; for ids that are an attack. */
  readonly newId: (() => string) | undefined;
  /** Answers in the server's place, when it gives something. */
  readonly answer: ((request: RecordedVideoRequest) => Response | undefined) | undefined;
}

/** A running server. */
export interface FakeVideoServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly requests: readonly RecordedVideoRequest[];
  /** By id, in order of creation; those that were forgotten or cancelled are gone. */
  readonly jobs: ReadonlyMap<string, FakeVideoJob>;
  /** Ids that were cancelled. */
  readonly cancelled: readonly string[];
  requestsFor(verb: VideoVerb): readonly RecordedVideoRequest[];
  /** Resolves with the request of that number (from 0) among those of a verb. */
  received(verb: VideoVerb, index?: number): Promise<RecordedVideoRequest>;
  behave(changes: Partial<VideoBehaviour>): void;
  forgetJobs(): void;
  stop(): Promise<void>;
}

const DEFAULT_STEPS: { readonly [manners in VideoManners]: readonly JobStep[] } = {
  vllm_omni: [{ status: "queued" }, { status: "in_progress" }, { status: "completed" }],
  sglang: [{ status: "queued", progress: 0 }, { status: "completed", progress: 100 }],
  openai: [
    { status: "queued", progress: 0 },
    { status: "in_progress", progress: 42 },
    { status: "completed", progress: 100 },
  ],
};

/** Starts a server on the loopback interface, on a free port unless one is given. */
export function startFakeVideoServer(options: {
  readonly manners: VideoManners;
  readonly film?: Uint8Array<ArrayBuffer>;
  readonly port?: number;
}): FakeVideoServer {
  const { manners } = options;
  let behaviour: VideoBehaviour = {
    steps: DEFAULT_STEPS[manners],
    failure: undefined,
    errors: [],
    gates: {},
    keys: undefined,
    newId: undefined,
    answer: undefined,
    film: options.film ?? sampleFilm(100_000),
    filmType: "video/mp4",
    etag: '"film-1"',
    hasRanges: true,
    lateBy: 0,
    cut: undefined,
  };
  let errors: { verb: VideoVerb; left: number; answer: () => Response }[] = [];
  const cut = { left: 0 };
  const requests: RecordedVideoRequest[] = [];
  const jobs = new Map<string, FakeVideoJob>();
  const cancelled: string[] = [];
  const waiting: { verb: VideoVerb; index: number; resolve: (r: RecordedVideoRequest) => void }[] =
    [];
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stopping.signal.addEventListener("abort", () => resolve())
  );

  async function handle(raw: Request): Promise<Response> {
    const request = await record(raw);
    requests.push(request);
    for (const { verb, index, resolve } of waiting) {
      if (verb === request.verb && requestsFor(verb).length === index + 1) resolve(request);
    }
    const gate = behaviour.gates[request.verb];
    if (gate !== undefined) await Promise.race([gate, stopped]);
    const given = behaviour.answer?.(request);
    if (given !== undefined) return given;
    const { keys } = behaviour;
    const key = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    if (keys !== undefined && !keys.includes(key)) {
      return errorAnswer(manners, 401, `Incorrect API key provided: ${key}`);
    }
    const error = errors.find(({ verb, left }) => verb === request.verb && left > 0);
    if (error !== undefined) {
      error.left--;
      return error.answer();
    }
    return answer(request);
  }

  function answer(request: RecordedVideoRequest): Response {
    if (request.verb === "start") return start(request);
    if (request.verb === "list") {
      return Response.json({ object: "list", data: [...jobs.keys()].map((id) => ({ id })) });
    }
    const job = jobs.get(idIn(request.target));
    if (job === undefined) return errorAnswer(manners, 404, "Video not found");
    if (request.verb === "cancel") {
      jobs.delete(job.id);
      cancelled.push(job.id);
      return deletedAnswer(manners, job);
    }
    if (request.verb === "content") {
      if (job.status !== "completed" || job.downloads++ < behaviour.lateBy) {
        return errorAnswer(manners, 404, "Generation is still in-progress");
      }
      return filmAnswer(behaviour, request.headers, cut);
    }
    takeStep(job);
    return jobAnswer(manners, job);
  }

  function start(request: RecordedVideoRequest): Response {
    const fields = request.form ?? request.json ?? {};
    const refusal = refusalOf(manners, {
      isMultipart: request.form !== undefined,
      fields,
      hasFile: request.files.input_reference !== undefined,
    });
    if (refusal !== undefined) return refusal;
    const job: FakeVideoJob = {
      id: behaviour.newId?.() ?? newJobId(manners),
      prompt: String(fields.prompt),
      size: String(fields.size ?? ""),
      seconds: String(fields.seconds ?? "4"),
      model: typeof fields.model === "string" ? fields.model : undefined,
      polls: 0,
      downloads: 0,
      status: "queued",
      progress: manners === "vllm_omni" ? undefined : 0,
      error: undefined,
    };
    jobs.set(job.id, job);
    return createdAnswer(manners, job);
  }

  function takeStep(job: FakeVideoJob): void {
    const { steps, failure } = behaviour;
    const at = Math.min(job.polls++, steps.length - 1);
    const fails = failure !== undefined && at === steps.length - 1;
    job.status = fails ? "failed" : steps[at]!.status;
    job.progress = steps[at]!.progress;
    job.error = fails ? failure : undefined;
  }

  function requestsFor(verb: VideoVerb): readonly RecordedVideoRequest[] {
    return requests.filter((request) => request.verb === verb);
  }

  function behave(changes: Partial<VideoBehaviour>): void {
    behaviour = { ...behaviour, ...changes };
    if (changes.cut !== undefined) cut.left = changes.cut.times;
    if (changes.errors === undefined) return;
    errors = changes.errors.map(({ verb, status, times, message, headers }) => ({
      verb,
      left: times,
      answer() {
        const answer = errorAnswer(manners, status, message ?? `Status ${status}`);
        for (const [name, value] of Object.entries(headers ?? {})) answer.headers.set(name, value);
        return answer;
      },
    }));
  }

  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    signal: stopping.signal,
    onListen() {},
    // A client that goes away in mid-body is what some tests are about.
    onError: () => new Response(null, { status: 500 }),
  }, handle);
  const { port } = server.addr;

  async function stop(): Promise<void> {
    stopping.abort();
    await server.finished;
  }

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    jobs,
    cancelled,
    requestsFor,
    received(verb, index = 0) {
      const request = requestsFor(verb)[index];
      if (request !== undefined) return Promise.resolve(request);
      return new Promise((resolve) => waiting.push({ verb, index, resolve }));
    },
    behave,
    forgetJobs: () => jobs.clear(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Bytes that begin like an MP4 and are different at every place. */
export function sampleFilm(size: number): Uint8Array<ArrayBuffer> {
  const film = new Uint8Array(size);
  let state = 0x9e3779b9;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    film[at] = state >>> 24;
  }
  film.set(new TextEncoder().encode("\0\0\0\x18ftypisom").subarray(0, size));
  return film;
}

async function record(request: Request): Promise<RecordedVideoRequest> {
  const url = new URL(request.url);
  const type = request.headers.get("content-type") ?? "";
  const form: Record<string, string> = {};
  const files: Record<string, RecordedFile> = {};
  const isMultipart = type.startsWith("multipart/form-data");
  if (isMultipart) {
    for (const [name, value] of await request.formData()) {
      if (typeof value === "string") form[name] = value;
      else files[name] = { name: value.name, type: value.type, bytes: await value.bytes() };
    }
  }
  return {
    verb: verbOf(request.method, url.pathname),
    method: request.method,
    target: url.pathname + url.search,
    headers: request.headers,
    form: isMultipart ? form : undefined,
    files,
    json: type.startsWith("application/json") ? await request.json() : undefined,
  };
}

function verbOf(method: string, path: string): VideoVerb {
  if (path === "/v1/videos") return method === "POST" ? "start" : "list";
  if (/^\/v1\/videos\/[^/]+\/content$/.test(path)) return "content";
  if (!/^\/v1\/videos\/[^/]+$/.test(path)) return "other";
  return method === "DELETE" ? "cancel" : "status";
}

function idIn(target: string): string {
  return decodeURIComponent(/^\/v1\/videos\/([^/?]+)/.exec(target)?.[1] ?? "");
}
