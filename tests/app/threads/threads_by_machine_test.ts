import assert from "node:assert/strict";
import { threadsByMachine } from "../../../src/app/threads/threads_by_machine.ts";

const LINUX = { os: "linux", isWatched: false } as const;

Deno.test("a gateway that is not told serves in one thread fewer than there are processors, in four at most", () => {
  const counts = [1, 2, 3, 4, 5, 64].map((processors) =>
    threadsByMachine({ ...LINUX, processors })
  );
  assert.deepEqual(counts, [1, 1, 2, 3, 4, 4]);
});

Deno.test("it serves in one where the system does not spread connections, and where every call is watched", () => {
  assert.equal(threadsByMachine({ ...LINUX, processors: 8, os: "darwin" }), 1);
  assert.equal(threadsByMachine({ ...LINUX, processors: 8, os: "windows" }), 1);
  assert.equal(threadsByMachine({ ...LINUX, processors: 8, isWatched: true }), 1);
});
