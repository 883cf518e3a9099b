/**
 * R14: killed again and again in the middle of 300 calls a second.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import type { CallRow } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { checkUpstream } from "../books/check_upstream.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { priceOf, taggedBody, taggedCatalogue, tagOf } from "../tagged_calls.ts";

const CALLS_PER_SECOND = 300;
const TICK_MS = 10;
const CREDIT = "9000000";

/** Answers that came in full, by tag, with the output tokens they told of. */
type Answers = Map<number, number>;

export const row: ScorecardRow = {
  id: "R14",
  title: "kill -9 under load",
  seededBug: {
    name: "answer_before_settle",
    says: "an answer is given before its settle is on disk",
    edits: [{
      file: "src/accounts/ledger.ts",
      find: `this.#write(owned, closed, kept, (result) => {
      if (result.ok) done(closed);`,
      replace: `setTimeout(() => this.#write(owned, closed, kept, () => {}), 300);
    Promise.resolve({ ok: true } as EntryResult).then((result) => {
      if (result.ok) done(closed);`,
    }],
  },
  async run({ size, random, folder, note }) {
    const kills = size.pick({ commit: 8, full: 100 });
    const found = new RowFinding(
      `${kills} kills in the middle of ${CALLS_PER_SECOND} calls a second`,
    );
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    const dataDir = `${folder}/data`;
    const answers: Answers = new Map();
    /** When the server was killed that a tag was sent to. */
    const killedAt = new Map<number, number>();
    let tag = 0;
    let key = "";
    let resolvedMs = 0;
    for (let kill = 0; kill < kills; kill++) {
      const startedAt = performance.now();
      await using gateway = await serveGateway(
        kill === 0 ? { dataDir, catalogue: taggedCatalogue(upstream.url) } : { dataDir },
      );
      if (kill === 0) {
        await gateway.credit("paying", CREDIT);
        key = await gateway.key("paying");
      } else {
        const rows = await quietBooks(dataDir, 60_000);
        resolvedMs = Math.max(resolvedMs, performance.now() - startedAt);
        found.requireNone(checkBookRows(rows));
      }
      const load = callUntil(gateway, { key, random, answers, nextTag: () => ++tag });
      const afterMs = random.integer(200, 1_200);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const now = performance.now();
      await gateway.server.kill();
      for (const sent of await load.over()) killedAt.set(sent, now);
      note(`R14 kill ${kill + 1} of ${kills}: ${tag} calls, ${answers.size} answered`);
    }
    await using _ = await serveGateway({ dataDir });
    const rows = await quietBooks(dataDir, 60_000);
    found.requireNone(checkBookRows(rows));
    const calls = rows.calls;
    found.count("answered and not settled", unsettled(calls, answers, found), { exactly: 0 });
    found.count("charged twice", calls.length - new Set(calls.map(tagOf)).size, { exactly: 0 });
    await found.during("the upstream's attempts", () => upstream.ended());
    const { records } = upstream.log;
    const inBooks = new Set(calls.map(tagOf));
    const unknown = records.filter(({ tag }) => !inBooks.has(tag));
    const ages = unknown.map(({ tag, arrivedAt }) => killedAt.get(tag)! - arrivedAt);
    for (const { tag } of unknown) {
      found.require(!answers.has(tag), `tag ${tag} was answered and is in no book`);
    }
    const known = records.filter(({ tag }) => inBooks.has(tag));
    found.requireNone(checkUpstream({ records: known, calls, tagOf }));
    found.requireNone(await ledgerDifferences(dataDir));
    found.tried =
      `${kills} kills in the middle of ${CALLS_PER_SECOND} calls a second: ${tag} calls`;
    found.count("released by a start", calls.filter(isCutOff).length);
    // A hold is written a moment after it is taken; until then a crash equals a release.
    found.count("too young for a book", unknown.length);
    found.time("the oldest of them", Math.max(0, ...ages), { atMost: 1_000 });
    found.time("holds resolved at most", resolvedMs, { atMost: 60_000 });
    return found;
  },
};

/** Answered calls that are not settled at their price. */
function unsettled(calls: readonly CallRow[], answers: Answers, found: RowFinding): number {
  const byTag = new Map(calls.map((call) => [tagOf(call), call]));
  let count = 0;
  for (const [tag, tokens] of answers) {
    const call = byTag.get(tag);
    if (call?.state === "settled" && call.charged === priceOf(tokens)) continue;
    count++;
    found.require(
      false,
      `tag ${tag} was answered with ${tokens} tokens and is ${call?.state ?? "in no book"}, ` +
        `charged ${call?.charged ?? 0n}`,
    );
  }
  return count;
}

function isCutOff({ result }: CallRow): boolean {
  return result === "gateway_stopped";
}

/** Calls at a steady pace, until the server is gone; `over` gives the tags. */
function callUntil(gateway: ServedGateway, options: {
  readonly key: string;
  readonly random: SeededRandom;
  readonly answers: Answers;
  readonly nextTag: () => number;
}): { over(): Promise<readonly number[]> } {
  const { key, random, answers, nextTag } = options;
  const calls: Promise<void>[] = [];
  const tags: number[] = [];

  async function call(tag: number): Promise<void> {
    const own = random.of(`call ${tag}`);
    const stream = own.chance(0.5);
    const tokens = own.integer(1, 900);
    const act = {
      delayMs: own.integer(0, 60),
      chunkMs: own.integer(0, 10),
      usage: { prompt: 10, completion: tokens },
    };
    try {
      const response = await gateway.chat(key, taggedBody(tag, { stream, act }));
      const text = await response.text();
      const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
      if (response.status === 200 && isWhole && !text.includes('"error"')) answers.set(tag, tokens);
    } catch (error) {
      // The connection ends with the process.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / 1_000 * CALLS_PER_SECOND;
    for (; sent < due; sent++) {
      const tag = nextTag();
      tags.push(tag);
      calls.push(call(tag));
    }
  }, TICK_MS);
  return {
    async over() {
      clearInterval(timer);
      await Promise.all(calls);
      return tags;
    },
  };
}
