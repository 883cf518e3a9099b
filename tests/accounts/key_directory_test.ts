import assert from "node:assert/strict";
import { KeyDirectory } from "../../src/accounts/key_directory.ts";
import { hashKey, makeKey } from "../../src/accounts/project_key.ts";
import { storedKey, TIMED_PROJECT, welchT } from "../support/security/key_timing.ts";

const KEYS = 10_000;
const PREFIX = "sk-tg-" + "A".repeat(38);

/** A key that differs from the others of its kind in its last characters only. */
function alike(number: number): ReturnType<typeof makeKey> {
  const key = PREFIX + number.toString(36).padStart(5, "0");
  return { key, hash: hashKey(key), prefix: key.slice(0, 12) };
}

Deno.test("KeyDirectory tells ten thousand keys with one prefix apart", () => {
  const projects = Array.from({ length: 10 }, (_, at) => ({ ...TIMED_PROJECT, id: `p${at}` }));
  const keys = Array.from({ length: KEYS }, (_, at) => ({
    ...storedKey(alike(at), `p${at % 10}`),
    id: `key_${at}`,
  }));
  const directory = new KeyDirectory(projects, keys);
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < KEYS; at++) {
      const found = directory.resolve(alike(at).key, 0);
      assert.ok(found.kind === "caller");
      assert.deepEqual([found.caller.key.id, found.caller.project.id], [
        `key_${at}`,
        `p${at % 10}`,
      ]);
    }
  }
  const { key, hash, prefix } = alike(1);
  for (
    const wrong of [
      alike(KEYS).key,
      key.slice(0, -1),
      `${key}0`,
      key.toLowerCase(),
      ` ${key}`,
      `${key} `,
      `${key}\0`,
      prefix,
      PREFIX,
      hash,
      "",
      "__proto__",
      "constructor",
    ]
  ) {
    assert.equal(directory.resolve(wrong, 0).kind, "unknown", wrong);
  }
});

Deno.test("KeyDirectory obeys every change with the next look, also for keys that it knows", () => {
  const made = makeKey();
  const stored = { ...storedKey(made, TIMED_PROJECT.id), id: "key_a" };
  const directory = new KeyDirectory([TIMED_PROJECT], [stored]);
  const kind = (nowMs = 0) => directory.resolve(made.key, nowMs).kind;
  assert.equal(kind(), "caller");
  directory.putKey({ ...stored, disabled: true });
  assert.equal(kind(), "disabled");
  directory.putKey({ ...stored, expiresAt: 5 });
  assert.deepEqual([kind(4), kind(5)], ["caller", "expired"]);
  directory.putKey(stored);
  directory.putProject({ ...TIMED_PROJECT, disabled: true });
  assert.equal(kind(), "disabled");
  directory.putProject(TIMED_PROJECT);
  assert.equal(kind(), "caller");
  directory.removeKey("key_a");
  assert.equal(kind(), "unknown");
});

Deno.test("welchT() tells two means apart, and one from itself not", () => {
  const around = (mean: number) => Array.from({ length: 1_000 }, (_, at) => mean + (at % 7));
  assert.equal(welchT(around(5), around(5)), 0);
  assert.ok(welchT(around(6), around(5)) > 4.5);
  assert.ok(welchT(around(5), around(6)) < -4.5);
});
