/**
 * How three kinds of server behind `/v1/videos` word their answers.
 *
 * @module
 */

/** A kind of server. */
export type VideoManners = "vllm_omni" | "sglang" | "openai";

/** A job as the fake keeps it. */
export interface FakeVideoJob {
  readonly id: string;
  readonly prompt: string;
  readonly size: string;
  readonly seconds: string;
  readonly model: string | undefined;
  /** Status polls answered so far. */
  polls: number;
  /** Content requests answered so far. */
  downloads: number;
  status: string;
  progress: number | undefined;
  error: string | undefined;
}

/** What a create request brought, read from either form. */
export interface CreateFields {
  readonly isMultipart: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly hasFile: boolean;
}

const CREATED_AT = 1_790_000_000;

/** Why a server refuses a create request; `undefined` when it takes it. */
export function refusalOf(manners: VideoManners, create: CreateFields): Response | undefined {
  const { isMultipart, fields, hasFile } = create;
  if (manners === "vllm_omni") {
    const prompt = isMultipart ? fields.prompt : undefined;
    if (typeof prompt !== "string") return validation("prompt", "Field required");
    const { seconds } = fields;
    if (seconds !== undefined && !/^[1-9]\d*$/.test(String(seconds))) {
      return validation("seconds", "String should match pattern '^[1-9]\\d*$'");
    }
    return undefined;
  }
  if (manners === "sglang") {
    if (typeof fields.prompt !== "string") return detail(400, "prompt is required");
    if (isMultipart && !hasFile) return detail(400, "input_reference file is required");
    if (!/^\d+$/.test(String(fields.seconds ?? 4))) {
      return detail(400, "Invalid request body: 1 validation error for seconds");
    }
    return undefined;
  }
  if (typeof fields.prompt !== "string") {
    return envelope(400, "Missing required parameter: 'prompt'.", "prompt");
  }
  return typeof fields.seconds === "string"
    ? undefined
    : envelope(400, "Invalid type for 'seconds': expected a string.", "seconds");
}

/** The answer to a create request. */
export function createdAnswer(manners: VideoManners, job: FakeVideoJob): Response {
  if (manners === "vllm_omni") {
    return Response.json({ id: job.id, status: job.status, created_at: CREATED_AT });
  }
  return jobAnswer(manners, job);
}

/** The answer to a question after a job. */
export function jobAnswer(manners: VideoManners, job: FakeVideoJob): Response {
  return Response.json(videoObject(manners, job));
}

/** The answer to a deletion. */
export function deletedAnswer(manners: VideoManners, job: FakeVideoJob): Response {
  if (manners === "sglang") {
    return Response.json({ ...videoObject(manners, job), status: "deleted" });
  }
  return Response.json({ id: job.id, object: "video.deleted", deleted: true });
}

/** An error in a server's words. */
export function errorAnswer(manners: VideoManners, status: number, message: string): Response {
  return manners === "openai" ? envelope(status, message, null) : detail(status, message);
}

/** An id as a server makes them. */
export function newJobId(manners: VideoManners): string {
  const hex = crypto.randomUUID().replaceAll("-", "");
  return { vllm_omni: `video_gen_${hex}`, sglang: hex, openai: `video_${hex}` }[manners];
}

function videoObject(manners: VideoManners, job: FakeVideoJob): Record<string, unknown> {
  const isDone = job.status === "completed";
  const error = job.error === undefined
    ? null
    : manners === "vllm_omni"
    ? { code: "RuntimeError", message: job.error }
    : manners === "sglang"
    ? { message: job.error }
    : { code: "generation_failed", message: job.error };
  return {
    id: job.id,
    object: "video",
    // SGLang says sora-2 whatever it has loaded.
    model: manners === "sglang" ? job.model ?? "sora-2" : "served-model",
    status: job.status,
    ...(job.progress === undefined ? {} : { progress: job.progress }),
    created_at: CREATED_AT,
    completed_at: isDone ? CREATED_AT + 60 : null,
    expires_at: null,
    ...(manners === "sglang" ? {} : { prompt: job.prompt }),
    size: job.size,
    seconds: job.seconds,
    ...(manners === "openai" ? {} : { quality: "standard" }),
    remixed_from_video_id: null,
    error,
  };
}

function detail(status: number, message: string): Response {
  return Response.json({ detail: message }, { status });
}

function validation(field: string, message: string): Response {
  const entry = { type: "missing", loc: ["body", field], msg: message, input: null };
  return Response.json({ detail: [entry] }, { status: 422 });
}

function envelope(status: number, message: string, param: string | null): Response {
  const error = { message, type: "invalid_request_error", param, code: null };
  return Response.json({ error }, { status });
}
