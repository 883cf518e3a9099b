/**
 * Fuzzes the program: sends cases, judges what comes back, and looks at what is left when all is
 * quiet.
 *
 * @module
 */

import { SeededRandom } from "../support/seeded_random.ts";
import { until } from "../support/until.ts";
import { checkBookRows } from "../torture/books/check_books.ts";
import { ledgerDifferences } from "../torture/books/ledger_differences.ts";
import { quietBooks } from "../torture/books/quiet_books.ts";
import { OperationFinder } from "./api_operation.ts";
import type { FuzzCase } from "./fuzz_case.ts";
import { FAILING_MODELS } from "./fuzz_catalogue.ts";
import { FuzzWorld } from "./fuzz_world.ts";
import { plainCase } from "./generate/plain_case.ts";
import { schemaCase } from "./generate/schema_case.ts";
import { AnswerJudge } from "./judge/answer_judge.ts";
import { FaultList } from "./judge/fault_list.ts";
import { vitalSigns } from "./judge/vital_signs.ts";
import { mutatedCase } from "./mutate/mutated_case.ts";
import { type Returned, sendCase } from "./send_case.ts";
import { Tally } from "./tally.ts";

const WORKERS = 12;
/** Cases before the memory is looked at for the first time: caches are full then. */
const WARM_SHARE = 0.3;
const MUTATED_SHARE = 0.4;
/** Between a third of the cases and all of them; a leak of a few kB a case is more. */
const MOST_MB = 120;
const MOST_FILES = 6;
/** Of failing models by name, for requests that reach them: a cut stream is no fault of ours. */
const FAILING = new RegExp(`(?:${FAILING_MODELS.join("|")})`);

/** How to fuzz. */
export interface FuzzOptions {
  readonly seed: number;
  /** Cases; fewer when the time is over first. */
  readonly cases: number;
  /** Default: as long as it takes. */
  readonly withinMs?: number;
  /** Told now and then how far it is. */
  readonly note?: (line: string) => void;
}

/** What came of it. */
export interface FuzzReport {
  readonly cases: number;
  readonly operations: number;
  readonly tally: Tally;
  /** Ids of operations with a body that no client was recorded at. */
  readonly unrecorded: readonly string[];
  /** Sentences about what should hold and does not. */
  readonly faults: readonly string[];
  /** What was looked at beside the answers. */
  readonly figures: readonly string[];
}

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  await using world = await FuzzWorld.start();
  return await new FuzzRun(world, options).run();
}

class FuzzRun {
  readonly #world: FuzzWorld;
  readonly #options: FuzzOptions;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  readonly #judge: AnswerJudge;
  readonly #finder: OperationFinder;
  readonly #faults = new FaultList();
  readonly #refused = new Set<string>();
  #begun = 0;

  constructor(world: FuzzWorld, options: FuzzOptions) {
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(options.seed, "fuzz");
    this.#tally = new Tally(world.operations);
    this.#judge = new AnswerJudge(world.document);
    this.#finder = new OperationFinder(world.operations);
  }

  async run(): Promise<FuzzReport> {
    const { cases, withinMs = Infinity } = this.#options;
    const deadline = performance.now() + withinMs;
    await this.#send(Math.ceil(cases * WARM_SHARE), deadline);
    await this.#quiet();
    const before = await vitalSigns(this.#world.process);
    await this.#send(cases, deadline);
    await this.#quiet();
    const figures = await this.#judgeWhatIsLeft(before);
    return {
      cases: this.#begun,
      operations: this.#world.operations.length,
      tally: this.#tally,
      unrecorded: this.#unrecorded(),
      faults: this.#faults.all,
      figures,
    };
  }

  #unrecorded(): readonly string[] {
    const { recorded, operations } = this.#world;
    const heard = new Set(recorded.map(({ bytes }) => {
      const line = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
      const [method = "", target = ""] = line.split(" ");
      return this.#finder.find(method, target)?.id;
    }));
    // Clients are recorded at the usual prefix.
    return operations.filter(({ id, path, bodies }) =>
      /^\/v\d/.test(path) && bodies.length > 0 && !heard.has(id)
    ).map(({ id }) => id);
  }

