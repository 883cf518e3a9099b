import assert from "node:assert/strict";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { estimateContentBytes } from "../../../src/videos/files/content_bytes.ts";
import {
  ContentQuota,
  type QuotaRules,
  SPARED_MS,
} from "../../../src/videos/keep/content_quota.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { VideoWorld } from "../../support/video_world.ts";

/** What a film of the world is promised. */
const FILM = estimateContentBytes({ size: "640x360", seconds: 4 });

async function scene(rules: Partial<QuotaRules>, { hasOthers = false } = {}) {
  const world = await VideoWorld.create({ projects: ["p", "q", "r"] });
  const { book } = await world.start({ isIdle: true });
  const { clock } = world.timeline;
  const own = new Map<string, number>();
  const options = {
    ...{ book, clock, videos: world.storage.videos },
    hasOthers: () => hasOthers,
    ownQuotaOf: (projectId: string) => own.get(projectId),
  };
  const load = () =>
    ContentQuota.load({
      ...options,
      quotaBytes: undefined,
      projectQuotaBytes: undefined,
      ...rules,
    });
  let quota = await load();
  /** A film of the project that is kept. */
  async function film(projectId: string, parts: Partial<VideoTask> = {}): Promise<VideoTask> {
    const { id } = await world.create({ projectId });
    await book.change(id, () => ({ set: { status: "in_progress", attempt: 1 } }));
    const file = { bytes: FILM, sha256: "a".repeat(64), hasThumbnail: false, key: undefined };
    const completed = await book.change(id, (task) => ({
      set: { status: "completed", progress: 100, completedAt: clock.now(), file, ...parts },
      close: withdrawn(task).close!,
    }));
    return completed!;
  }
  return {
    ...{ world, book, clock, film, own },
    /** Whether a film of a project is refused; it is not made. */
    async refusal(projectId: string, bytes = FILM): Promise<string | undefined> {
      try {
        (await quota.promise(projectId, bytes))();
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    promise: (projectId: string) => quota.promise(projectId, FILM),
    reload: async () => void (quota = await load()),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

Deno.test("ContentQuota refuses what could not be kept, and promises nothing twice", async () => {
  await using at = await scene({ quotaBytes: 3 * FILM });
  await at.world.create();
  const ends = [await at.promise("p"), await at.promise("p")];
  assert.match((await at.refusal("p"))!, /operator's quota.*Nothing was stored or charged/);
  ends[0]!();
  ends[0]!();
  assert.equal(await at.refusal("p"), undefined);
  assert.match((await at.refusal("p", FILM + 1))!, /may go yet/);
  ends[1]!();
  assert.equal(await at.refusal("q", 2 * FILM), undefined);
  assert.match((await at.refusal("q", 3 * FILM + 1))!, /alone is larger/);
});

Deno.test("ContentQuota counts what may go: fetched, and an hour old", async () => {
  await using at = await scene({ quotaBytes: 2 * FILM });
  const young = await at.film("p", { fetchedAt: 1 });
  await at.film("p");
  assert.match((await at.refusal("p"))!, /none that could make room may go yet/);
  at.clock.advance(SPARED_MS - 1);
  assert.match((await at.refusal("p"))!, /may go yet/);
  at.clock.advance(1);
  assert.equal(await at.refusal("p"), undefined);
  assert.match((await at.refusal("p", FILM + 1))!, /may go yet/, "the other was never fetched");
  await at.reload();
  assert.equal(await at.refusal("p"), undefined, "after a start, too");
  await at.book.change(young.id, () => ({ set: { fileRemovedAt: 9, expiresAt: 9 } }));
  assert.equal(await at.refusal("p"), undefined);
});

Deno.test("ContentQuota lets nobody make room with films of projects within their share", async () => {
  await using at = await scene({ quotaBytes: 4 * FILM });
  for (let count = 0; count < 2; count++) await at.film("q", { fetchedAt: 1 });
  at.clock.advance(SPARED_MS);
  for (let count = 0; count < 2; count++) await at.film("p", { fetchedAt: 1 });
  assert.match((await at.refusal("p"))!, /may go yet/, "what p has is young, q has its share");
  assert.equal(await at.refusal("q"), undefined, "q gives up its own");
  // With a third project the share is smaller, and q has more than that.
  assert.equal(await at.refusal("r", FILM / 2), undefined);
  assert.match((await at.refusal("r"))!, /may go yet/);
});

Deno.test("ContentQuota holds each project to its own quota, whatever the others have", async () => {
  await using at = await scene({ projectQuotaBytes: 2 * FILM });
  await at.film("p");
  await at.world.create({ projectId: "p" });
  assert.match((await at.refusal("p"))!, /This project's films/);
  assert.equal(await at.refusal("q", 2 * FILM), undefined);
  assert.match((await at.refusal("q", 2 * FILM + 1))!, /alone is larger/);
});

Deno.test("ContentQuota lets no project take with unfetched films what others could have", async () => {
  await using at = await scene({ quotaBytes: 8 * FILM }, { hasOthers: true });
  for (let count = 0; count < 4; count++) {
    assert.equal(await at.refusal("p"), undefined);
    await at.film("p");
  }
  at.clock.advance(SPARED_MS);
  assert.match((await at.refusal("p"))!, /half of what the others leave.*Nothing was stored/);
  for (let count = 0; count < 2; count++) {
    assert.equal(await at.refusal("q"), undefined);
    await at.film("q");
  }
  assert.match((await at.refusal("q"))!, /half of what the others leave/);
  assert.equal(await at.refusal("r"), undefined);
  // What may go is in nobody's way.
  const fetched = await at.film("r", { fetchedAt: 1 });
  at.clock.advance(SPARED_MS);
  assert.equal(await at.refusal("r"), undefined);
  assert.ok(fetched.fetchedAt);
});

Deno.test("ContentQuota leaves the quota to a project that is alone, or whose part the operator has set", async () => {
  for (
    const [rules, hasOthers] of [[{}, false], [{ projectQuotaBytes: 4 * FILM }, true]] as const
  ) {
    await using at = await scene({ quotaBytes: 4 * FILM, ...rules }, { hasOthers });
    for (let count = 0; count < 4; count++) {
      assert.equal(await at.refusal("p"), undefined);
      await at.film("p");
    }
    assert.match((await at.refusal("p"))!, /may go yet/);
  }
});

Deno.test("ContentQuota promises a project its first film, however small the quota", async () => {
  await using at = await scene({ quotaBytes: 1.5 * FILM }, { hasOthers: true });
  assert.equal(await at.refusal("p"), undefined);
  await at.film("q");
  assert.match((await at.refusal("p"))!, /may go yet/);
});

Deno.test("ContentQuota holds a project to its own quota, a smaller or a larger one", async () => {
  await using at = await scene({ quotaBytes: 8 * FILM, projectQuotaBytes: 2 * FILM }, {
    hasOthers: true,
  });
  at.own.set("p", FILM);
  at.own.set("q", 4 * FILM);
  at.own.set("r", 0);
  await at.film("p");
  assert.match((await at.refusal("p"))!, new RegExp(`This project's films.* ${FILM} bytes`));
  for (let count = 0; count < 4; count++) {
    assert.equal(await at.refusal("q"), undefined);
    await at.film("q");
  }
  assert.match((await at.refusal("q"))!, /This project's films/);
  assert.match((await at.refusal("r"))!, /alone is larger/);
  at.own.delete("p");
  assert.equal(await at.refusal("p"), undefined, "what all projects have");
});
