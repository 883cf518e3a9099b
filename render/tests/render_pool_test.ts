import assert from "node:assert/strict";
import { parseFilmFaults } from "../faults.ts";
import type { FilmOrder } from "../film_order.ts";
import { ImageError } from "../images/image_error.ts";
import { renderFilm } from "../render_film.ts";
import { createRenderPool, type RenderPool, type RenderPoolOptions } from "../render_pool.ts";
import { filmOrder } from "./film_orders.ts";
import { greyRows, pngFile } from "./images/png_file.ts";

const SMALL_IMAGE = pngFile(60, 40, greyRows(60, 40));
const SLOW = parseFilmFaults("video-2:slow-100");

Deno.test("render() gives the film that the order describes, and tells how far it is", async () => {
  await using renderer = openPool();
  const told: number[] = [];

  const made = await renderer.pool.render(filmOrder({ reference: SMALL_IMAGE }), {
    onProgress: (fraction) => told.push(fraction),
  });

  const expected = await renderFilm(filmOrder({ reference: SMALL_IMAGE }), {
    onProgress() {},
    stopped: () => false,
  });
  assert.deepEqual(made, expected);
  assert.equal(SMALL_IMAGE.length > 0, true, "the reference is still the caller's");
  assert.deepEqual(told, Array.from({ length: 24 }, (_, index) => (index + 1) / 24));
});

Deno.test("render() starts no more films at a time than there are Workers, in their order", async () => {
  await using renderer = openPool({ workers: 2 });
  const { pool } = renderer;
  const begun: string[] = [];
  const stops = new Map<string, AbortController>();
  const start = (name: string) => {
    const stop = new AbortController();
    stops.set(name, stop);
    const faults = parseFilmFaults("video-2:slow-20");
    return pool.render(filmOrder({ seconds: 12, faults }), {
      signal: stop.signal,
      onProgress: () => begun.includes(name) || begun.push(name),
    });
  };
  const names = ["first", "second", "third", "fourth"];
  const films = names.map(start).map((film) => film.catch(({ name }) => name));

  await until(() => begun.length === 2);
  assert.equal(pool.free, 0);
  assert.deepEqual(begun.toSorted(), ["first", "second"]);
  stops.get("first")!.abort();
  await until(() => begun.length === 3);
  assert.equal(begun[2], "third");

  stops.forEach((stop) => stop.abort());
  assert.deepEqual(await Promise.all(films), new Array(4).fill("AbortError"));
  assert.equal(pool.free, 2);
});

Deno.test("render() rejects with the signal's reason and has the Worker free for the next film", async () => {
  await using renderer = openPool();
  const stop = new AbortController();
  const reason = new Error("The task was deleted");

  const film = renderer.pool.render(filmOrder({ seconds: 12 }), {
    signal: stop.signal,
    onProgress: () => stop.abort(reason),
  });

  await assert.rejects(film, (error) => error === reason);
  await assert.rejects(renderer.pool.render(filmOrder(), { signal: stop.signal }), reason);
  assert.equal((await renderer.pool.render(filmOrder())).frames, 24);
  assert.equal(renderer.pool.abandoned, 0);
});

Deno.test("render() fails a film that cannot be made, and keeps its Worker", async () => {
  await using renderer = openPool();

  await assert.rejects(renderer.pool.render(faulty("fail")), {
    name: "RenderError",
    kind: "failed",
  });

  assert.equal((await renderer.pool.render(filmOrder())).frames, 24);
});

Deno.test("render() fails one film alone when its Worker crashes, and replaces the Worker", async () => {
  await using renderer = openPool({ workers: 2 });

  const [crashed, other] = await Promise.allSettled([
    renderer.pool.render(faulty("crash")),
    renderer.pool.render(filmOrder()),
  ]);

  assert.equal(crashed.status === "rejected" && crashed.reason.kind, "crashed");
  assert.equal(other.status, "fulfilled");
  assert.equal(renderer.pool.free, 2);
  assert.equal((await renderer.pool.render(filmOrder())).frames, 24);
  assert.equal(renderer.pool.abandoned, 0);
});

for (const ending of ["throws", "rejects", "exits", "reports"]) {
  Deno.test(`render() fails that film alone when its Worker ${ending}`, async () => {
    await using renderer = openPool({ entry: brokenWorker("ending_worker.ts") });

    await assert.rejects(renderer.pool.render(filmOrder({ prompt: ending })), {
      name: "RenderError",
      kind: "crashed",
      message: /^The render Worker ended in the middle of its work: /,
    });

    assert.equal(renderer.pool.free, 1);
  });
}

Deno.test("render() fails that film alone when its Worker's memory is full", async () => {
  await using renderer = openPool({ entry: brokenWorker("ending_worker.ts"), silenceMs: 5000 });

  // Its memory is bounded and given back, but not every runtime says that the Worker ended.
  await assert.rejects(renderer.pool.render(filmOrder({ prompt: "eats memory" })), {
    name: "RenderError",
    kind: /crashed|abandoned/,
  });

  assert.equal(renderer.pool.free, 1);
});

