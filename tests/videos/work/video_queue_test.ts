import assert from "node:assert/strict";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { estimateContentBytes } from "../../../src/videos/files/content_bytes.ts";
import { MinHeap } from "../../../src/videos/work/min_heap.ts";
import { TurnRing } from "../../../src/videos/task/turn_ring.ts";
import type { VideoLine } from "../../../src/videos/work/video_queue.ts";
import { VideoQueue } from "../../../src/videos/work/video_queue.ts";
import { seededRandom } from "../../support/catalogue_parts.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Tasks as words: `a1` is the first of project `a`; routes and jobs by suffix. */
function task(name: string, parts: Partial<VideoTask> = {}): VideoTask {
  return {
    id: name,
    projectId: name[0]!,
    callId: Number(name.slice(1)),
    provider: "acme",
    route: "acme/film",
    job: undefined,
    notBefore: 0,
    size: "640x360",
    seconds: 1,
    ...parts,
  } as VideoTask;
}

function queueOf(names: string, tasksPerProject = 100): { queue: VideoQueue; clock: FakeClock } {
  const clock = new FakeClock();
  const queue = new VideoQueue({ clock, tasksPerProject, bytesToCome: estimateContentBytes });
  for (const name of names.split(" ")) queue.put(task(name));
  return { queue, clock };
}

const always = () => true;
const contentBytes = () => Infinity;

function drain(queue: VideoQueue, hasRoom: (line: VideoLine) => boolean = always): string {
  const names: string[] = [];
  for (;;) {
    const next = queue.next({ hasRoom, isOpenTo: always, contentBytes });
    if (next === undefined) return names.join(" ");
    names.push(next.id);
  }
}

for (
  const [says, waiting, order] of [
    ["oldest first within a project", "a3 a1 a2", "a1 a2 a3"],
    ["one of each project in turn", "a1 a2 a3 a4 b5 b6 c7", "a1 b5 c7 a2 b6 a3 a4"],
    ["a latecomer's first after one of each other", "a1 a2 a3 b9", "a1 b9 a2 a3"],
  ] as const
) {
  Deno.test(`VideoQueue.next() gives ${says}`, () => {
    assert.equal(drain(queueOf(waiting).queue), order);
  });
}

Deno.test("VideoQueue.next() gives lines their turns, and jobs under way before all others", () => {
  const { queue } = queueOf("a1 a2 b3");
  queue.put(task("a4", { route: "zeta/film" }));
  queue.put(task("a5", { route: "zeta/film" }));
  queue.put(task("b6", { job: { id: "j", keyReference: undefined, startedAt: 0 } }));
  assert.equal(drain(queue), "b6 a1 a4 b3 a5 a2");
});

Deno.test("VideoQueue.next() follows those that were moved, and gives other projects their turns", () => {
  const { queue } = queueOf("a1 a2 b3 b4");
  queue.put(task("a5", { movedTo: 0 }));
  queue.put(task("a6", { movedTo: 1.5 }));
  assert.equal(drain(queue), "a5 b3 a1 b4 a6 a2");
});

Deno.test("VideoQueue.next() passes over lines without room, and asks each of them once", () => {
  const { queue } = queueOf("a1 b2");
  queue.put(task("c3", { route: "zeta/film" }));
  const asked: string[] = [];
  const hasRoom = ({ route }: VideoLine) => {
    asked.push(route);
    return route === "zeta/film";
  };
  assert.equal(queue.next({ hasRoom, isOpenTo: always, contentBytes })?.id, "c3");
  assert.equal(queue.next({ hasRoom, isOpenTo: always, contentBytes }), undefined);
  assert.equal(asked.filter((route) => route === "acme/film").length, 2);
  assert.equal(queue.size, 2);
});

