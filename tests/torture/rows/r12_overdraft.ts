/**
 * R12: far more calls at once than a balance pays for.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { readBookRows } from "../books/book_rows.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** An output token costs 0.000002, and nothing else costs anything: a hold is spent to its end. */
const CATALOGUE = (url: string) => `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: remote/m, provider: remote, upstream_model: m, cost: { input: "0", output: "1" }, sale: { input: "0", output: "2" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

const SERVED = 100;
const CALLS = 2_000;

export const row: ScorecardRow = {
  id: "R12",
  title: "overdraft",
  seededBug: {
    name: "hold_without_look",
    says: "a hold is taken without looking at the balance",
    edits: [{
      file: "src/accounts/ledger.ts",
      find: `return purse?.take(call.heldE8) === true ? this.holdTaken(call) : undefined;`,
      replace: `this.#purses.of(call.projectId).give(-call.heldE8);
    return this.holdTaken(call);`,
    }],
  },
  async run({ seed, size, random, folder, note }) {
    const rounds = size.pick({ commit: 3, full: 20 });
    const found = new RowFinding(`${CALLS} calls at once, funds for ${SERVED}, ${rounds} times`);
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log`, seed });
    await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url) });
    const keys = [await gateway.key("paying"), await gateway.key("paying")];
    let tag = 0;
    let served = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      // Each call holds, and uses, exactly so much; the sum of the holds is the balance.
      const maxTokens = random.integer(1, 50_000);
      const price = BigInt(maxTokens) * 200n;
      await gateway.credit("paying", amount(price * BigInt(SERVED)));
      const start = Promise.withResolvers<void>();
      const calls = Array.from({ length: CALLS }, () => {
        const delayMs = random.integer(0, 400);
        const act = { delayMs, usage: { prompt: 10, completion: maxTokens } };
        const body = {
          model: "m",
          stream: random.chance(0.5),
          max_tokens: maxTokens,
          messages: [{ role: "user", content: scriptPrompt({ tag: ++tag, acts: [act] }) }],
        };
        const key = random.pick(keys);
        return start.promise.then(async () => {
          const response = await gateway.chat(key, body);
          return { status: response.status, text: await response.text() };
        });
      });
      start.resolve();
      const answers = await Promise.all(calls);
      const whole = answers.filter(({ status, text }) =>
        status === 200 && !text.includes('"error"')
      );
      const without = answers.filter(({ status, text }) =>
        status === 402 && text.includes("INSUFFICIENT_BALANCE")
      );
      served += whole.length;
      refused += without.length;
      const others = answers.filter((answer) =>
        !whole.includes(answer) && !without.includes(answer)
      );
      found.requireNone(
        others.slice(0, 3).map(({ status, text }) => `answered ${status}: ${text}`),
      );
      const rows = readBookRows(gateway.server.dataDir);
      const { avail, held } = rows.projects.find(({ id }) => id === "paying")!;
      found.require(avail === 0n && held === 0n, `round ${round} leaves ${avail} and ${held} held`);
      note(
        `R12 round ${round + 1} of ${rounds}: ${whole.length} served, ${without.length} refused`,
      );
    }
    found.count("served", served, { exactly: SERVED * rounds });
    found.count("refused with 402", refused, { exactly: (CALLS - SERVED) * rounds });
    found.count("upstream calls", upstream.arrived, { exactly: SERVED * rounds });
    found.requireNone(checkBookRows(readBookRows(gateway.server.dataDir)));
    return found;
  },
};

function amount(e8: bigint): string {
  const digits = e8.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
