// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task bench`: measures the gateway against bare servers, on this machine, in one run, and
 * says which figures to reach were reached.
 *
 * @module
 */

import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import type { BenchRun, Findings, Scenario, Sizes } from "./bench_run.ts";
import { buildExecutables, fromSource } from "./executables.ts";
import { formatFindings, formatTargets } from "./report.ts";
import { measureAgainst } from "./scenarios/against.ts";
import { measureAccounting } from "./scenarios/accounting.ts";
import { measureCallsArchive } from "./scenarios/calls_archive.ts";
import { measureEmbeddings } from "./scenarios/embeddings.ts";
import {
  measureLate,
  measureLongPrompt,
  measurePlain,
  measureStream,
} from "./scenarios/call_costs.ts";
import { measureLoneCalls } from "./scenarios/lone_calls.ts";
import { measureNodes } from "./scenarios/nodes.ts";
import { measurePacedStreams } from "./scenarios/paced_streams.ts";
import { measureSlowStreams } from "./scenarios/slow_streams.ts";
import { measureMemory } from "./scenarios/memory.ts";
import { measureMessages } from "./scenarios/messages.ts";
import { measurePages } from "./scenarios/pages.ts";
import { measureResponsesStream } from "./scenarios/responses.ts";
import { measureScale } from "./scenarios/scale.ts";
import { measureServerLedger } from "./scenarios/server_ledger.ts";
import { measureThreads } from "./scenarios/threads.ts";
import { measureStartUp } from "./scenarios/start_up.ts";
import { measureUploads } from "./scenarios/uploads.ts";
import { measureUsageReport } from "./scenarios/usage_report.ts";
import { measureVideoBesideChat } from "./scenarios/video_beside_chat.ts";
import { measureVideoCreate, measureVideoPolls } from "./scenarios/video_calls.ts";
import { measureVideoClaims } from "./scenarios/video_claims.ts";
import { measureVideoContent } from "./scenarios/video_content.ts";
import { measureVideoRender } from "./scenarios/video_render.ts";
import { startFakeUpstream } from "./servers.ts";

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  against: measureAgainst,
  plain: measurePlain,
  late: measureLate,
  stream: measureStream,
  "long-prompt": measureLongPrompt,
  lone: measureLoneCalls,
  "start-up": measureStartUp,
  memory: measureMemory,
  "slow-streams": measureSlowStreams,
  threads: measureThreads,
  nodes: measureNodes,
  scale: measureScale,
  "responses-stream": measureResponsesStream,
  "messages": measureMessages,
  embeddings: measureEmbeddings,
  paced: measurePacedStreams,
  uploads: measureUploads,
  accounting: measureAccounting,
  "usage-report": measureUsageReport,
  "calls-archive": measureCallsArchive,
  "server-ledger": measureServerLedger,
  pages: measurePages,
  "video-render": measureVideoRender,
  "video-create": measureVideoCreate,
  "video-polls": measureVideoPolls,
  "video-chat": measureVideoBesideChat,
  "video-claims": measureVideoClaims,
  "video-content": measureVideoContent,
};

/** What a call costs: `--only speed` measures all of it. */
const SPEED = [
  "plain",
  "late",
  "stream",
  "long-prompt",
  "lone",
  "start-up",
  "memory",
  "slow-streams",
  "scale",
];

const FULL: Sizes = {
  rounds: 5,
  secondsPerLoad: 4,
  slices: 16,
  warmUpCalls: 20_000,
  slowStreams: 10_000,
  accountingSeconds: 60,
  memoryCalls: [10_000, 100_000],
  starts: 11,
  large: { keys: 100_000, models: 100, routesPerModel: 20, usageRows: 10_000_000 },
  reportedRows: 10_000_000,
  archivedCalls: 1_000_000,
  sealedCalls: 1_000_000,
  pagesOver: 1_000_000,
  videos: { prompts: 6, queued: [10, 10_000], downloads: 32 },
};