Deno.test("VideoQueue.next() passes over a project that a line is shut for, and no other", () => {
  const { queue } = queueOf("a1 a2 b3 c4");
  const isOpenTo = (_line: VideoLine, projectId: string) => projectId !== "a";
  const next = () => queue.next({ hasRoom: always, isOpenTo, contentBytes })?.id;
  assert.deepEqual([next(), next(), next()], ["b3", "c4", undefined]);
  assert.equal(drain(queue), "a1 a2");
});

Deno.test("VideoQueue.next() sets aside what does not fit, for what does, until it is let in again", () => {
  const { queue } = queueOf("a1 b2", 2);
  queue.put(task("a3", { seconds: 10 }));
  queue.put(task("b4", { seconds: 10 }));
  queue.put(task("b5", { seconds: 10 }));
  queue.remove("a1");
  queue.put(task("a6", { seconds: 5 }));
  const bytes = (seconds: number) => () => estimateContentBytes({ size: "640x360", seconds });
  const next = (seconds: number) =>
    queue.next({ hasRoom: always, isOpenTo: always, contentBytes: bytes(seconds) })?.id;
  assert.equal(next(0), undefined);
  assert.equal(queue.hasTooLarge, false, "without any room nobody is asked");
  assert.deepEqual([next(4), next(4)], ["b2", undefined]);
  assert.deepEqual([queue.size, queue.hasTooLarge], [4, true]);
  queue.readmit(bytes(4)());
  assert.equal(next(20), undefined, "set aside until it is let in again");
  queue.readmit(bytes(15)());
  const room = { hasRoom: always, isOpenTo: always, contentBytes: bytes(15) };
  const admitted = [queue.next(room)?.id, queue.next(room)?.id];
  assert.equal(admitted[0], "a6");
  assert.equal(queue.next(room), undefined, "no more than fit together");
  for (const id of ["a3", "b4", "b5"]) queue.remove(id);
  assert.deepEqual([queue.size, queue.hasTooLarge], [0, false]);
});

Deno.test("VideoQueue.next() leaves a project at its cap until one of its attempts ends", () => {
  const { queue } = queueOf("a1 a2 a3 a4 b5", 2);
  assert.equal(drain(queue), "a1 b5 a2");
  queue.leave("b");
  assert.equal(drain(queue), "");
  queue.leave("a");
  assert.equal(drain(queue), "a3");
  queue.put(task("a9", { route: "zeta/film" }));
  assert.equal(drain(queue), "");
  queue.leave("a");
  queue.leave("a");
  assert.equal(drain(queue), "a4 a9");
});

Deno.test("VideoQueue.remove() takes a task out, wherever it waits", () => {
  const { queue, clock } = queueOf("a1 a2 b3");
  queue.put(task("b4", { notBefore: clock.now() + 5_000 }));
  for (const id of ["a1", "b3", "b4", "none"]) queue.remove(id);
  assert.equal(queue.size, 1);
  assert.equal(queue.nextDueMs(), undefined);
  assert.equal(drain(queue), "a2");
  queue.put(task("a1"));
  assert.equal(drain(queue), "a1");
});

Deno.test("VideoQueue.put() replaces an earlier state of the task", () => {
  const { queue } = queueOf("a1 a2");
  queue.put(task("a1", { route: "zeta/film" }));
  assert.equal(drain(queue, ({ route }) => route === "zeta/film"), "a1");
  assert.equal(drain(queue), "a2");
});

Deno.test("VideoQueue.next() gives no task before its time, and every task at it", () => {
  const { queue, clock } = queueOf("a1");
  queue.put(task("a0", { notBefore: clock.now() + 5_000 }));
  assert.equal(drain(queue), "a1");
  assert.equal(queue.nextDueMs(), 5_000);
  clock.advance(4_999);
  assert.equal(drain(queue), "");
  clock.advance(1);
  assert.equal(drain(queue), "a0");
  assert.equal(queue.nextDueMs(), undefined);
});

Deno.test("VideoQueue.put() puts no task off for days when the clock was set back", () => {
  const { queue, clock } = queueOf("a1");
  clock.setWall(clock.now() - 2 * 86_400_000);
  queue.put(task("a2", { notBefore: clock.now() + 2 * 86_400_000 }));
  clock.advance(600_000);
  assert.equal(drain(queue), "a1 a2");
});

