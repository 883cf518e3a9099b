/**
 * Two nodes that keep what calls said in one bucket, and share nothing else but a clock that both know.
 *
 * @module
 */

import type { Quotas } from "../../src/domain/account.ts";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { PromptObjects } from "../../src/prompts/prompt_objects.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { type AskedS3, FakeS3 } from "../support/fake_s3.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Of a bucket that other things are in, too. */
export const PREFIX = "tollgate/";

/** The nodes, and what is around them. */
export interface World {
  readonly s3: FakeS3;
  readonly clock: FakeClock;
  /** How far the clock of `there` is ahead of it, and how much less `there` knows of that. */
  readonly ahead: { ms: number; errorMs: number };
  /** Which node removes what is due. */
  readonly duty: { of: "here" | "there" };
  readonly quotas: { [project: string]: Quotas };
  readonly here: KeptPrompts;
  readonly there: KeptPrompts;
  /** Of `here`. */
  readonly place: PromptObjects;
  /** The files of `here`, of before there was a bucket. */
  readonly folder: string;
  /** Has one keep something now; gives when that is by its own clock. */
  readonly keep: (at: KeptPrompts, requestId: string, project?: string) => Promise<number>;
}

/** Runs a test with them. */
export async function withNodes(run: (world: World) => Promise<void>): Promise<void> {
  await using s3 = await FakeS3.start();
  const store = storeIn(s3);
  const clock = new FakeClock();
  const ahead = { ms: 0, errorMs: 0 };
  const duty: World["duty"] = { of: "there" };
  const quotas: { [project: string]: Quotas } = {
    shop: { promptDays: 3 },
    other: { promptDays: 9 },
  };
  const dir = await Deno.makeTempDir();
  const nodes: KeptPrompts[] = [];
  const places: PromptObjects[] = [];
  const nowOf = (name: World["duty"]["of"]) => clock.now() + (name === "there" ? ahead.ms : 0);
  const node = (name: World["duty"]["of"]) => {
    const files = new PromptFiles({ folder: `${dir}/${name}`, freeBytes: () => Infinity });
    const place = new PromptObjects({
      ...{ store, quick: store, prefix: PREFIX, files },
      monotonic: () => clock.now(),
      offset() {
        const { ms, errorMs } = ahead;
        return name === "here"
          ? { aheadMs: 0, errorMs: 0 }
          : { aheadMs: ms - errorMs, errorMs: Math.abs(errorMs) };
      },
      isChosen: () => Promise.resolve(duty.of === name),
      patienceMs: 0,
    });
    places.push(place);
    const own = { now: () => nowOf(name) };
    nodes.push(new KeptPrompts({ place, clock: own, daysOf: (id) => quotas[id]?.promptDays }));
    return nodes.at(-1)!;
  };
  const keep: World["keep"] = async (at, requestId, project = "shop") => {
    const now = nowOf(at === nodes[1] ? "there" : "here");
    give(at, { requestId, project, at: now, quotas: quotas[project]! });
    await at.flush();
    return now;
  };
  try {
    const [here, there] = [node("here"), node("there")];
    const place = places[0]!;
    await run({
      ...{ s3, clock, ahead, duty, quotas, here, there, place, keep },
      folder: `${dir}/here`,
    });
  } finally {
    await Promise.all(nodes.map((one) => one.stop()));
    await Deno.remove(dir, { recursive: true });
  }
}

/** The bucket; nothing is tried again. */
export function storeIn(s3: FakeS3): S3Bucket {
  const access = {
    endpoint: s3.endpoint,
    region: "us-east-1",
    keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
  };
  return new S3Bucket({ bucket: "films", access, waitsMs: [] });
}

/** Has it keep something, whenever it can. */
export function give(
  at: KeptPrompts,
  call: {
    readonly requestId: string;
    readonly project: string;
    readonly at: number;
    readonly quotas: Quotas;
    /** Hears that it is handed over to be packed. */
    readonly onPack?: () => void;
  },
): void {
  at.keep({
    project: { id: call.project, quotas: call.quotas },
    ...{ requestId: call.requestId, at: call.at, model: "m" },
    get path() {
      call.onPack?.();
      return "/chat/completions";
    },
    ...{ status: 200, state: "complete", request: { prompt: "Hello" }, requestBytes: 5 },
    answer: { form: "json", text: "{}", isCut: false },
  });
}

/** What it shows of a call. */
export function find(prompts: KeptPrompts, requestId: string, at: number, projectId = "shop") {
  return prompts.find({ projectId, requestId, at });
}

/** Keys of what is kept. */
export function keysOf(s3: FakeS3): readonly string[] {
  return [...s3.objects.keys()].filter((key) => !key.endsWith("/forgotten"));
}

/** Has requests of a kind wait: `isAsked` resolves with the first, all go on with `goOn`. */
export function holdBack(s3: FakeS3, isHeld: (asked: AskedS3) => boolean) {
  const isAsked = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  s3.hold = async (asked) => {
    if (!isHeld(asked)) return;
    isAsked.resolve();
    await going.promise;
  };
  return { isAsked: isAsked.promise, goOn: going.resolve };
}
