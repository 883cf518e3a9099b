/**
 * R15: callers that leave before and in the middle of their answers.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { oraclePrice, tokenUsage } from "../books/price_oracle.ts";
import { cutShort } from "../cut_short.ts";
import { inParallel } from "../in_parallel.ts";
import { percentile } from "../percentile.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { tokensOf } from "../tokens_of.ts";

const CATALOGUE = (url: string) => `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: remote/m, provider: remote, upstream_model: m, cost: { input: "1", output: "2" }, sale: { input: "3.7", output: "11.3" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
const SALE = { kind: "rates", rates: { input: "370000000", output: "1130000000" } } as const;

const LAST = "stream, after the last chunk";

/** When a caller leaves. */
type Leaving =
  | "plain, before the answer"
  | "plain, in mid-answer"
  | "stream, before the first chunk"
  | "stream, after one chunk"
  | "stream, after some chunks"
  | typeof LAST;

const WEIGHTS: Readonly<Record<Leaving, number>> = {
  "plain, before the answer": 3,
  "plain, in mid-answer": 2,
  "stream, before the first chunk": 1,
  "stream, after one chunk": 1,
  "stream, after some chunks": 2,
  [LAST]: 1,
};

/** A call that will be left. */
interface Plan {
  readonly tag: number;
  readonly leaving: Leaving;
  readonly act: UpstreamAct;
  /** Chunks that reach the caller. */
  readonly chunks: number;
}

export const row: ScorecardRow = {
  id: "R15",
  title: "aborts",
  seededBug: {
    name: "abort_is_free",
    says: "a caller that leaves in the middle of an answer pays nothing",
    edits: [{
      file: "src/gateway/stream_relay.ts",
      find: `{ result: "client_aborted", billable: true, status: 200 }`,
      replace: `{ result: "client_aborted", billable: false, status: 200 }`,
    }],
  },
  async run({ size, random }) {
    const count = size.pick({ commit: 300, full: 1_000 });
    const found = new RowFinding(
      `${count} callers that leave, ${Object.keys(WEIGHTS).length} ways`,
    );
    await using upstream = await startFaultUpstream();
    await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url) });
    await gateway.credit("paying", "1000");
    const key = await gateway.key("paying");
    const plans = Array.from({ length: count }, (_, tag) => planOf(tag, random));
    const leftAt = new Map<number, number>();
    const expected = new Map<string, { readonly plan: Plan; readonly charge: bigint }>();
    await inParallel(plans, {
      workers: 8,
      async work(plan) {
        const { tag, act, chunks } = plan;
        const prompt = scriptPrompt({ tag, acts: [act] });
        const isStream = plan.leaving.startsWith("stream");
        const body = {
          model: "m",
          stream: isStream,
          max_tokens: 1_000,
          messages: [{ role: "user", content: prompt }],
        };
        const ended = await cutShort(gateway.url, {
          key,
          body,
          chunks: chunks === 0 ? Infinity : chunks,
          leaveWhen: chunks > 0 ? new Promise(() => {}) : upstream.received(tag),
        });
        leftAt.set(tag, ended.leftAt);
        if (chunks === 0) return;
        found.require(
          ended.chunks === chunks,
          `tag ${tag} saw ${ended.chunks} of ${chunks} chunks`,
        );
        const charge = chargeOf(prompt, "word ".repeat(chunks));
        expected.set(ended.requestId!, { plan, charge });
      },
    });
    await found.during(
      "the upstream's connections",
      () => upstream.ended(),
    );
    const rows = await quietBooks(gateway.server.dataDir);
    let wrong = 0;
    for (const call of rows.calls) {
      const { charge = 0n, plan } = expected.get(call.requestId) ?? {};
      expected.delete(call.requestId);
      if (call.charged === charge && call.result === "client_aborted") continue;
      wrong++;
      found.require(
        false,
        `${call.requestId} (${plan?.leaving ?? "before the first chunk"}) is ${call.result}, ` +
          `charged ${call.charged}, not ${charge}`,
      );
    }
    found.require(rows.calls.length === count, `${rows.calls.length} calls are in the books`);
    found.require(expected.size === 0, `${expected.size} calls that were answered are in no book`);
    found.count("charged otherwise than by policy", wrong, { exactly: 0 });
    // Who leaves after a chunk is given a second, in which the counts may come.
    const waits = new Set(plans.filter(({ chunks }) => chunks > 0).map(({ tag }) => tag));
    const lags = (hasBegun: boolean) =>
      upstream.log.records.filter(({ tag }) => waits.has(tag) === hasBegun)
        .map(({ tag, endedAt }) => endedAt - leftAt.get(tag)!);
    found.time("upstream closed p99", percentile(lags(false), 0.99), { atMost: 100 });
    found.time("and after a chunk", percentile(lags(true), 0.99), { atMost: 1_200 });
    const lost = rows.calls.filter(({ state, loss }) => state === "released" && loss > 0n);
    found.count("lost to callers that left before", lost.length, {
      exactly: plans.filter(({ chunks }) => chunks === 0).length,
    });
    found.requireNone(checkBookRows(rows));
    return found;
  },
};

function planOf(tag: number, random: SeededRandom): Plan {
  const leaving = random.weighted(WEIGHTS);
  switch (leaving) {
    case "plain, before the answer":
    case "stream, before the first chunk":
      return { tag, leaving, chunks: 0, act: { isSilent: true } };
    case "plain, in mid-answer":
      return { tag, leaving, chunks: 0, act: { stallAt: random.integer(0, 150) } };
    case "stream, after one chunk":
      return { tag, leaving, chunks: 1, act: { chunks: 50, stallAfterChunks: 1 } };
    case "stream, after some chunks": {
      const chunks = random.integer(2, 30);
      return { tag, leaving, chunks, act: { chunks: 50, stallAfterChunks: chunks } };
    }
    case LAST: {
      const chunks = random.integer(1, 30);
      return { tag, leaving, chunks, act: { chunks, stallAfterChunks: chunks } };
    }
  }
}

/** By policy: the prompt and what was delivered, at least one chunk, by our own count. */
function chargeOf(prompt: string, delivered: string): bigint {
  const usage = tokenUsage(BigInt(tokensOf(prompt)), BigInt(tokensOf(delivered)));
  return oraclePrice({ cost: undefined, sale: SALE }, usage).sale;
}
