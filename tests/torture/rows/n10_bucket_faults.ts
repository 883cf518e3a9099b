/**
 * N10: films go to a bucket that fails in every way that buckets do, is away for a while, and loses
 * the answer to the end of an upload; the program is killed in the middle.
 *
 * @module
 */

import { type AskedS3, FakeS3, type S3Fault } from "../../support/fake_s3.ts";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { until } from "../../support/until.ts";
import { checkFilms } from "../films/check_films.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** Longer than a part. */
const FILM = sampleFilm(16 * 1024 ** 2 + 99);
/** The share of requests that something happens to. */
const FAULTS = 0.35;

export const row: ScorecardRow = {
  id: "N10",
  title: "bucket faults",
  seededBug: {
    name: "films_count_before_they_are_kept",
    says: "a film that the bucket did not take at once counts as kept",
    edits: [{
      file: "src/objects/s3_client.ts",
      find: "if (!isPassing || tries >= this.#waitsMs.length) throw error;",
      replace: "if (!isPassing || tries >= 0) throw error;",
    }, {
      file: "src/videos/files/bucket_films.ts",
      find: "if (error instanceof Deno.errors.NotFound || hardSignal.aborted) throw error;",
      replace: `if (error instanceof Deno.errors.NotFound || hardSignal.aborted) throw error;
        if (error instanceof Error) return;`,
    }],
  },
  async run({ size, random, note }) {
    const rounds = size.pick({ commit: 1, full: 25 });
    const awayMs = size.pick({ commit: 2_000, full: 60_000 });
    const found = new RowFinding(
      `${rounds} rounds of films to a bucket that fails ${FAULTS * 100} % of what it is asked`,
    );
    await using s3 = await FakeS3.start();
    await using upstream = startFakeVideoServer({ manners: "openai", film: FILM });
    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await using films = await FilmGateway.start({ upstreamUrl: upstream.url, env: s3.env() });
    const acknowledged: CreatedFilm[] = [];
    let faults = 0;
    let lostEnds = 0;
    const fault = (asked: AskedS3): S3Fault | undefined => {
      const isEnd = asked.method === "POST" && asked.query.has("uploadId");
      if (isEnd && lostEnds < 2 * rounds) {
        lostEnds++;
        return "lost";
      }
      if (!random.chance(FAULTS)) return undefined;
      faults++;
      return random.pick<S3Fault>([
        { status: 500, code: "InternalError" },
        { status: 503, code: "SlowDown" },
        "reset",
        "lost",
        ...(asked.method === "GET" ? ["cut" as const] : []),
        ...(asked.method === "HEAD" ? ["short" as const] : []),
      ]);
    };
    for (let round = 1; round <= rounds; round++) {
      s3.fault = fault;
      acknowledged.push(await films.create({ model: "remote" }), await films.create());
      await until("something to be sent", () => s3.asked.some((one) => one.includes("video_")));
      s3.fault = () => "reset";
      acknowledged.push(await films.create());
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      // A start with a bucket that is away would be none.
      s3.fault = () => undefined;
      await films.restart();
      s3.fault = fault;
      await until(
        "films to be kept",
        async () => {
          const shown = await Promise.all(acknowledged.map((film) => films.show(film)));
          return shown.every(({ status }) => status === "completed" || status === "failed");
        },
        { withinMs: 180_000 },
      );
      note(`round ${round}: ${faults} faults`);
    }
    s3.fault = () => undefined;
    const rows = await checkFilms(found, films, { acknowledged, withinMs: 60_000 });
    const named = rows.flatMap(({ file }) => file?.path?.replace("s3://films/of/tests/", "") ?? []);
    for (const key of named) {
      found.require(s3.films().includes(key), `${key} is named and not in the bucket`);
    }
    found.require(faults > 0 && lostEnds > 0, "nothing went wrong at all");
    found.count("films", named.length, { exactly: acknowledged.length });
    return found;
  },
};
