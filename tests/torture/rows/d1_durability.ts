/**
 * D1: no answer before its settle is synced to disk, which a kill cannot show: what a killed process
 * has written the system still has.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedBody, taggedCatalogue } from "../tagged_calls.ts";

/** A sync of the log, by the clock of the system in milliseconds. */
interface Sync {
  readonly from: number;
  readonly to: number;
}

/** When an upstream was about to send the last of its answer, and when the caller had it. */
interface Span {
  readonly tag: number;
  readonly from: number;
  readonly to: number;
}

export const row: ScorecardRow = {
  id: "D1",
  title: "answers wait for the disk",
  tools: ["strace"],
  seededBug: {
    name: "not_synced",
    says: "the log is not synced when a batch is committed",
    edits: [{
      file: "src/storage/sqlite/database.ts",
      find: "PRAGMA synchronous = FULL;",
      replace: "PRAGMA synchronous = NORMAL;",
    }],
  },
  async run({ size, random, folder }) {
    const count = size.pick({ commit: 200, full: 2_000 });
    const found = new RowFinding(`${count} calls one by one, and ${count} eight at a time`);
    await using upstream = await startFaultUpstream();
    await using gateway = await serveGateway({ catalogue: taggedCatalogue(upstream.url) });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    const trace = `${folder}/trace`;
    await using _ = await traceSyncs(gateway.server.process.pid, trace);

    const answeredAt = new Map<number, number>();
    async function call(tag: number): Promise<void> {
      const act = { usage: { prompt: 10, completion: 100 } };
      const stream = random.of(`call ${tag}`).chance(0.5);
      const response = await gateway.chat(key, taggedBody(tag, { stream, act }));
      const text = await response.text();
      answeredAt.set(tag, performance.timeOrigin + performance.now());
      const isWhole = response.status === 200 && text.includes(stream ? "[DONE]" : '"pricing"');
      found.require(isWhole, `tag ${tag} is answered ${response.status}: ${text}`);
    }
    const from = Date.now();
    for (let tag = 0; tag < count; tag++) await call(tag);
    const to = performance.timeOrigin + performance.now();
    const tags = Array.from({ length: count }, (_, index) => count + index);
    await inParallel(tags, { workers: 8, work: call });
    const rows = await quietBooks(gateway.server.dataDir);
    found.requireNone(checkBookRows(rows));
    const last = Math.max(...answeredAt.values());
    await until("the trace to be written", () =>
      // A sync is written down when it is over; one more is made by what asks for it.
      gateway.cli("projects", "credit", "paying", "1").then(() =>
        readSyncs(trace).some((sync) => sync.from > last)
      ));

    const syncs = readSyncs(trace);
    const alone = syncs.filter((sync) => sync.from >= from && sync.to <= to);
    found.count("syncs of the calls one by one", alone.length, { atLeast: count });
    await found.during("the upstream's attempts", () => upstream.ended());
    const spans = upstream.log.records.map(({ tag, lastWriteAt }) => ({
      tag,
      from: performance.timeOrigin + lastWriteAt,
      to: answeredAt.get(tag)!,
    }));
    const unsynced = spans.filter((span) => !syncs.some((sync) => isWithin(sync, span)));
    found.count("answers that waited for no sync", unsynced.length, { exactly: 0 });
    for (const { tag } of unsynced.slice(0, 3)) {
      found.require(false, `tag ${tag} waited for no sync`);
    }
    return found;
  },
};

/** The settle of a call is written after its upstream's answer, and synced before its caller's. */
function isWithin(sync: Sync, span: Span): boolean {
  return sync.from >= span.from && sync.to <= span.to;
}

/** Attaches to a process and all its threads; `await using` lets go. */
async function traceSyncs(pid: number, file: string): Promise<AsyncDisposable> {
  const strace = new Deno.Command("strace", {
    args: ["-f", "-ttt", "-T", "-e", "trace=fdatasync,fsync", "-o", file, "-p", String(pid)],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const reading = (async () => {
    for await (const text of strace.stderr.pipeThrough(new TextDecoderStream())) said += text;
  })();
  await until("strace to be attached", () => {
    if (said.includes("Operation not permitted")) throw new Error(`Cannot attach: ${said}`);
    return said.includes("attached");
  });
  return {
    async [Symbol.asyncDispose]() {
      strace.kill("SIGINT");
      await Promise.all([strace.status, reading]);
    },
  };
}

/** Lines such as `123 1700000000.123456 fdatasync(21) = 0 <0.000873>`, also in two halves. */
function readSyncs(file: string): readonly Sync[] {
  const begun = new Map<string, number>();
  return Deno.readTextFileSync(file).split("\n").flatMap((line) => {
    const [, thread, seconds, rest] = /^(\d+)\s+(\d+\.\d+) (.*)$/.exec(line) ?? [];
    if (thread === undefined) return [];
    const at = Number(seconds) * 1_000;
    if (rest!.includes("<unfinished")) begun.set(thread, at);
    const lasted = /= 0 <([\d.]+)>$/.exec(rest!)?.[1];
    if (lasted === undefined) return [];
    const from = rest!.includes("resumed>") ? begun.get(thread) ?? at : at;
    return [{ from, to: from + Number(lasted) * 1_000 }];
  });
}
