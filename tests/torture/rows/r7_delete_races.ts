/**
 * R7: films that are deleted while they are made or downloaded, twice at once, or just as they are
 * completed.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  type FakeVideoServer,
  sampleFilm,
  startFakeVideoServer,
} from "../../support/fake_video_server.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { until } from "../../support/until.ts";
import { checkFilms } from "../films/check_films.ts";
import { inParallel } from "../in_parallel.ts";
import { percentile } from "../percentile.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** Larger than what sockets hold, so that a download is under way for as long as it is not read. */
const FILM = sampleFilm(12_000_000);
const GONE_WITHIN_MS = 5_000;

/** When a film is deleted. */
const MOMENTS = {
  "while it waits or renders": 3,
  "while its upstream makes it": 2,
  "just as it is completed": 4,
  "twice at once": 2,
  "while it is downloaded": 1,
} as const;

type Moment = keyof typeof MOMENTS;

export const row: ScorecardRow = {
  id: "R7",
  title: "DELETE races",
  seededBug: {
    name: "files_outlive_tasks",
    says: "the files of a deleted film are left to the next start",
    edits: [{
      file: "src/videos/delete_video.ts",
      find: "if (removed !== undefined) await deps.leftovers.remove(taskId);",
      replace: "if (removed !== undefined && taskId === '') await deps.leftovers.remove(taskId);",
    }],
  },
  async run({ size, random, note }) {
    const count = size.pick({ commit: 60, full: 500 });
    const found = new RowFinding(
      `${count} films deleted at ${Object.keys(MOMENTS).length} moments`,
    );
    await using upstream = startFakeVideoServer({ manners: "vllm_omni", film: FILM });
    await using films = await FilmGateway.start({
      upstreamUrl: upstream.url,
      args: ["--video-workers", "2", "--video-tasks-per-project", "1000"],
    });
    const world = new Deletions({ films, upstream, found });
    world.behave();
    const numbers = Array.from({ length: count }, (_, number) => number);
    await inParallel(numbers, {
      workers: 6,
      work: async (number) => {
        const own = random.of(`film ${number}`);
        const moment = own.weighted(MOMENTS);
        await found.during(`a film deleted ${moment}`, () => world.deleteOne(moment, own));
        if (number % 20 === 19) note(`R7: ${world.deleted.length} of ${count} films deleted`);
      },
    });
    const startedAt = performance.now();
    await found.during("their files", () =>
      until("files of deleted films to go", () => {
        const names = films.folder();
        return !world.deleted.some(({ id }) => names.some((name) => name.startsWith(id)));
      }, { withinMs: GONE_WITHIN_MS }));
    found.time("bytes gone after the last", performance.now() - startedAt, {
      atMost: GONE_WITHIN_MS,
    });
    for (const film of world.deleted) await world.requireGone(film);
    await checkFilms(found, films, { acknowledged: [], deleted: world.deleted });
    found.count("deleted", world.deleted.length, { exactly: count });
    found.count("charged and completed before", world.charged);
    found.count("charged for what was done", world.chargedInPart);
    found.count("downloads whole", world.downloads);
    found.time("DELETE p99", percentile(world.milliseconds, 0.99), { atMost: 200 });
    return found;
  },
};

class Deletions {
  readonly deleted: CreatedFilm[] = [];
  readonly milliseconds: number[] = [];
  charged = 0;
  chargedInPart = 0;
  downloads = 0;
  readonly #films: FilmGateway;
  readonly #upstream: FakeVideoServer;
  readonly #found: RowFinding;
  /** By prompt: told when the gateway asks for the film's bytes. */
  readonly #fetched = new Map<string, () => void>();
  #number = 0;

  constructor({ films, upstream, found }: {
    readonly films: FilmGateway;
    readonly upstream: FakeVideoServer;
    readonly found: RowFinding;
  }) {
    this.#films = films;
    this.#upstream = upstream;
    this.#found = found;
  }

