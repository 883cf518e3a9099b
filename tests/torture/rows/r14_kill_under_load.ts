/**
 * R14: killed again and again in the middle of 300 calls a second.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import type { CallRow } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { checkUpstream } from "../books/check_upstream.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedCatalogue, tagOf } from "../tagged_calls.ts";
import { type Answers, callUntil, unsettled } from "../tagged_load.ts";

const CALLS_PER_SECOND = 300;
const CREDIT = "9000000";

export const row: ScorecardRow = {
  id: "R14",
  title: "kill -9 under load",
  seededBug: {
    name: "answer_before_settle",
    says: "an answer is given before its settle is on disk",
    edits: [{
      file: "src/accounts/ledger.ts",
      find: `this.#write(owned, closed, kept, (result) => {
      if (result.ok) {`,
      replace: `setTimeout(() => this.#write(owned, closed, kept, () => {}), 300);
    Promise.resolve({ ok: true } as EntryResult).then((result) => {
      if (result.ok) {`,
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
      const load = callUntil(gateway, {
        callsPerSecond: CALLS_PER_SECOND,
        nextTag: () => ++tag,
        ...{ key, random, answers },
      });
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

function isCutOff({ result }: CallRow): boolean {
  return result === "gateway_stopped";
}
