/**
 * R18: three providers, of which the cheapest fails half of its calls before its first byte.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const NAMES = ["a", "b", "c"] as const;
const FAULTY_SHARE = 0.5;
/** Of the calls: streams that break off after their first byte, wherever they are served. */
const BROKEN_SHARE = 0.05;
const CHUNKS = 20;
/** Where those break off: a failure before the first byte sends fewer bytes. */
const CUT_AT = 1_000;
const WORKERS = 16;
/** Of the calls, until the gateway knows its providers; these ask for the faulty one first. */
const LEARNING_SHARE = 0.1;
const CHEAPEST_FIRST = { routing_preference: "lowest_price" };

function catalogue(urls: readonly string[]): string {
  const providers = NAMES.map((id, at) =>
    `  - { id: ${id}, kind: openai_compatible, base_url: "${urls[at]}", auth: none }`
  );
  const routes = NAMES.map((id, at) =>
    `      - { id: ${id}/m, provider: ${id}, upstream_model: m-${id}, ` +
    `cost: { input: "0", output: "${at + 1}" }, sale: { input: "0", output: "${at + 2}" } }`
  );
  return `
providers:
${providers.join("\n")}
models:
  - id: m
    kind: chat
    routes:
${routes.join("\n")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

export const row: ScorecardRow = {
  id: "R18",
  title: "fallback",
  seededBug: {
    name: "no_fallback",
    says: "a call whose route fails is tried again there, and not at the next route",
    edits: [{
      file: "src/gateway/attempt_loop.ts",
      find:
        `if (candidate.isLastResort !== true && isWorthRetrying(attempt.error)) again.push(candidate);`,
      replace:
        `      if (candidate.isLastResort !== true && isWorthRetrying(attempt.error)) again.push(candidate);
      break;`,
    }],
  },
  async run({ seed, size, random, folder, note }) {
    const count = size.pick({ commit: 800, full: 5_000 });
    const found = new RowFinding(
      `${count} calls to 3 providers, of which one fails half of its attempts`,
    );
    const logFile = (name: string) => `${folder}/${name}.log`;
    await using a = await startFaultUpstream({
      logFile: logFile("a"),
      seed,
      faults: { "m-a": { share: FAULTY_SHARE, act: { status: 503 } } },
    });
    await using b = await startFaultUpstream({ logFile: logFile("b") });
    await using c = await startFaultUpstream({ logFile: logFile("c") });
    const upstreams = [a, b, c];
    await using gateway = await serveGateway({ catalogue: catalogue(upstreams.map((u) => u.url)) });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    const plans = Array.from({ length: count }, (_, tag) => {
      const stream = random.chance(0.5);
      return { tag, stream, isBroken: stream && random.chance(BROKEN_SHARE * 2) };
    });
    let whole = 0;
    await inParallel(plans, {
      workers: WORKERS,
      async work({ tag, stream, isBroken }) {
        const act = {
          delayMs: tag % 20,
          chunks: CHUNKS,
          ...(isBroken && { resetAt: CUT_AT }),
        };
        const response = await gateway.chat(key, {
          model: "m",
          stream,
          max_tokens: 1_000,
          ...(tag < count * LEARNING_SHARE && CHEAPEST_FIRST),
          messages: [{ role: "user", content: scriptPrompt({ tag, acts: [act] }) }],
        });
        const text = await response.text();
        if (isBroken) {
          const isTold = text.includes('"error"') && !text.includes("[DONE]");
          found.require(
            response.status !== 200 || isTold,
            () => `a stream that broke off ends with ${text.slice(-200)}`,
          );
          return;
        }
        const isWhole = response.status === 200 && !text.includes('"error"') &&
          (!stream || text.endsWith("data: [DONE]\n\n"));
        if (isWhole) whole++;
        else note(`R18 tag ${tag} is answered ${response.status}: ${text.slice(-300)}`);
      },
    });
    const rows = await quietBooks(gateway.server.dataDir);
    await found.during(
      "the upstreams' attempts",
      () => Promise.all(upstreams.map((each) => each.ended())),
    );
    const records = upstreams.flatMap(({ log }) => log.records);
    const sound = plans.filter(({ isBroken }) => !isBroken).length;
    const learnt = plans.filter(({ tag }) => tag >= count * LEARNING_SHARE);
    const firstLearnt = learnt[0]!.tag;
    const begun = new Map<number, number>();
    for (const { tag, bytesSent, outcome } of records) {
      if (outcome === "failed" && bytesSent >= CUT_AT) begun.set(tag, (begun.get(tag) ?? 0) + 1);
    }
    found.measure("success", whole / sound * 100, { atLeast: 99.9, unit: "%" });
    // Whatever the machine: no more than a call or two may be without luck.
    found.require(
      whole >= sound * 0.995,
      `${sound - whole} of ${sound} calls failed though two of three providers work`,
    );
    found.count(
      "attempts for a call",
      records.filter(({ tag }) => tag >= firstLearnt).length / learnt.length,
      { atMost: 1.2 },
    );
    found.count("attempts at the faulty one", a.log.records.length, { atLeast: 1 });
    found.count("streams cut after the first byte", begun.size, { atLeast: 1 });
    found.count(
      "tried again after the first byte",
      [...begun.values()].filter((times) => times > 1).length,
      { exactly: 0 },
    );
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};
