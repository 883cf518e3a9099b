/**
 * Fuzzes the administration of the program: sends cases one after the other, judges what comes back,
 * and what it has changed.
 *
 * @module
 */

import { SeededRandom } from "../../support/seeded_random.ts";
import { ledgerDifferences } from "../../torture/books/ledger_differences.ts";
import { OperationFinder } from "../api_operation.ts";
import { utf8 } from "../judge/answer_judge.ts";
import { FaultList } from "../judge/fault_list.ts";
import { type FuzzAnswer, sendCase } from "../send_case.ts";
import { Tally } from "../tally.ts";
import { type AdminCase, plainAdminCase, randomAdminCase } from "./admin_case.ts";
import { AdminJudge } from "./admin_judge.ts";
import { AdminState } from "./admin_state.ts";
import { type AdminRole, AdminWorld, type AdminWorldOptions } from "./admin_world.ts";

/** Reads that are noted: who has looked at what was said. */
const NOTED_READS: ReadonlySet<string> = new Set(["calls.content"]);

/** How to fuzz. */
export interface AdminFuzzOptions extends AdminWorldOptions {
  readonly seed: number;
  /** Cases, the first of which do each operation once. */
  readonly cases: number;
}

/** What came of it. */
export interface AdminFuzzReport {
  readonly cases: number;
  readonly tally: Tally;
  /** Answers by who asked. */
  readonly byRole: ReadonlyMap<AdminRole, number>;
  /** Refused requests after which everything was found as it was before. */
  readonly refused: number;
  /** Sentences about what should hold and does not. */
  readonly faults: readonly string[];
}

export async function runAdminFuzz(options: AdminFuzzOptions): Promise<AdminFuzzReport> {
  await using world = await AdminWorld.start(options);
  return await new AdminFuzzRun(world, options).run();
}

class AdminFuzzRun {
  readonly #world: AdminWorld;
  readonly #options: AdminFuzzOptions;
  readonly #random: SeededRandom;
  readonly #tally: Tally;
  readonly #judge: AdminJudge;
  readonly #finder: OperationFinder;
  readonly #byRole = new Map<AdminRole, number>();
  readonly #faults = new FaultList();
  #refused = 0;

  constructor(world: AdminWorld, options: AdminFuzzOptions) {
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(options.seed, "admin fuzz");
    this.#tally = new Tally(world.operations);
    this.#judge = new AdminJudge(world);
    this.#finder = new OperationFinder(world.operations);
  }

  async run(): Promise<AdminFuzzReport> {
    const { world: { gateway: { server } } } = this.#world;
    {
      using state = new AdminState(server.dataDir);
      for (let number = 1; number <= this.#options.cases && !server.hasEnded; number++) {
        if (number === this.#world.operations.length + 1) await this.#world.settled();
        const one = this.#make(number);
        // What went on by itself since the last case is nobody's.
        state.changes();
        const { answers: [answer], fault } = await sendCase(one, this.#world.address);
        if (fault !== undefined) this.#faults.ofCase(number, one, fault);
        if (answer === undefined) this.#faults.ofCase(number, one, "there is no answer");
        else this.#judgeAnswer(number, one, { answer, state });
      }
    }
    await this.#judgeEnd();
    return {
      cases: this.#options.cases,
      tally: this.#tally,
      byRole: this.#byRole,
      refused: this.#refused,
      faults: this.#faults.all,
    };
  }

  #make(number: number): AdminCase {
    const { operations } = this.#world;
    const plain = operations[number - 1];
    if (plain !== undefined) return plainAdminCase(plain, this.#world);
    const random = this.#random.of(`case ${number}`);
    return randomAdminCase(operations[number % operations.length]!, this.#world, random);
  }

  #judgeAnswer(
    number: number,
    one: AdminCase,
    { answer, state }: { readonly answer: FuzzAnswer; readonly state: AdminState },
  ): void {
    const text = new TextDecoder("latin1").decode(one.bytes);
    const [method = "", target = ""] = text.slice(0, text.indexOf("\r\n")).split(" ");
    const id = this.#finder.find(method, target)?.id;
    const operation = this.#world.operations.find((known) => known.id === id);
    this.#tally.answered(id, answer.status);
    this.#byRole.set(one.role, (this.#byRole.get(one.role) ?? 0) + 1);
    for (const sentence of this.#judge.faults(one, answer, { method, operation })) {
      this.#faults.ofCase(number, one, sentence);
    }
    // At first there is something that goes on by itself.
    const isPlain = number <= this.#world.operations.length;
    const isRead = method === "GET" && !NOTED_READS.has(id ?? "");
    if (!isPlain && (answer.status >= 400 || isRead)) {
      const changed = state.changes();
      if (changed.length > 0) {
        const what = `${id ?? "nothing"} was answered ${answer.status} and changed`;
        this.#faults.ofCase(number, one, `${what} ${changed.join(", ")}`);
      }
      if (answer.status >= 400) this.#refused++;
    }
    if (answer.status < 300 && method !== "HEAD") this.#learn(one, answer);
  }

  /** What there is now, and which secrets were made: they are told once. */
  #learn({ operation: { id } }: AdminCase, { body }: FuzzAnswer): void {
    const { secrets, ids } = this.#world;
    const value = JSON.parse(utf8(body));
    ids.learn(value);
    if (value.deleted === true) ids.forget(String(value.id));
    const { key, token, secret } = value as Readonly<Record<string, unknown>>;
    for (const made of [key, token, secret]) {
      if (typeof made !== "string" || !/^(?:sk-tg-|at-tg-|whsec_)/.test(made)) continue;
      secrets[`what ${id} once made ${made.slice(0, 10)}`] = made;
    }
  }

  async #judgeEnd(): Promise<void> {
    const { world: { gateway: { server } } } = this.#world;
    if (server.hasEnded) this.#faults.add("the process has ended");
    this.#faults.add(...await ledgerDifferences(server.dataDir));
    this.#faults.ofEnd(await server.stop());
  }
}
