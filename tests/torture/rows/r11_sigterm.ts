/**
 * R11: told to stop in the middle of streams and films.
 *
 * @module
 */

import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { CREDIT, filmCatalogue } from "../../support/films/film_catalogue.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { until } from "../../support/until.ts";
import { readBookRows } from "../books/book_rows.ts";
import { checkFilms } from "../films/check_films.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const STREAMS = 50;
const CHUNK_MS = 50;
const OUTPUT_TOKENS = 300;
const CALL_E8 = BigInt(OUTPUT_TOKENS) * 200n;

export const row: ScorecardRow = {
  id: "R11",
  title: "SIGTERM",
  seededBug: {
    name: "drain_does_not_wait",
    says: "streams under way are ended as soon as the server is told to stop",
    edits: [{
      file: "src/app/drain.ts",
      find: "const tooLate = delay(timeoutMs, abort.signal);",
      replace: "const tooLate = delay(Math.min(timeoutMs, 100), abort.signal);",
    }],
  },
  async run({ size }) {
    const streamMs = size.pick({ commit: 3_000, full: 20_000 });
    const found = new RowFinding(`SIGTERM with ${STREAMS} streams and 4 films, then two of them`);
    await using chat = await startFaultUpstream();
    await using upstream = startFakeVideoServer({ manners: "openai", film: sampleFilm(50_000) });
    upstream.behave({ steps: [{ status: "in_progress", progress: 10 }] });
    await using films = await FilmGateway.start({
      catalogue: filmCatalogue(upstream.url, { chatUrl: chat.url }),
      args: ["--video-workers", "2"],
    });
    // Its balance is of calls alone: films are the shop's.
    await films.admin("POST", "/projects/studio/credit", { amount: CREDIT });
    const { key } = await films.admin("POST", "/keys", { project: "studio" });
    const created: CreatedFilm[] = [];
    for (const model of ["slow", "slow", "remote", "remote"]) {
      created.push(await films.create({ model, seconds: 4 }));
    }
    for (const film of created) {
      await until("work to be under way", async () => (await films.show(film)).progress > 0);
    }
    let tag = 0;
    const streams = (act: UpstreamAct) =>
      Promise.all(
        Array.from({ length: STREAMS }, () => beginStream(films, { key, tag: ++tag, act })),
      );

    const usage = { prompt: 10, completion: OUTPUT_TOKENS };
    const whole = await streams({ chunks: streamMs / CHUNK_MS, chunkMs: CHUNK_MS, usage });
    const toldAt = performance.now();
    const stopping = films.server.stop();
    const texts = await Promise.all(whole.map(({ rest }) => rest()));
    const streamsMs = performance.now() - toldAt;
    const { code } = await stopping;
    const exitMs = performance.now() - toldAt;
    const cutShort = texts.filter((text) => !text.endsWith("data: [DONE]\n\n"));
    found.count("streams cut short", cutShort.length, { exactly: 0 });
    for (const text of cutShort.slice(0, 2)) {
      found.require(false, `a stream ends: ${text.slice(-200)}`);
    }
    found.count("exit code", code, { exactly: 0 });
    found.require(films.folder().length === 0, `files are left: ${films.folder().join()}`);
    const settled = readBookRows(films.dataDir).calls.filter((call) =>
      call.projectId === "studio" && call.state === "settled" && call.charged === CALL_E8
    );
    found.count("streams settled", settled.length, { exactly: STREAMS });
    found.time("the last stream's end", streamsMs, { atMost: 30_000 });
    found.time("exit", exitMs, { atMost: 35_000 });

    await films.restart();
    // One that is told twice leaves at once.
    const stalled = await streams({ chunks: 10, stallAfterChunks: 2 });
    const first = films.server.stop();
    await films.server.waitForOutput(/Stopping when \d+ calls/);
    const againAt = performance.now();
    const second = films.server.stop();
    await Promise.all([first, second]);
    found.time("exit after a second SIGTERM", performance.now() - againAt, { atMost: 2_000 });
    found.count("its exit code", (await second).code, { exactly: 143 });
    await Promise.all(stalled.map(({ rest }) => rest().catch(() => "")));

    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await films.restart();
    const rows = await checkFilms(found, films, { acknowledged: created, withinMs: 60_000 });
    for (const { id, failures } of rows) {
      found.require(failures === 0, `${id} was taken for failed`);
    }
    const starts = upstream.requestsFor("start").length;
    found.count("films that go on", rows.length, { exactly: created.length });
    found.count("jobs at the upstream", starts, { exactly: 2 });
    const { calls } = readBookRows(films.dataDir);
    const paid = calls.filter((call) => call.projectId === "studio" && call.charged > 0n);
    found.require(paid.length === STREAMS, `${paid.length} calls of ${STREAMS} are charged`);
    return found;
  },
};

/** A stream that has begun; `rest` gives all of its text. */
async function beginStream(films: FilmGateway, { key, tag, act }: {
  readonly key: string;
  readonly tag: number;
  readonly act: UpstreamAct;
}): Promise<{ readonly rest: () => Promise<string> }> {
  const response = await fetch(`${films.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "talk",
      stream: true,
      max_tokens: OUTPUT_TOKENS,
      messages: [{ role: "user", content: scriptPrompt({ tag, acts: [act] }) }],
    }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? "";
  return {
    async rest() {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      return text;
    },
  };
}