Deno.test("VideoQueue gives every task once and fairly, whatever is put and removed", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    const { queue, clock } = queueOf("z0", 3);
    const waiting = new Set(["z0"]);
    const running: string[] = [];
    for (let step = 1; step <= 2_000; step++) {
      const name = `${"abcdefgh"[Math.floor(random() * 8)]}${step}`;
      const choice = random();
      if (choice < 0.4) {
        const notBefore = random() < 0.3 ? clock.now() + Math.floor(random() * 20) : 0;
        const route = random() < 0.5 ? "acme/film" : "zeta/film";
        queue.put(task(name, { notBefore, route }));
        waiting.add(name);
      } else if (choice < 0.5) {
        const [any] = waiting;
        if (any !== undefined) queue.remove(any);
        if (any !== undefined) waiting.delete(any);
      } else if (choice < 0.75) {
        const next = queue.next({ hasRoom: always, isOpenTo: always, contentBytes });
        if (next === undefined) continue;
        assert.ok(waiting.delete(next.id), `${next.id} was not waiting`);
        running.push(next.projectId);
        assert.ok(running.filter((id) => id === next.projectId).length <= 3);
      } else if (running.length > 0) {
        queue.leave(running.splice(Math.floor(random() * running.length), 1)[0]!);
      }
      assert.equal(queue.size, waiting.size);
      clock.advance(1);
    }
    clock.advance(1_000);
    while (waiting.size > 0) {
      for (const projectId of running.splice(0)) queue.leave(projectId);
      const next = queue.next({ hasRoom: always, isOpenTo: always, contentBytes });
      assert.ok(next !== undefined, `${waiting.size} tasks are stuck`);
      assert.ok(waiting.delete(next.id));
      running.push(next.projectId);
    }
  }
});

Deno.test("VideoQueue.next() asks no more of 10,000 tasks of 1,000 projects than of 10", () => {
  for (const projects of [10, 1_000]) {
    const queue = new VideoQueue({
      clock: new FakeClock(),
      tasksPerProject: 100,
      bytesToCome: estimateContentBytes,
    });
    for (let index = 0; index < projects * 10; index++) {
      const projectId = `p${index % projects}`;
      queue.put(task(`a${index}`, { projectId }));
    }
    let asked = 0;
    const served = new Set<string>();
    for (let turn = 0; turn < projects; turn++) {
      served.add(
        queue.next({ hasRoom: () => ++asked > 0, isOpenTo: always, contentBytes })!.projectId,
      );
    }
    assert.equal(served.size, projects);
    assert.equal(asked, projects);
  }
});

Deno.test("TurnRing gives turns to whoever is in", () => {
  const ring = new TurnRing<string>();
  assert.equal(ring.turn(), undefined);
  for (const member of ["a", "b", "c", "b"]) ring.add(member);
  assert.deepEqual([1, 2, 3, 4].map(() => ring.turn()), ["a", "b", "c", "a"]);
  ring.remove("b");
  ring.add("d");
  assert.deepEqual([1, 2, 3, 4].map(() => ring.turn()), ["c", "a", "d", "c"]);
  for (const member of ["a", "c", "d", "d"]) ring.remove(member);
  assert.equal(ring.size, 0);
  assert.equal(ring.turn(), undefined);
});

Deno.test("MinHeap gives its items in order", () => {
  const random = seededRandom(7);
  const heap = new MinHeap<number>((item) => item);
  const items = Array.from({ length: 500 }, () => Math.floor(random() * 300));
  for (const item of items) heap.push(item);
  assert.equal(heap.first, Math.min(...items));
  assert.deepEqual(items.map(() => heap.pop()), items.toSorted((a, b) => a - b));
  assert.equal(heap.pop(), undefined);
  assert.equal(heap.first, undefined);
});
