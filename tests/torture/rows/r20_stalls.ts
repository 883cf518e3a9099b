/**
 * R20: upstreams that stop where a time limit waits for them: connecting, before the first byte,
 * between two chunks, and by going on for ever.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { takeFullBacklog } from "../full_backlog.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** Of the limit that is waited for; the others are far away. */
const LIMIT_MS = 1_500;
const FAR_MS = 600_000;
/** A limit that does not fire within that time does not fire. */
const PATIENCE_MS = 15_000;

/** A stall, named after the limit that ends it. */
interface Stall {
  readonly name: "connect" | "first_byte" | "idle" | "total";
  readonly stream: boolean;
  readonly act: UpstreamAct;
  /** Whether the caller has seen nothing yet, so that the next route serves the call. */
  readonly isMadeGood: boolean;
}

const STALLS: readonly Stall[] = [
  { name: "connect", stream: true, act: {}, isMadeGood: true },
  { name: "connect", stream: false, act: {}, isMadeGood: true },
  { name: "first_byte", stream: true, act: { isSilent: true }, isMadeGood: true },
  { name: "idle", stream: true, act: { chunks: 9, stallAfterChunks: 3 }, isMadeGood: false },
  { name: "total", stream: true, act: { chunks: 500, chunkMs: 100 }, isMadeGood: false },
  { name: "total", stream: false, act: { isSilent: true }, isMadeGood: true },
];

const LIMITS = ["connect", "first_byte", "idle", "total"] as const;

/** Of its model and its provider: none may know how another stall went. */
function idOf({ name, stream }: Stall): string {
  return `${name}_${stream ? "stream" : "plain"}`;
}

/** A model for each stall, whose second route works. */
function catalogue(urls: {
  readonly stalling: string;
  readonly refusing: string;
  readonly good: string;
}): string {
  const timeouts = (name: Stall["name"]) =>
    LIMITS.map((limit) => `${limit}_ms: ${limit === name ? LIMIT_MS : FAR_MS}`).join(", ");
  const providers = STALLS.map((stall) =>
    `  - { id: ${idOf(stall)}, kind: openai_compatible, auth: none, ` +
    `timeouts: { ${timeouts(stall.name)} }, ` +
    `base_url: "${stall.name === "connect" ? urls.refusing : urls.stalling}" }`
  );
  const models = STALLS.map(idOf).map((id) => `
  - id: ${id}
    kind: chat
    routes:
      - { id: ${id}/m, provider: ${id}, upstream_model: stalls, cost: { output: "1", input: "0" }, sale: { output: "2", input: "0" } }
      - { id: good/${id}, provider: good, upstream_model: works, cost: { output: "5", input: "0" }, sale: { output: "9", input: "0" } }`);
  return `
providers:
  - { id: good, kind: openai_compatible, base_url: "${urls.good}", auth: none }
${providers.join("\n")}
models:${models.join("")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

export const row: ScorecardRow = {
  id: "R20",
  title: "stalling upstreams",
  tools: ["python3"],
  seededBug: {
    name: "no_idle_limit",
    says: "no limit waits for the next chunk",
    edits: [{
      file: "src/providers/transport/http1_exchange.ts",
      find: `if (body.isWhole) continue;
        this.#watchdog.arm(limitMs, "send more");`,
      replace: "if (body.isWhole) continue;",
    }, {
      file: "src/providers/transport/http1_exchange.ts",
      find: `if (limitMs !== undefined) this.#watchdog.arm(limitMs, "send more");`,
      replace: "",
    }],
  },
  async run({ size, folder, note }) {
    // Five failures in a row would open the breaker: all calls of a kind are sent at once.
    const each = size.pick({ commit: 4, full: 20 });
    const found = new RowFinding(`${each} calls of each of ${STALLS.length} stalls`);
    await using blackHole = await takeFullBacklog();
    await using stalling = await startFaultUpstream({ logFile: `${folder}/stalling.log` });
    await using good = await startFaultUpstream({ logFile: `${folder}/good.log` });
    const refusing = `http://127.0.0.1:${blackHole.port}/v1`;
    await using gateway = await serveGateway({
      catalogue: catalogue({ stalling: stalling.url, refusing, good: good.url }),
    });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    let tag = 0;
    for (const stall of STALLS) {
      const { name, stream, act, isMadeGood } = stall;
      const what = `${name}, ${stream ? "stream" : "plain"}`;
      const deviations: number[] = [];
      await found.during(what, () =>
        Promise.all(Array.from({ length: each }, async () => {
          const own = ++tag;
          const startedAt = performance.now();
          const script = { tag: own, actsOf: { stalls: [act] } };
          const response = await gateway.chat(key, {
            model: idOf(stall),
            stream,
            max_tokens: 1_000,
            routing_preference: "lowest_price",
            messages: [{ role: "user", content: scriptPrompt(script) }],
          }, { signal: AbortSignal.timeout(PATIENCE_MS) });
          const text = await response.text();
          const tookMs = performance.now() - startedAt;
          const isWhole = response.status === 200 && !text.includes('"error"');
          found.require(
            isWhole === isMadeGood,
            () => `${what} is answered ${response.status}: ${text.slice(-200)}`,
          );
          deviations.push(tookMs - LIMIT_MS);
        })));
      await found.during(
        `the sockets of ${what}`,
        () => until("they close", () => stalling.connections === 0, { withinMs: PATIENCE_MS }),
      );
      const [least, most] = [Math.min(...deviations), Math.max(...deviations)];
      note(`R20 ${what}: ${least.toFixed(0)} to ${most.toFixed(0)} ms after the limit`);
      // Whoever waits cannot see a limit that fires too early, other than by rounding.
      found.require(least > -50, `${what} is given up ${-least} ms before its limit`);
      found.time(`${what} late`, most, { atMost: Math.max(200, LIMIT_MS / 10) });
    }
    const rows = await quietBooks(gateway.server.dataDir);
    const held = rows.projects.reduce((sum, project) => sum + project.held, 0n);
    found.require(held === 0n, `${held} is still held`);
    found.count("calls in the books", rows.calls.length, { exactly: tag });
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};
