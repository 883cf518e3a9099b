/**
 * What a project can have that others must not see: what its ids look like in the
 * API's paths, and one of each to try it with.
 *
 * @module
 */

import type { ApiOperation } from "../../fuzz/api_operation.ts";
import type { SecurityWorld } from "./security_world.ts";

/** What an id in a path belongs to; `shared` are ids that no project owns. */
export type IdOwner = "video" | "response" | "call" | "file" | "batch" | "shared";

/** One of each kind, of the project `mine`, with texts that only their answers have. */
export interface OwnedThings {
  readonly ids: Readonly<Record<Exclude<IdOwner, "shared">, readonly string[]>>;
  /** Ids of the same form that never existed. */
  readonly never: Readonly<Record<Exclude<IdOwner, "shared">, string>>;
  /** No stranger may see any of these. */
  readonly marks: readonly string[];
  /** How often the things above are found when their owner looks; see {@linkcode stillThere}. */
  readonly count: number;
}

const MARK = "mark-of-mine-";

/**
 * Whose the ids in an operation's path are; `undefined` when the path has none.
 *
 * @throws {Error} For a path that nobody has thought of: say here whose its ids are.
 */
export function ownerOfIds({ path }: Pick<ApiOperation, "path">): IdOwner | undefined {
  if (!path.includes("{")) return undefined;
  if (/\/videos\/characters\/\{/.test(path)) return "shared";
  if (/\/videos\/\{/.test(path)) return "video";
  if (/\/responses\/\{/.test(path)) return "response";
  if (/\/calls\/\{/.test(path)) return "call";
  if (/\/files\/\{/.test(path)) return "file";
  if (/\/batches\/\{/.test(path)) return "batch";
  if (/\/models\/\{/.test(path)) return "shared";
  throw new Error(`Cannot tell whose the ids in ${path} are: add them to owned_things.ts`);
}

/** Makes one of each. */
export async function makeOwnedThings(world: SecurityWorld): Promise<OwnedThings> {
  const mark = (what: string) => `${MARK}${what}-${crypto.randomUUID()}`;
  const marks = {
    film: mark("film"),
    answer: mark("answer"),
    listed: mark("listed"),
    file: mark("file"),
    batch: mark("batch"),
  };
  const film = await world.film({ prompt: marks.film });
  const queued = await world.post("/videos", { model: "film", prompt: marks.film });
  const answer = await world.post("/responses", { model: "echo", input: marks.answer });
  const remote = await world.post("/responses", {
    model: "native",
    input: [{ role: "user", content: marks.listed }],
  });
  const chat = await world.ask({
    method: "POST",
    target: "/v1/chat/completions",
    key: world.keys.mine,
    body: { model: "plain", messages: [{ role: "user", content: "Hi" }] },
  });
  const call = chat.headers.get("x-request-id")!;
  const file = await world.upload(marks.file);
  const batch = await world.batch(marks.batch);
  return {
    ids: {
      video: [film.id, queued.id],
      response: [answer.id, remote.id],
      call: [call],
      file: [file.id, batch.input_file_id, batch.output_file_id],
      batch: [batch.id],
    },
    never: {
      video: `video_${"a".repeat(film.id.length - 6)}`,
      response: `resp_${"a".repeat(answer.id.length - 5)}`,
      call: `req_${"a".repeat(call.length - 4)}`,
      file: `file-${"a".repeat(file.id.length - 5)}`,
      batch: `batch_${"a".repeat(batch.id.length - 6)}`,
    },
    marks: Object.values(marks),
    count: 9,
  };
}

/** How many of them their owner still finds, whole. */
export async function stillThere(
  world: SecurityWorld,
  { ids }: OwnedThings,
): Promise<number> {
  const paths = [
    ...ids.video.map((id) => `/v1/videos/${id}`),
    ...ids.response.map((id) => `/v1/responses/${id}`),
    ...ids.call.map((id) => `/v1/calls/${id}`),
    ...ids.file.map((id) => `/v1/files/${id}/content`),
    ...ids.batch.map((id) => `/v1/batches/${id}`),
  ];
  let found = 0;
  for (const target of paths) {
    const { status, body } = await world.ask({ method: "GET", target, key: world.keys.mine });
    if (status === 200 && !/"status":"(?:failed|cancelled)"/.test(body)) found++;
  }
  return found;
}
