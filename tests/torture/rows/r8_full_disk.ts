/**
 * R8: the disk becomes full, and has room again.
 *
 * @module
 */

import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { type CreatedFilm, FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";
import { SmallDisk } from "../../support/small_disk.ts";
import { until } from "../../support/until.ts";
import { checkFilms } from "../films/check_films.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const MIB = 1024 ** 2;
const DISK_BYTES = 16 * MIB;
/** Less than what is kept free for the database. */
const TOO_LITTLE_BYTES = 3 * MIB;
const REFUSALS = 5;

export const row: ScorecardRow = {
  id: "R8",
  title: "disk full",
  tools: ["a small disk"],
  seededBug: {
    name: "room_is_not_looked_at",
    says: "a film is taken whether or not the disk has room for it",
    edits: [{
      file: "src/videos/keep/disk_room.ts",
      find: "return freeBytes > 0 && freeBytes >= promisedBytes + moreBytes;",
      replace: "return freeBytes + promisedBytes + moreBytes >= 0;",
    }],
  },
  async run({ size, note }) {
    const rounds = size.pick({ commit: 1, full: 5 });
    const found = new RowFinding(
      `a disk of ${DISK_BYTES / MIB} MiB filled ${2 * rounds} times, nearly and wholly`,
    );
    await using upstream = startFakeVideoServer({ manners: "openai", film: sampleFilm(1_000_000) });
    await using disk = await SmallDisk.mount(DISK_BYTES);
    await using films = await FilmGateway.start({
      upstreamUrl: upstream.url,
      dataDir: `${disk.folder}/data`,
      args: ["--video-workers", "1"],
    });
    const acknowledged: CreatedFilm[] = [];
    let refused = 0;
    let refusalMs = 0;
    let recoveryMs = 0;

    /** Asks for films that there is no room for. */
    async function refuse(): Promise<void> {
      const before = await films.json("/key");
      for (let time = 0; time < REFUSALS; time++) {
        const startedAt = performance.now();
        const { status, body, requestId } = await films.json("/videos", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(SMALL_FILM),
        });
        refusalMs = Math.max(refusalMs, performance.now() - startedAt);
        found.require(
          status === 503 && body.error.code === "storage_full",
          `a film without room is answered ${status} ${JSON.stringify(body)}`,
        );
        if (status === 200) {
          acknowledged.push({ id: body.id, requestId, project: "shop" });
          continue;
        }
        refused++;
        const call = await films.json(`/calls/${requestId}`);
        found.require(call.status === 404, `a film that was refused was bought: ${requestId}`);
      }
      const after = await films.json("/key");
      found.require(
        JSON.stringify(after.body) === JSON.stringify(before.body),
        "refusals have changed the balance",
      );
    }

    /** From the moment that there is room until a new film is taken and all under way are made. */
    async function recover(): Promise<void> {
      await disk.clear();
      const startedAt = performance.now();
      acknowledged.push(
        await until("a film to be taken", () => films.create().catch(() => undefined), {
          withinMs: 10_000,
          everyMs: 100,
        }),
      );
      for (const film of acknowledged) await films.untilStatus(film);
      recoveryMs = Math.max(recoveryMs, performance.now() - startedAt);
    }

    for (let round = 0; round < rounds; round++) {
      upstream.behave({ steps: [{ status: "completed" }], gates: {} });
      await disk.fill(TOO_LITTLE_BYTES);
      await found.during("refusals with little room", refuse);
      await found.during("recovery from little room", recover);

      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      upstream.behave({ gates: { content: gate } });
      const [rendering, downloading, waiting] = [
        await films.create({ model: "slow" }),
        await films.create({ model: "remote" }),
        await films.create(),
      ];
      acknowledged.push(rendering, downloading, waiting);
      await until("it to render", async () => (await films.show(rendering)).progress > 0);
      await until("the film to be asked for", () => upstream.requestsFor("content").length > round);
      await disk.fill();
      open();
      await found.during(
        "films under way without room",
        () =>
          until("one to be postponed", () => /"video_postponed".*disk_full/.test(films.log), {
            withinMs: 20_000,
          }),
      );
      await found.during("refusals without room", refuse);
      const { ok, body } = await fetch(`${films.url}/healthz`);
      await body?.cancel();
      found.require(ok, "/healthz is not answered on a full disk");
      await found.during("recovery without room", recover);
      note(`R8 round ${round + 1} of ${rounds}: recovered within ${Math.round(recoveryMs)} ms`);
    }
    const rows = await checkFilms(found, films, { acknowledged });
    for (const { id, failures, restarts } of rows) {
      found.require(
        failures + restarts === 0,
        `${id} has ${failures} failures, ${restarts} restarts`,
      );
    }
    found.count("refused", refused, { exactly: 2 * REFUSALS * rounds });
    found.time("a refusal at most", refusalMs, { atMost: 1_000 });
    found.time("recovery at most, films made", recoveryMs, { atMost: 10_000 });
    return found;
  },
};