const QUICK: Sizes = {
  rounds: 3,
  secondsPerLoad: 1.5,
  slices: 8,
  warmUpCalls: 5_000,
  slowStreams: 1_000,
  accountingSeconds: 5,
  memoryCalls: [5_000, 20_000],
  starts: 5,
  large: { keys: 10_000, models: 100, routesPerModel: 20, usageRows: 50_000 },
  reportedRows: 500_000,
  archivedCalls: 20_000,
  sealedCalls: 50_000,
  pagesOver: 50_000,
  videos: { prompts: 2, queued: [10, 10_000], downloads: 8 },
};

interface Options {
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly json?: string;
  readonly fromSource?: boolean;
  readonly against?: string;
  readonly sealedCalls?: number;
}

async function bench(
  { quick, only, json, fromSource: isFromSource, against, sealedCalls }: Options,
): Promise<void> {
  const log = (line: string) => console.error(line);
  if (against === undefined && only?.includes("against")) {
    throw new Error("Cannot compare: say with which executable, as --against FILE");
  }
  const now = isFromSource ? fromSource() : await buildExecutables(log);
  const compared = against === undefined ? now : { ...now, before: [resolve(against)] as const };
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  try {
    await using upstream = await startFakeUpstream(folder);
    const size = quick ? QUICK : FULL;
    const sizes = { ...size, sealedCalls: sealedCalls ?? size.sealedCalls };
    const about = `${new Date().toISOString().slice(0, 10)}, ${navigator.hardwareConcurrency} ` +
      `cores, ${Deno.build.target}, Deno ${compared.runtime} ` +
      `${isFromSource ? "from source" : "inside all executables"}; load average before: ` +
      `${Deno.loadavg()[0]!.toFixed(1)}`;
    console.log(`${about}\n`);
    const found = await runScenarios({ compared, upstream, sizes, folder, log }, only);
    const targets = found.flatMap((findings) => findings.targets);
    if (targets.length > 0) console.log(formatTargets(targets));
    if (json !== undefined) {
      const facts = { about, runtime: compared.runtime, sizes, findings: found };
      await Deno.writeTextFile(json, `${JSON.stringify(facts, null, 2)}\n`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function runScenarios(run: BenchRun, only: Options["only"]): Promise<readonly Findings[]> {
  const found: Findings[] = [];
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (only !== undefined && !only.includes(name)) continue;
    // Each part of `speed` compares with what was before by itself.
    if (name === "against" && only === undefined) continue;
    run.log(`Measuring: ${name}`);
    const findings = await scenario(run);
    found.push(findings);
    console.log(formatFindings(findings));
  }
  return found;
}

function listOfScenarios(text: string): readonly string[] {
  const names = text.split(",").flatMap((name) => name === "speed" ? SPEED : [name]);
  const unknown = names.filter((name) => !(name in SCENARIOS));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `Cannot measure ${unknown.join(", ")}: there is speed, ${Object.keys(SCENARIOS).join(", ")}`,
    );
  }
  return names;
}

function readCalls(text: string): number {
  const calls = Number(text);
  if (Number.isSafeInteger(calls) && calls >= 1_000) return calls;
  throw new InvalidArgumentError("It must be a whole number, at least 1000.");
}

await new Command("deno task bench")
  .description("Measure the gateway against bare servers.")
  .option("--quick", "smaller sizes: a third of the time")
  .addOption(
    new Option("--only <parts>", `some of speed,${Object.keys(SCENARIOS).join(",")}`)
      .argParser(listOfScenarios),
  )
  .option("--json <file>", "also write the figures to a file")
  .option(
    "--against <executable>",
    "compare with one made before, in `against` and in the parts of `speed`",
  )
  .addOption(
    new Option("--sealed-calls <number>", "how many calls `server-ledger` writes and proves")
      .argParser(readCalls),
  )
  .option("--from-source", "compare all from source, on the Deno that runs this")
  .action(bench)
  .parseAsync(Deno.args, { from: "user" });
