/**
 * Limits on unfinished video tasks.
 *
 * @module
 */

import assert from "node:assert/strict";
import { GatewayError } from "../../src/errors.ts";
import { OpenTaskLimits } from "../../src/limits/open_tasks.ts";

function owners({ project, key }: { project?: number; key?: number }, keyId = "k") {
  const limits = (openVideoTasks: number | undefined) =>
    openVideoTasks === undefined ? {} : { openVideoTasks };
  return {
    project: { id: "p", limits: limits(project) },
    key: { id: keyId, limits: limits(key) },
  };
}

function remaining(limits: OpenTaskLimits, scope: "project" | "key", id: string, limit: number) {
  return limits.remaining({ scope, id, limits: { openVideoTasks: limit } })?.remaining;
}

const REFUSED = (scope: string, limit: number) => (error: unknown) => {
  assert.ok(error instanceof GatewayError);
  assert.equal(error.error, "pool_limit_exceeded");
  assert.equal(
    error.message,
    `This ${scope}'s limit of ${limit} unfinished video tasks is reached: ` +
      "wait for one to end, or delete one",
  );
  assert.equal(error.retryAfterSeconds, 10);
  return true;
};

Deno.test("take() refuses the task after the last one, of the project or the key", () => {
  const limits = new OpenTaskLimits();
  limits.take(owners({ project: 2, key: 1 }, "one"));
  assert.throws(() => limits.take(owners({ project: 2, key: 1 }, "one")), REFUSED("key", 1));
  limits.take(owners({ project: 2 }, "two"));
  assert.throws(() => limits.take(owners({ project: 2 }, "two")), REFUSED("project", 2));
  // Another project is not concerned.
  limits.take({ project: { id: "q", limits: { openVideoTasks: 1 } }, key: owners({}).key });
});

Deno.test("take() that is refused leaves no trace", () => {
  const limits = new OpenTaskLimits();
  limits.take(owners({}));
  for (let time = 0; time < 5; time++) {
    assert.throws(() => limits.take(owners({ project: 9, key: 1 })), REFUSED("key", 1));
  }
  assert.equal(remaining(limits, "project", "p", 9), 8);
});

Deno.test("a limit of 0 allows nothing", () => {
  const limits = new OpenTaskLimits();
  assert.throws(() => limits.take(owners({ key: 0 })), REFUSED("key", 0));
});

Deno.test("release() makes room; what take() gave takes the task back once", () => {
  const limits = new OpenTaskLimits();
  const undo = limits.take(owners({ project: 2 }));
  limits.take(owners({ project: 2 }));
  undo();
  undo();
  assert.equal(remaining(limits, "project", "p", 2), 1);
  limits.release({ projectId: "p", keyId: "k" });
  assert.equal(remaining(limits, "project", "p", 2), 2);
  assert.equal(remaining(limits, "key", "k", 2), 2);
});

Deno.test("restore() counts beyond a limit, and a limit that comes later finds true counts", () => {
  const limits = new OpenTaskLimits();
  for (let task = 0; task < 3; task++) limits.restore({ projectId: "p", keyId: "k" });
  assert.equal(remaining(limits, "project", "p", 2), 0);
  assert.throws(() => limits.take(owners({ project: 3 })), REFUSED("project", 3));
  limits.release({ projectId: "p", keyId: "k" });
  limits.take(owners({ project: 3 }));
});

Deno.test("remaining() is undefined without a limit and whole for who has no task", () => {
  const limits = new OpenTaskLimits();
  assert.equal(limits.remaining({ scope: "key", id: "k", limits: {} }), undefined);
  assert.deepEqual(limits.remaining({ scope: "key", id: "k", limits: { openVideoTasks: 4 } }), {
    limit: 4,
    remaining: 4,
  });
});
