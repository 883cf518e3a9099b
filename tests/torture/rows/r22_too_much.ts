/**
 * R22: too much of everything, from upstreams and from callers: gzip bombs, endless lines, deep
 * JSON, bodies of 50 MB.
 *
 * @module
 */

import { gzipBomb } from "../../support/fault_upstream/gzip_bomb.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { measureLoopLag } from "../loop_lag.ts";
import { lookAtProcess, mostMemoryMb, watchProcess } from "../process_watch.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedCatalogue } from "../tagged_calls.ts";

const MEGABYTE = 1024 ** 2;
const DEPTH = 100_000;

/** One thing that is too much. */
interface Excess {
  readonly name: string;
  /** What the upstream answers with. */
  readonly act?: UpstreamAct;
  readonly stream?: boolean;
  /** What the caller sends, if that is it. */
  readonly sends?: () => { readonly body: BodyInit; readonly headers?: Record<string, string> };
  /** Answers that refuse it. */
  readonly statuses: readonly number[];
}

function excesses(lineMb: number, bombMb: number): readonly Excess[] {
  return [
    { name: "upstream's gzip bomb", act: { gzipBombMb: bombMb }, statuses: [502, 503] },
    { name: "upstream's long body", act: { paddingMb: lineMb }, statuses: [502, 503] },
    // Its head is in before it is seen to be too much.
    {
      name: "upstream's long line",
      act: { paddingMb: lineMb },
      stream: true,
      statuses: [200, 503],
    },
    {
      name: "caller's 50 MB",
      sends: () => ({ body: " ".repeat(50 * MEGABYTE) }),
      statuses: [413],
    },
    {
      name: "caller's depth",
      sends: () => ({ body: "[".repeat(DEPTH) + "]".repeat(DEPTH) }),
      statuses: [400],
    },
    {
      name: "caller's deep field",
      sends: () => ({
        body: `{"model":"m","messages":[{"role":"user","content":"x"}],"deep":` +
          `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}`,
      }),
      statuses: [400],
    },
    {
      name: "caller's gzip bomb",
      sends: () => ({
        body: new Uint8Array(gzipBomb(bombMb, "{}")),
        headers: { "content-encoding": "gzip" },
      }),
      statuses: [400, 413, 415],
    },
  ];
}

export const row: ScorecardRow = {
  id: "R22",
  title: "too much of everything",
  seededBug: {
    name: "no_cap_on_answers",
    says: "the body of an answer is read whole, however large it is",
    edits: [{
      file: "src/providers/transport/collect_text.ts",
      find: "if (size > options.maxBytes) throw tooLarge(response, options.maxBytes);",
      replace: "",
    }],
  },
  async run({ size, folder, note }) {
    const [lineMb, bombMb] = size.pick({ commit: [96, 200], full: [1_024, 1_000] }) as [
      number,
      number,
    ];
    const times = size.pick({ commit: 1, full: 3 });
    const all = excesses(lineMb, bombMb);
    const found = new RowFinding(
      `${all.length} excesses, lines of ${lineMb} MB, bombs of ${bombMb} MB, ${times} times`,
    );
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using gateway = await serveGateway({ catalogue: taggedCatalogue(upstream.url) });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    const { pid } = gateway.server.process;
    let tag = 0;
    let lagMs = 0;
    let riseMb = 0;
    // One call of the ordinary kind first: what a first call loads is no rise.
    await send(gateway, { key, tag: ++tag, excess: { name: "", act: {}, statuses: [] } });
    for (const excess of Array(times).fill(all).flat() as Excess[]) {
      const before = await lookAtProcess(pid);
      const lag = measureLoopLag(gateway.url, size.pick({ commit: 1, full: 5 }));
      let answer = { status: 0, text: "" };
      const looks = await watchProcess(pid, {
        everyMs: 50,
        work: async () => {
          await found.during(excess.name, async () => {
            answer = await send(gateway, { key, tag: ++tag, excess });
          });
          await lag;
        },
      });
      const { latency, failed } = await lag;
      const rise = mostMemoryMb(looks) - before.memoryMb;
      note(
        `R22 ${excess.name}: ${answer.status}, memory +${rise.toFixed(0)} MiB, ` +
          `/healthz ${latency.mostMs.toFixed(0)} ms`,
      );
      const isRefused = excess.statuses.includes(answer.status) && answer.text.includes('"error"');
      found.require(
        isRefused,
        () => `${excess.name} is answered ${answer.status}: ${answer.text.slice(0, 200)}`,
      );
      found.require(
        Object.keys(failed).length === 0,
        `/healthz failed during ${excess.name}: ${JSON.stringify(failed)}`,
      );
      lagMs = Math.max(lagMs, latency.mostMs);
      riseMb = Math.max(riseMb, rise);
    }
    found.count("refused", all.length * times);
    found.measure("memory's rise at most", riseMb, { atMost: 64, unit: "MiB" });
    found.time("/healthz at most", lagMs, { atMost: 250 });
    const rows = await quietBooks(gateway.server.dataDir);
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};

async function send(
  gateway: ServedGateway,
  { key, tag, excess }: { readonly key: string; readonly tag: number; readonly excess: Excess },
): Promise<{ readonly status: number; readonly text: string }> {
  const { act = {}, stream = false, sends } = excess;
  const { body, headers = {} } = sends?.() ?? {
    body: JSON.stringify({
      model: "m",
      stream,
      max_tokens: 1_000,
      messages: [{ role: "user", content: scriptPrompt({ tag, acts: [act] }) }],
    }),
  };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}