  /** Sends cases until `upTo` of them are begun. */
  async #send(upTo: number, deadline: number): Promise<void> {
    await Promise.all(Array.from({ length: WORKERS }, async () => {
      while (this.#begun < upTo && performance.now() < deadline) {
        const number = ++this.#begun;
        const one = this.#make(number);
        this.#judgeCase(number, one, await sendCase(one, this.#world.address));
        if (number % 1_000 === 0) this.#options.note?.(`${number} cases`);
      }
    }));
  }

  /** What a case is depends on its number and on the ids that exist. */
  #make(number: number): FuzzCase {
    const { operations, recorded, ids, keys } = this.#world;
    const plain = operations[number - 1];
    if (plain !== undefined) return plainCase(plain, { ids, key: keys.paying });
    const random = this.#random.of(`case ${number}`);
    if (random.chance(MUTATED_SHARE)) return mutatedCase(recorded, random);
    return schemaCase(operations[number % operations.length]!, { random, ids, keys });
  }

  #judgeCase(number: number, one: FuzzCase, { answers, fault }: Returned): void {
    const text = new TextDecoder("latin1").decode(one.bytes);
    const [method = "", target = ""] = text.slice(0, text.indexOf("\r\n")).split(" ");
    const mayFail = FAILING.test(text);
    if (fault !== undefined && !mayFail) this.#faults.ofCase(number, one, fault);
    if (answers.length === 0) {
      this.#tally.unanswered();
      if (one.isWhole && fault === undefined && !mayFail) {
        this.#faults.ofCase(number, one, "there is no answer");
      }
    }
    for (const [index, answer] of answers.entries()) {
      const requestId = answer.headers.get("x-request-id");
      if (answer.status >= 400 && requestId !== undefined) this.#refused.add(requestId);
      else this.#world.ids.learn(requestId, answer.body);
      // What follows the first answer is for a request that begins somewhere within the bytes.
      const isFirst = index === 0;
      const operation = isFirst ? this.#finder.find(method, target) : undefined;
      this.#tally.answered(operation?.id, answer.status);
      const manner = { isHead: isFirst && method === "HEAD", mayFail, isFirst };
      for (const sentence of this.#judge.faults(answer, operation, manner)) {
        this.#faults.ofCase(number, one, sentence);
      }
    }
  }

  /** Until no call, film or connection is under way. */
  async #quiet(): Promise<void> {
    const { gateway, process: { dataDir } } = this.#world;
    await quietBooks(dataDir, 120_000);
    await until("an idle process", async () => {
      const { status } = await fetch(`${gateway.url}/healthz`);
      return status === 200;
    });
  }

  async #judgeWhatIsLeft(
    before: Awaited<ReturnType<typeof vitalSigns>>,
  ): Promise<readonly string[]> {
    const { gateway, process } = this.#world;
    const after = await vitalSigns(process);
    const rows = await quietBooks(process.dataDir);
    const grownMb = after.memoryMb - before.memoryMb;
    const grownFiles = after.openFiles - before.openFiles;
    const require = (holds: boolean, sentence: string) => {
      if (!holds) this.#faults.add(sentence);
    };
    require(grownMb <= MOST_MB, `the memory grew by ${grownMb.toFixed(1)} MB`);
    require(grownFiles <= MOST_FILES, `${grownFiles} more files are open than at a third`);
    require(rows.calls.every(({ state }) => state !== "open"), "calls are still open");
    for (const { id, held } of rows.projects) require(held === 0n, `${id} still holds ${held}`);
    const chargedIds = rows.calls.filter(({ charged }) => charged > 0n);
    for (const { requestId, charged } of chargedIds) {
      require(!this.#refused.has(requestId), `${requestId} was refused and charged ${charged}`);
    }
    // A request is at most one call, and leaves nothing else behind that a call has not.
    const most = this.#begun * 2 + 1_000;
    for (const [table, count] of after.rows) {
      require(count <= most, `the table ${table} has ${count} rows`);
    }
    this.#faults.add(...checkBookRows(rows), ...await ledgerDifferences(process.dataDir));
    this.#faults.ofEnd(await gateway.server.stop());
    return [
      `memory ${before.memoryMb.toFixed(0)} MB at a third, ${
        after.memoryMb.toFixed(0)
      } MB at the end`,
      `open files ${before.openFiles} at a third, ${after.openFiles} at the end`,
      `calls in the books ${rows.calls.length}, charged ${chargedIds.length}, ` +
      `refused requests ${this.#refused.size}, charged for none of them`,
    ];
  }
}
