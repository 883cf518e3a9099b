/**
 * R19: the circuit breaker of a route, by a clock that the test moves on.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { FakedClock } from "../faked_clock.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedCatalogue } from "../tagged_calls.ts";

const OPEN_SECONDS = 30;
/** More than the second between two looks at a last route. */
const LOOK_SECONDS = 2;
const AT_ONCE = 50;
/** A probe is out for so long, while others come. */
const PROBE_MS = 400;

export const row: ScorecardRow = {
  id: "R19",
  title: "breaker",
  tools: ["libfaketime"],
  seededBug: {
    name: "everyone_probes",
    says: "everyone who comes when a probe is due is let through, not one",
    edits: [{
      file: "src/routing/project_trouble.ts",
      find: "this.#probeSince = this.lastLook = now;",
      replace: "    this.#openUntil = 0;",
    }],
  },
  async run({ size, folder, note }) {
    const rounds = size.pick({ commit: 2, full: 10 });
    const found = new RowFinding(
      `${rounds} times: opened, probed in vain, probed well; ${AT_ONCE} calls at once each`,
    );
    const clock = new FakedClock(folder, { moves: "all" });
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using gateway = await serveGateway({
      env: {
        ...clock.env,
        // Several threads hear of each other's attempts within milliseconds, and these come at once.
        TOLLGATE_THREADS: "1",
        // The clock's jumps would end connections at the very moment of their next request.
        TOLLGATE_KEEP_ALIVE_MS: "86400000",
        TOLLGATE_HEADER_TIMEOUT_MS: "86400000",
      },
      catalogue: taggedCatalogue(upstream.url),
    });
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    let tag = 0;
    /** How the calls were answered, and how many attempts came of them. */
    const send = async (count: number, act: UpstreamAct) => {
      const before = upstream.arrived;
      const answers = await Promise.all(Array.from({ length: count }, async () => {
        const content = scriptPrompt({ tag: ++tag, acts: [act] });
        const body = { model: "m", max_tokens: 10, messages: [{ role: "user", content }] };
        const response = await gateway.chat(key, body);
        await response.body?.cancel();
        return { status: response.status, waitSeconds: response.headers.get("retry-after") };
      }));
      return { answers, attempts: upstream.arrived - before };
    };
    const refusesAll = async (when: string) => {
      const { answers, attempts } = await send(AT_ONCE, {});
      found.require(attempts === 0, `${attempts} attempts came ${when}`);
      for (const { status, waitSeconds } of answers) {
        const seconds = Number(waitSeconds);
        found.require(
          status === 503 && seconds >= 1 && seconds <= OPEN_SECONDS,
          `a call ${when} is answered ${status}, to come back in ${waitSeconds} s`,
        );
      }
    };

    let seconds = 0;
    const failures: number[] = [];
    const probes: number[] = [];
    const goes = (by: number) => clock.set(seconds += by);
    for (let round = 0; round < rounds; round++) {
      let attempts = 0;
      // Each of these calls is tried up to three times; the sixth attempt must not come.
      for (let call = 0; call < 6; call++) attempts += (await send(1, { status: 503 })).attempts;
      failures.push(attempts);
      await refusesAll("while the circuit is open");
      // The last route of a model: a call may look before the circuit's time, and one at it.
      for (const wait of [LOOK_SECONDS, OPEN_SECONDS]) {
        goes(wait);
        probes.push((await send(AT_ONCE, { status: 503, delayMs: PROBE_MS })).attempts);
        await refusesAll(`after a probe in vain, ${wait} s after the last`);
      }
      goes(LOOK_SECONDS);
      const good = await send(AT_ONCE, { delayMs: PROBE_MS });
      probes.push(good.attempts);
      const served = good.answers.filter(({ status }) => status === 200).length;
      found.require(served === 1, `${served} calls were served while one probed`);
      const after = await send(AT_ONCE, {});
      const refused = after.answers.filter(({ status }) => status !== 200).length;
      found.require(refused === 0, `${refused} calls were refused after a probe that went well`);
      note(`R19 round ${round + 1} of ${rounds}: ${attempts} failures, probes ${probes.slice(-2)}`);
    }
    found.count("failures until it opens", Math.max(...failures), { exactly: 5 });
    found.count("fewest", Math.min(...failures), { exactly: 5 });
    found.count("attempts for a probe", Math.max(...probes), { exactly: 1 });
    found.count("probes that never came", probes.filter((count) => count === 0).length, {
      exactly: 0,
    });
    found.requireNone(checkBookRows(await quietBooks(gateway.server.dataDir)));
    return found;
  },
};
