/**
 * R28: a long, steady load of which one call in a hundred goes wrong. `deno task soak --minutes 30`
 * is this row alone, at full size.
 *
 * @module
 */

import { postRequest } from "../../../bench/post_request.ts";
import { runLoad } from "../../../bench/measure_load.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import {
  readScript,
  scriptPrompt,
  type UpstreamAct,
} from "../../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { cutShort } from "../cut_short.ts";
import { lookAtProcess, type ProcessLook, watchProcess } from "../process_watch.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CALLS_PER_SECOND = 200;
const CONNECTIONS = 64;
/** Requests of which one in a hundred is a fault, sent over and over. */
const REQUESTS = 2_000;
const LOOK_EVERY_MS = 1_000;
const LEAVE_EVERY_MS = 1_000;
/** Of the time, before memory counts: a start fills caches and grows to the load's working set. */
const WARM_UP_SHARE = 1 / 3;

const CATALOGUE = (url: string) => `
providers:
  - { id: first, kind: openai_compatible, base_url: "${url}", auth: none }
  - { id: second, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: first/m, provider: first, upstream_model: m-first, cost: { input: "1", output: "2" }, sale: { input: "3.7", output: "11.3" } }
      - { id: second/m, provider: second, upstream_model: m-second, cost: { input: "2", output: "4" }, sale: { input: "7.4", output: "22.6" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

/** What goes wrong; at the first route alone where the second can make it good. */
const FAULTS: readonly { readonly act: UpstreamAct; readonly isEverywhere?: boolean }[] = [
  { act: { status: 503 } },
  { act: { status: 429, retryAfter: 0 } },
  { act: { resetAt: -1 } },
  { act: { isHtml: true } },
  { act: { status: 500 }, isEverywhere: true },
  { act: { status: 400 }, isEverywhere: true },
  { act: { chunks: 30, resetAt: 2_000 }, isEverywhere: true },
  { act: { chunks: 30, cutAt: 2_000 }, isEverywhere: true },
  { act: { usage: "missing" }, isEverywhere: true },
  { act: { usage: "negative" }, isEverywhere: true },
];

/** See the module's text. */
export const row: ScorecardRow = {
  id: "R28",
  title: "soak",
  seededBug: {
    name: "failed_answer_left_open",
    says: "the answer of an upstream that fails is left unread, with its connection",
    edits: [],
  },
  withinMs: 5 * 60 * 60_000,
  async run({ size, random, folder, note }) {
    const minutes = Number(
      Deno.env.get("TORTURE_SOAK_MINUTES") ?? size.pick({ commit: 0.25, full: 30 }),
    );
    /** A "minute" of a short run is shorter. */
    const minuteMs = Math.min(60_000, minutes * 60_000 / 10);
    const found = new RowFinding(
      `${minutes} minutes at ${CALLS_PER_SECOND} calls a second, 1 % faults`,
    );
    const logFile = `${folder}/upstream.log`;
    await using upstream = await startFaultUpstream({ logFile, keepsRecords: false });
    await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url) });
    await gateway.cli("projects", "credit", "paying", "9000000");
    const key = await gateway.key("paying");
    const pid = gateway.server.process.pid;
    const before = await lookAtProcess(pid);

    const startedAt = performance.now();
    const leavers = leaveAgainAndAgain(gateway, { key, until: startedAt + minutes * 60_000 });
    let minute = 0;
    const load = runLoad({
      port: Number(new URL(gateway.url).port),
      connections: CONNECTIONS,
      requests: requestsOf(key, random),
      seconds: minutes * 60,
      perSecond: CALLS_PER_SECOND,
    });
    const looks = await watchProcess(pid, {
      everyMs: Math.min(LOOK_EVERY_MS, minuteMs / 5),
      work: () => load,
      onLook: ({ at, memoryMb, openFiles }) => {
        if (at - startedAt < minute * minuteMs) return;
        minute++;
        note(`R28 minute ${minute}: ${memoryMb.toFixed(1)} MiB, ${openFiles} open files`);
      },
    });
    const { answered, failed, latency } = await load;
    const left = await leavers;
    note(`R28 ${answered} answered whole, others ${JSON.stringify(failed)}, ${left} left`);
    await found.during(
      "the upstream's connections",
      () => until("calls to end", () => upstream.open === 0, { withinMs: 20_000 }),
    );
    const rows = await quietBooks(gateway.server.dataDir);
    found.requireNone(checkBookRows(rows));
    return found;
  },
};
