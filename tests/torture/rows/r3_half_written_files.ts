/**
 * R3: killed in the middle of writing films, with files of nobody beside them.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { until } from "../../support/until.ts";
import { checkFilms, lostOf } from "../films/check_films.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const FILM = sampleFilm(1_000_000);
const KINDS = ["mp4", "webp", "part", "input"] as const;

export const row: ScorecardRow = {
  id: "R3",
  title: "half-written files",
  seededBug: {
    name: "films_of_nobody_stay",
    says: "a start leaves films where they are that no task tells of",
    edits: [{
      file: "src/videos/keep/sweeper.ts",
      find: "} else if (!open.has(entry.taskId)) slice.push(entry);",
      replace: '} else if (open.has("")) slice.push(entry);',
    }],
  },
  async run({ size, random, note }) {
    const rounds = size.pick({ commit: 2, full: 30 });
    const found = new RowFinding(`${rounds} kills with films half on disk and files of nobody`);
    await using upstream = startFakeVideoServer({ manners: "openai", film: FILM });
    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await using films = await FilmGateway.start({ upstreamUrl: upstream.url });
    const acknowledged: CreatedFilm[] = [];
    let halves = 0;
    let orphans = 0;
    let sweptMs = 0;
    for (let round = 0; round < rounds; round++) {
      const bytes = random.integer(1, FILM.length - 1);
      upstream.behave({
        answer: ({ verb }) =>
          verb === "content" ? new Response(stalledAfter(FILM.slice(0, bytes))) : undefined,
      });
      const half = await films.create({ model: "remote", prompt: `half ${round}` });
      const begun = await films.create({ model: "slow", prompt: `begun ${round}` });
      acknowledged.push(half, begun);
      await until("a part to be on disk", async () => {
        const part = films.path(half, "part");
        return existsSync(part) && (await Deno.stat(part)).size === bytes;
      });
      await films.server.kill();
      upstream.behave({ answer: undefined });
      halves++;

      const left = random.integer(0, FILM.length);
      // As if it had died between a film's name and its task's completion, with bytes lost.
      await Deno.writeFile(films.path(begun, "mp4"), FILM.slice(0, left));
      await Deno.writeFile(films.path(begun, "part"), FILM.slice(0, left));
      const nobodys = KINDS.map((kind) => `video_${randomLetters(random)}.${kind}`);
      orphans += nobodys.length;
      for (const name of nobodys) {
        await Deno.writeFile(`${films.dataDir}/videos/${name}`, FILM.slice(0, left));
      }
      await films.restart();
      const startedAt = performance.now();
      await found.during("the sweep at the start", async () => {
        await until(
          "files of nobody to go",
          () => !films.folder().some((name) => nobodys.includes(name)),
          { withinMs: 10_000 },
        );
        sweptMs = Math.max(sweptMs, performance.now() - startedAt);
      });
      note(`R3 kill ${round + 1} of ${rounds}: ${films.folder().length} files`);
    }
    const rows = await checkFilms(found, films, { acknowledged, withinMs: 60_000 });
    for (const { id, model, file } of rows) {
      found.require(
        model !== "remote" || file?.bytes === FILM.length,
        `${id} has ${file?.bytes} bytes, not ${FILM.length}`,
      );
    }
    found.count("acknowledged and lost", lostOf(acknowledged, rows).length, { exactly: 0 });
    found.count("half-written films", halves);
    found.count("files of nobody", orphans);
    found.time("gone after a start", sweptMs, { atMost: 10_000 });
    return found;
  },
};

/** A body that never ends. */
function stalledAfter(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
}

function randomLetters(random: { pick<Item>(items: readonly Item[]): Item }): string {
  const letters = [..."abcdefghijklmnopqrstuvwxyz234567"];
  return Array.from({ length: 26 }, () => random.pick(letters)).join("");
}