  /** The upstream tells when it is asked for a film, which the gateway is then about to complete. */
  behave(): void {
    this.#upstream.behave({
      steps: [{ status: "completed" }],
      answer: ({ verb, target }) => {
        if (verb !== "content") return undefined;
        const job = this.#upstream.jobs.get(/videos\/([^/]+)\/content/.exec(target)![1]!);
        this.#fetched.get(job?.prompt ?? "")?.();
        return undefined;
      },
    });
  }

  async deleteOne(moment: Moment, random: SeededRandom): Promise<void> {
    const films = this.#films;
    const prompt = `${moment}, ${++this.#number}`;
    const fetched = Promise.withResolvers<void>();
    this.#fetched.set(prompt, fetched.resolve);
    const isLocal = moment === "while it waits or renders";
    const film = await films.create({
      model: isLocal ? random.pick(["film", "slow"]) : "remote",
      prompt,
    });
    switch (moment) {
      case "while it waits or renders":
        await delay(random.integer(0, 400));
        break;
      case "while its upstream makes it":
        await delay(random.integer(0, 100));
        break;
      case "just as it is completed":
        await fetched.promise;
        await delay(random.integer(0, 150));
        break;
      case "while it is downloaded":
        return await this.#deleteInDownload(film);
      case "twice at once": {
        await delay(random.integer(0, 300));
        const statuses = await Promise.all([this.#remove(film), this.#remove(film)]);
        this.#found.require(
          statuses.toSorted().join() === "200,404",
          `two DELETEs at once are answered ${statuses.join(" and ")}`,
        );
        return await this.#note(film);
      }
    }
    const status = await this.#remove(film);
    this.#found.require(status === 200, `DELETE ${moment} is answered ${status}`);
    await this.#note(film);
  }

  /** Later, nobody finds the task any more. */
  async requireGone({ id }: CreatedFilm): Promise<void> {
    for (const path of [`/videos/${id}`, `/videos/${id}/content`]) {
      const { status } = await this.#films.json(path);
      this.#found.require(status === 404, `${path} is answered ${status} after its DELETE`);
    }
    const link = await fetch(`${this.#films.url}/videos/${id}.mp4`);
    await link.body?.cancel();
    this.#found.require(link.status === 404, `the link to ${id} is answered ${link.status}`);
  }

  async #deleteInDownload(film: CreatedFilm): Promise<void> {
    const { status } = await this.#films.untilStatus(film);
    this.#found.require(status === "completed", `${film.id} is ${status}`);
    const download = await this.#films.fetch(`/videos/${film.id}/content`);
    const reader = download.body!.getReader();
    const parts = [(await reader.read()).value!];
    const answer = await this.#remove(film);
    this.#found.require(answer === 200, `DELETE in a download is answered ${answer}`);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
    }
    const isWhole = Buffer.concat(parts).equals(FILM);
    this.#found.require(isWhole, `the download of ${film.id} is not what was deleted`);
    if (isWhole) this.downloads++;
    await this.#note(film);
  }

  async #remove(film: CreatedFilm): Promise<number> {
    const startedAt = performance.now();
    const status = await this.#films.remove(film);
    this.milliseconds.push(performance.now() - startedAt);
    return status;
  }

  /** It is charged once, in whole or for what was done of it, or not at all. */
  async #note(film: CreatedFilm): Promise<void> {
    this.deleted.push(film);
    const { state, video, pricing } = await this.#films.call(film);
    const outcome = `${state} ${pricing.charged_amount}`;
    const percent: number = video.percent ?? (state === "settled" ? 100 : 0);
    const charge = `0.${String(percent * 250_000).padStart(8, "0")}`;
    this.#found.require(
      outcome === `${percent === 0 ? "released" : "settled"} ${charge}`,
      `${film.id} was deleted at ${percent} % and is ${outcome}`,
    );
    if (percent === 100) this.charged++;
    else if (percent > 0) this.chargedInPart++;
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
