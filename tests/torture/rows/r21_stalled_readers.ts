/**
 * R21: callers that ask for long streams and read nothing of them.
 *
 * @module
 */

import { runLoad } from "../../../bench/measure_load.ts";
import { postRequest } from "../../../bench/post_request.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { RawSocket } from "../../support/raw_socket.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { startLongStreams } from "../long_streams.ts";
import { mostMemoryMb, watchProcess } from "../process_watch.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CATALOGUE = (urls: { readonly long: string; readonly short: string }) => `
providers:
  - { id: long, kind: openai_compatible, base_url: "${urls.long}", auth: none }
  - { id: short, kind: openai_compatible, base_url: "${urls.short}", auth: none }
models:
  - id: long
    kind: chat
    routes:
      - { id: long/m, provider: long, upstream_model: long, cost: { input: "0", output: "1" }, sale: { input: "0", output: "2" } }
  - id: m
    kind: chat
    routes:
      - { id: short/m, provider: short, upstream_model: m, cost: { input: "0", output: "1" }, sale: { input: "0", output: "2" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

const OTHERS_PER_SECOND = 50;
/** Streams that nobody was given a byte of for so long have stalled. */
const STILL_MS = 1_000;

export const row: ScorecardRow = {
  id: "R21",
  title: "stalled readers",
  seededBug: {
    name: "writes_without_waiting",
    says: "an answer is written on before its reader has taken what came before",
    edits: [{
      file: "src/http/listener/response_sender.ts",
      find: "if (!await this.#writePart(prefix, encoder.encode(text), !http10)) return false;",
      replace: "        void this.#writePart(prefix, encoder.encode(text), !http10);",
    }],
  },
  async run({ size, folder, note }) {
    const { readers, megabytes, seconds, stalledMs } = size.pick({
      commit: { readers: 20, megabytes: 30, seconds: 2, stalledMs: 4_000 },
      full: { readers: 200, megabytes: 100, seconds: 12, stalledMs: 60_000 },
    });
    const found = new RowFinding(`${readers} readers that stall before ${megabytes} MB each`);
    await using long = await startLongStreams({ megabytes });
    await using short = await startFaultUpstream({ logFile: `${folder}/short.log` });
    await using gateway = await serveGateway({
      args: ["--stalled-reader-ms", String(stalledMs)],
      catalogue: CATALOGUE({ long: long.url, short: short.url }),
    });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    const port = Number(new URL(gateway.url).port);
    const prompt = scriptPrompt({ tag: 1, acts: [{ delayMs: 5 }] });
    const others = () =>
      runLoad({
        port,
        connections: 8,
        seconds,
        perSecond: OTHERS_PER_SECOND,
        requests: [postRequest("chat/completions", key, {
          model: "m",
          max_tokens: 100,
          messages: [{ role: "user", content: prompt }],
        })],
      });
    // The first load warms the program up: it is no baseline.
    await others();
    const baseline = await others();
    const { pid } = gateway.server.process;
    const sockets: RawSocket[] = [];
    // No stream is ended for its length: only its reader keeps it.
    const body = { model: "long", stream: true, max_tokens: 40_000_000 };
    const request = postRequest("chat/completions", key, {
      ...body,
      messages: [{ role: "user", content: "Tell me everything" }],
    });
    let during = baseline;
    const looks = await watchProcess(pid, {
      everyMs: 200,
      async work() {
        for (let reader = 0; reader < readers; reader++) {
          const socket = await RawSocket.connect({ transport: "tcp", hostname: "127.0.0.1", port });
          sockets.push(socket);
          await socket.send(request);
        }
        await until("all streams to begin", () => long.open === readers);
        await untilStill(() => long.bytesSent);
        during = await others();
      },
    });
    const taken = long.bytesSent / readers / 1024 ** 2;
    note(`R21 ${taken.toFixed(1)} MB of each stream are taken, ${long.whole} whole`);
    found.require(long.whole === 0, `${long.whole} streams were taken whole though nobody reads`);
    found.measure("taken of each", taken, { unit: "MB" });
    found.measure("memory's rise", mostMemoryMb(looks) - looks[0]!.memoryMb, {
      atMost: 200,
      unit: "MiB",
    });
    found.time("p99 of others before", baseline.latency.p99Ms);
    found.time("and beside them", during.latency.p99Ms, { atMost: 2 * baseline.latency.p99Ms });
    const failures = JSON.stringify(during.failed);
    found.require(failures === "{}", `calls beside the stalled readers failed: ${failures}`);
    // Nobody closes them here: the program must.
    await found.during(
      "the stalled readers",
      () => until("they are cut off", () => long.open === 0, { withinMs: stalledMs + 20_000 }),
    );
    for (const socket of sockets) socket[Symbol.dispose]();
    const rows = await quietBooks(gateway.server.dataDir);
    const stalled = rows.calls.filter(({ model }) => model === "long");
    found.count("cut off", stalled.filter(({ result }) => result === "client_aborted").length, {
      exactly: readers,
    });
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};

/** Waits until a number stays as it is. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1;
  await until("the streams to stall", () => {
    const now = count();
    const isStill = now === before;
    before = now;
    return isStill;
  }, { everyMs: STILL_MS });
}