Deno.test("render() abandons a Worker that stops answering, says so and replaces it", async () => {
  await using renderer = openPool({ silenceMs: 3000 });

  await assert.rejects(renderer.pool.render(faulty("stall")), {
    name: "RenderError",
    kind: "abandoned",
    message: "A render Worker sent nothing for 3000 ms",
  });

  assert.deepEqual(renderer.told, ["A render Worker sent nothing for 3000 ms"]);
  assert.equal(renderer.pool.abandoned, 1);
  assert.equal((await renderer.pool.render(filmOrder())).frames, 24);
  await until(() => renderer.pool.lingering === 0);
  assert.equal(renderer.pool.abandoned, 1);
});

Deno.test("render() abandons a Worker that goes on after it was told to stop", async () => {
  await using renderer = openPool({ entry: brokenWorker("deaf_worker.ts"), stopMs: 100 });
  const stop = new AbortController();

  const film = renderer.pool.render(filmOrder(), {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });

  await assert.rejects(film, { name: "RenderError", kind: "abandoned" });
  assert.deepEqual(renderer.told, [
    "A render Worker went on for 100 ms after it was told to stop",
  ]);
});

Deno.test("render() throws an ImageError when the reference cannot be used", async () => {
  await using renderer = openPool();
  const reference = SMALL_IMAGE.slice(0, 50);

  await assertRefused(renderer.pool.render(filmOrder({ reference })), "corrupt");
});

Deno.test("check() tells an image's type and size, and what is wrong with one", async () => {
  await using renderer = openPool();
  const { pool } = renderer;

  assert.deepEqual(await pool.check(SMALL_IMAGE), { type: "image/png", width: 60, height: 40 });
  await assertRefused(pool.check(new TextEncoder().encode("no image")), "not_an_image");
  await assertRefused(pool.check(pngFile(60_000, 60_000, greyRows(1, 1))), "too_large");
  await assertRefused(pool.check(SMALL_IMAGE.subarray(0, 60)), "corrupt");
  assert.deepEqual(await pool.check(SMALL_IMAGE), { type: "image/png", width: 60, height: 40 });
  assert.equal(pool.abandoned, 0);
});

Deno.test("check() waits for no film", async () => {
  await using renderer = openPool();
  const film = assert.rejects(renderer.pool.render(filmOrder({ faults: SLOW, seconds: 12 })), {
    kind: "stopped",
  });
  assert.equal(renderer.pool.free, 0);

  assert.equal((await renderer.pool.check(SMALL_IMAGE)).width, 60);

  await renderer.pool.close();
  await film;
});

Deno.test("close() stops what runs, refuses what waits and what comes later", async () => {
  await using renderer = openPool();
  const { pool } = renderer;
  let frames = 0;
  const films = [
    pool.render(filmOrder({ faults: SLOW, seconds: 12 }), { onProgress: () => frames++ }),
    pool.render(filmOrder()),
  ];
  const outcomes = Promise.allSettled(films);
  await until(() => frames > 0);

  await pool.close();

  for (const outcome of await outcomes) {
    assert.equal(outcome.status === "rejected" && outcome.reason.kind, "stopped");
  }
  assert.ok(frames < 12 * 24);
  await assert.rejects(pool.render(filmOrder()), { kind: "stopped" });
  await assert.rejects(pool.check(SMALL_IMAGE), { kind: "stopped" });
  assert.deepEqual([pool.free, pool.abandoned], [0, 0]);
});

Deno.test("render() uses a Worker again without growing", async () => {
  await using renderer = openPool();
  const rss: number[] = [];
  for (let film = 0; film < 20; film++) {
    await renderer.pool.render(filmOrder({ width: 320, height: 192, reference: SMALL_IMAGE }));
    rss.push(Math.round(Deno.memoryUsage().rss / 1e6));
  }
  // Told, not judged: other tests of this process use memory too.
  renderer.note(`MB after each of 20 films: ${rss.join(" ")}`);
});

Deno.test("render() starts another Worker when the idle one was ended", async () => {
  await using renderer = openPool({ idleMs: 0 });
  for (let film = 0; film < 3; film++) {
    await renderer.pool.render(filmOrder());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual([renderer.pool.free, renderer.pool.abandoned], [1, 0]);
});

interface OpenPool extends AsyncDisposable {
  readonly pool: RenderPool;
  /** What `onAbandoned` was told. */
  readonly told: readonly string[];
  note(line: string): void;
}

function openPool(options: Partial<RenderPoolOptions> = {}): OpenPool {
  const told: string[] = [];
  const pool = createRenderPool({
    workers: 1,
    onAbandoned: (reason) => told.push(reason),
    ...options,
  });
  return {
    pool,
    told,
    note: (line) => Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`)),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function faulty(fault: string): FilmOrder {
  return filmOrder({ faults: parseFilmFaults(`video-2:${fault}`) });
}

function brokenWorker(file: string): URL {
  return new URL(`./broken_workers/${file}`, import.meta.url);
}

async function assertRefused(promise: Promise<unknown>, kind: string): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof ImageError);
    assert.equal(error.kind, kind);
    return true;
  });
}

/** Looks again and again, for at most 20 seconds. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    assert.ok(performance.now() < deadline, "it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
