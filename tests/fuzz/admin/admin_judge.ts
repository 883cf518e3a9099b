/**
 * What every answer of administration must be: documented, of the published shape, for those alone
 * who have the role, and silent about secrets, files and what is another project's.
 *
 * @module
 */

import { AnswerJudge } from "../judge/answer_judge.ts";
import type { FuzzAnswer } from "../send_case.ts";
import type { AdminCase } from "./admin_case.ts";
import { type AdminOperation, type AdminWorld, OWN } from "./admin_world.ts";

/** Told of the files of the gateway's machine. */
const RUN_IT: ReadonlySet<string> = new Set(["owner", "operator"]);
/** Let in by nobody. */
const NOBODY: ReadonlySet<string> = new Set(["stranger", "outcast"]);
/** Refusals before anybody is asked who he is. */
const BEFORE_ROLES: ReadonlySet<number> = new Set([400, 404, 405, 413, 415, 431]);

/** What asks an upstream, which need not answer. */
const ASKS_OUTSIDE: ReadonlySet<string> = new Set(["providers.models"]);

export class AdminJudge {
  readonly #world: AdminWorld;
  readonly #answers: AnswerJudge;

  constructor(world: AdminWorld) {
    this.#world = world;
    this.#answers = new AnswerJudge(world.document);
  }

  /** Sentences; none for an answer that is as it should be. */
  faults(
    asked: AdminCase,
    answer: FuzzAnswer,
    { method, operation }: {
      readonly method: string;
      /** What the request is for in the end, whatever it was made for; absent: nothing. */
      readonly operation: AdminOperation | undefined;
    },
  ): readonly string[] {
    const { role } = asked;
    const mayFail = operation !== undefined && ASKS_OUTSIDE.has(operation.id);
    const manner = { isHead: method === "HEAD", mayFail, isFirst: true };
    // Nobody is told what there is before he is let in.
    const isUnknown = operation === undefined && answer.status === 401;
    const about = `${operation?.id ?? "nothing"} as ${role}`;
    return [
      ...(isUnknown ? [] : this.#answers.faults(answer, operation, manner)),
      ...this.#rightsFaults(asked, answer, operation),
      ...this.#leaks(asked, answer),
    ].map((one) => `${about}: ${one}`);
  }

  #rightsFaults(
    { role, isFitting }: AdminCase,
    { status, body }: FuzzAnswer,
    operation: AdminOperation | undefined,
  ): readonly string[] {
    if (NOBODY.has(role)) {
      return status === 401 || BEFORE_ROLES.has(status) && !isFitting ? [] : ["it lets him in"];
    }
    if (operation === undefined) return status < 400 ? ["there is nothing to be done"] : [];
    if (operation.roles.includes(role)) {
      return /ROLE_NOT_ALLOWED/.test(body) ? ["the document says that the role may"] : [];
    }
    if (status < 400) return ["the role may not"];
    return isFitting && status !== 403 ? ["the role may not, and that is not said"] : [];
  }

  #leaks({ bytes, role }: AdminCase, { headers, body }: FuzzAnswer): readonly string[] {
    const { world, ids, secrets } = this.#world;
    const asked = new TextDecoder("latin1").decode(bytes);
    const told = `${[...headers].flat().join("\n")}\n${body}`;
    const tells = (words: string) => told.includes(words) && !asked.includes(words);
    const faults = Object.entries(secrets).filter(([, secret]) => told.includes(secret))
      .map(([name]) => `it tells ${name}`);
    const { dataDir, cwd } = world.gateway.server;
    if (!RUN_IT.has(role) && [dataDir, cwd].some(tells)) faults.push("it tells where files are");
    if (role === "member") {
      const foreign = [...ids.strangers(OWN), "theirs"].filter(tells);
      faults.push(...foreign.slice(0, 2).map((words) => `it tells a member of ${words}`));
    }
    return faults;
  }
}
