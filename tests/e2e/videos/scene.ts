/**
 * What the tests of video tasks through the official clients share: a served gateway
 * with films that are made here and elsewhere, and the checks that every answer must
 * pass.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import schemas from "../../fixtures/openai/video_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";
import { pollUntil } from "./poll_until.ts";

/** Both majors have the parts that are used here in common. */
export type Sdk = typeof seven;
/** A client of either major. */
export type Client = InstanceType<Sdk["OpenAI"]>;
/** A video with what the gateway adds. */
export type Video = seven.OpenAI.Video & {
  readonly output?: string;
  readonly provider: string;
  readonly route: string;
  readonly pricing?: { currency: string; cost_amount: string; sale_amount: string };
};
/** Fields of a create request; the clients pass on those that they do not know. */
export type CreateFields = Omit<seven.OpenAI.VideoCreateParams, "size" | "seconds"> & {
  readonly size?: string;
  readonly seconds?: string;
  readonly [field: string]: unknown;
};

/** A generous limit: nothing is measured by it. */
const ENDS_WITHIN_MS = 120_000;
/** OpenAI's document knows these sizes only; its clients take any. */
const SIZES = schemas.$defs.VideoSize.enum;

/** A client whose requests go to a gateway. */
export function clientOf(sdk: Sdk, { url, key }: { url: string; key: string }): Client {
  return new sdk.OpenAI({ baseURL: `${url}/v1`, apiKey: key });
}

/** Creates a video; the answer is checked. */
export async function create(
  client: Client,
  fields: CreateFields,
  options: { readonly headers?: Record<string, string> } = {},
): Promise<Video> {
  const video = await client.videos.create(fields as never, options) as Video;
  assertVideo(video);
  return video;
}

/** Asks for a video until it has ended. On the way its progress never falls. */
export async function untilEnded(client: Client, id: string): Promise<Video> {
  let last: Video | undefined;
  return await pollUntil({
    what: `the end of ${id}`,
    withinMs: ENDS_WITHIN_MS,
    async read() {
      const video = await client.videos.retrieve(id) as Video;
      assertVideo(video);
      assert.ok(video.progress >= (last?.progress ?? 0), "the progress fell");
      if (last?.status === "in_progress") assert.notEqual(video.status, "queued");
      return last = video;
    },
    isThere: ({ status }) => status === "completed" || status === "failed",
  });
}

/** Asserts a Video by OpenAI's own schema, apart from sizes that its document does not know. */
export function assertVideo(video: object): asserts video is Video {
  const { size } = video as Video;
  assert.match(size, /^[1-9]\d*x[1-9]\d*$/);
  const known = SIZES.includes(size) ? video : { ...video, size: SIZES[0] };
  assertSatisfies(schemas, "VideoResource", known);
  const { id, status, progress, completed_at, error } = video as Video;
  assert.match(id, /^video_[a-z2-7]{26}$/);
  assert.equal(completed_at !== null, status === "completed");
  assert.equal(error !== null, status === "failed");
  assert.ok(progress >= 0 && progress <= 100);
  assert.equal(progress === 100, status === "completed");
}

/** The film of a completed video, downloaded and checked for being one. */
export async function download(client: Client, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await client.videos.downloadContent(id);
  assert.equal(response.headers.get("content-type"), "video/mp4");
  const film = await response.bytes();
  assert.equal(String(film.length), response.headers.get("content-length"));
  return film;
}

/** What the operator reads of a project. */
export async function projectRow(
  gateway: ServedGateway,
  id: string,
): Promise<{ readonly balance: string; readonly held: string }> {
  const rows = await gateway.cli("projects", "list") as { id: string }[];
  const row = rows.find((one) => one.id === id);
  assert.ok(row !== undefined, `no project ${id}`);
  return row as unknown as { balance: string; held: string };
}

/** Resolves when the server has logged a line. */
export async function untilLogged({ server }: ServedGateway, line: RegExp): Promise<void> {
  await pollUntil({
    what: `${line} in the log`,
    read: () => server.stderr,
    isThere: (log) => line.test(log),
  });
}

/** A catalogue of one model `film` whose upstream never finishes one, and of `projects` as its file lists them. */
export function waitingFilms(url: string, ...projects: readonly string[]): string {
  return `
providers:
  - { id: waiting, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: film
    kind: video
    routes:
      - id: waiting/film
        provider: waiting
        sale: { second: "0.10" }
        video: { sizes: [640x360], seconds: [4] }
projects:
${projects.map((project) => `  - { ${project} }`).join("\n")}
`;
}
