/**
 * N9: nodes that make films are killed, stand still and wake, or are cut off, and others go on with
 * what they have begun; the films are in a bucket.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { FakeS3 } from "../../support/fake_s3.ts";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { isUnanswered, type TaskRow, units } from "../../support/films/film_books.ts";
import {
  filmCatalogue,
  PRICE_PER_SECOND,
  UPSTREAM_KEYS,
} from "../../support/films/film_catalogue.ts";
import { SMALL_FILM } from "../../support/films/film_gateway.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { quickReap } from "../test_build/quick_reap.ts";

/** What is said of a film at an upstream until a node has ended. */
const UNDER_WAY = { status: "in_progress", progress: 30 } as const;
const MODELS = ["remote", "slow", "film"];
const ADMIN_KEY = "admin-of-films-0123456789";
const ALL_END_WITHIN_MS = 120_000;
/** What befalls a node; each ends its session. */
const FAULTS: readonly ("kill" | "stop" | "cut")[] = ["kill", "stop", "cut"];

export const row: ScorecardRow = {
  id: "N9",
  title: "films of nodes that end",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "films_end_with_their_node",
    says: "nobody goes on with the films of a node that has ended",
    edits: [{
      file: "src/app/go_on_with_left.ts",
      find: "await this.#options.book.adopt();",
      replace: "",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding("");
    const film = sampleFilm(300_000);
    await using s3 = await FakeS3.start();
    await using remote = startFakeVideoServer({ manners: "openai", film });
    await using upstream = await startFaultUpstream();
    await using nodes = await SeveralNodes.start({
      ...{ folder, upstream },
      env: { ...s3.env(), ...UPSTREAM_KEYS, TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    });
    await nodes.at(0).apply(filmCatalogue(remote.url));
    await nodes.at(0).credit("shop", "1000");
    const key = await nodes.newKey("shop");
    const created = new Set<string>();
    let dead = 0;
    let rows: readonly TaskRow[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const fault of size.pick({ commit: FAULTS.slice(0, 2), full: FAULTS })) {
        const victim = random.integer(0, nodes.all.length - 1);
        const other = nodes.at((victim + 1) % nodes.all.length);
        remote.behave({ steps: [UNDER_WAY] });
        await Promise.all(nodes.all.flatMap((gateway) =>
          MODELS.map(async (model) => {
            created.add(await create(gateway, { key, model }));
          })
        ));
        await until("films under way", async () => await nodes.filmsOf(victim) > 0);
        const { server } = nodes.at(victim);
        if (fault === "kill") await server.kill();
        else if (fault === "stop") server.process.kill("SIGSTOP");
        else nodes.lines[victim]!.hold("both");
        await nodes.untilDead(++dead);
        remote.behave({ steps: [UNDER_WAY, { status: "completed" }] });
        await found.during(`the films after a ${fault}`, async () => {
          await until("every film to end", async () => {
            rows = await tasks(other);
            return rows.every(({ status }) => status === "completed" || status === "failed");
          }, { withinMs: ALL_END_WITHIN_MS, everyMs: 200 });
        });
        if (found.brokenCount > 0) return found;
        // It goes on with what it had begun, for nobody.
        if (fault === "stop") server.process.kill("SIGCONT");
        if (fault === "cut") nodes.lines[victim]!.release();
        await found.during("the end of the node that was taken for dead", async () => {
          await until("it", () => server.hasEnded);
        });
        await nodes.startNode(victim);
        note(`N9 round ${round} of ${rounds}, ${fault}: ${created.size} films`);
      }
    }
    found.tried = `nodes that make films ended ${dead} times: ${created.size} films`;
    rows = await tasks(nodes.at(0));
    for (const id of created) {
      found.require(rows.some((task) => task.id === id), `${id} was acknowledged and is lost`);
    }
    let kept = 0;
    for (const task of rows) {
      const { id, status, error, file } = task;
      if (isUnanswered(task)) continue;
      found.require(status === "completed", () => `${id} is ${status}: ${JSON.stringify(error)}`);
      const name = file?.path?.replace("s3://films/of/tests/", "") ?? "";
      found.require(s3.films().includes(name), `${id} is in ${name}, which is not in the bucket`);
      const bytes = await content(random.pick(nodes.all), { key, id });
      found.require(
        createHash("sha256").update(bytes).digest("hex") === file?.sha256,
        `${id} is not what is stored of it`,
      );
      kept++;
    }
    const { calls } = await nodes.requireBooks(found);
    for (const { requestId, state, charged } of calls) {
      const task = rows.find(({ request_id }) => request_id === requestId);
      const isMade = task?.status === "completed";
      const price = isMade ? units(PRICE_PER_SECOND) * BigInt(task.seconds) : 0n;
      found.require(
        state === (isMade ? "settled" : "released") && charged === price,
        `${requestId} is ${state} and charged ${charged}, its film is ${task?.status ?? "none"}`,
      );
    }
    found.count("films", kept);
    found.count("calls", calls.length, { exactly: rows.length });
    return found;
  },
};

async function create(
  { url }: ServedGateway,
  { key, model }: { readonly key: string; readonly model: string },
): Promise<string> {
  const response = await fetch(`${url}/v1/videos`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...SMALL_FILM, model }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Cannot create a film: ${text}`);
  return JSON.parse(text).id;
}

async function tasks({ admin }: ServedGateway): Promise<readonly TaskRow[]> {
  return (await admin("GET", "/videos?limit=1000")).data;
}

async function content(
  { url }: ServedGateway,
  { key, id }: { readonly key: string; readonly id: string },
): Promise<Uint8Array> {
  const response = await fetch(`${url}/v1/videos/${id}/content`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return await response.bytes();
}
