/**
 * Commands that change a key take its id. How it begins is shown, and asked about.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";

interface Made {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
}

/** A data dir with a project, and what is done there. */
async function withKeys(
  test: (at: {
    readonly make: () => Promise<Made>;
    readonly run: (
      args: readonly string[],
      answers?: (question: string) => boolean,
    ) => ReturnType<typeof runCommand>;
    readonly ids: () => Promise<readonly string[]>;
  }) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    const env = { TOLLGATE_DATA_DIR: dataDir };
    const run = (args: readonly string[], answers?: (question: string) => boolean) =>
      runCommand(args, { env, ...(answers && { answers }) });
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    await json("projects", "create", "shop");
    await test({
      make: () => json("keys", "create", "--project", "shop", "--name", "web"),
      run,
      ids: async () => (await json("keys", "list")).map(({ id }: { id: string }) => id),
    });
  });
}

const CHANGES: readonly (readonly string[])[] = [
  ["keys", "disable"],
  ["keys", "enable"],
  ["keys", "resume"],
  ["keys", "set", "--name", "other"],
  ["keys", "delete"],
];

for (const [group, command, ...options] of CHANGES) {
  const name = `${group} ${command}`;
  Deno.test(`${name} asks before it changes the key that begins so`, async () => {
    await withKeys(async ({ make, run, ids }) => {
      const key = await make();
      const args = (beginning: string) => [group!, command!, beginning, ...options];

      const unasked = await run(args(key.id.slice(0, 9)));
      assert.equal(unasked.code, 2);
      assert.match(unasked.stderr, new RegExp(`begins ${key.id} \\(project shop, name 'web'`));
      assert.match(unasked.stderr, new RegExp(`name the key by its id, ${key.id}, or add --yes`));
      assert.equal(unasked.stdout, "");

      const questions: string[] = [];
      const refused = await run(args(key.prefix), (question) => {
        questions.push(question);
        return false;
      });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /Nothing was changed/);
      assert.deepEqual(questions, ["Is this the key? [y/N] "]);
      assert.deepEqual(await ids(), [key.id]);
      const changes = await run(["audit", "list", "--subject", key.id, "--json"]);
      assert.equal(JSON.parse(changes.stdout).length, 1, "it was made, and nothing else");

      assert.equal((await run(args(key.prefix), () => true)).code, 0);
    });
  });
}

Deno.test("keys delete takes an id without asking, and a beginning with --yes", async () => {
  await withKeys(async ({ make, run, ids }) => {
    const [one, other] = [await make(), await make()];
    const never = () => assert.fail("nothing is asked");
    assert.equal((await run(["keys", "delete", one.id], never)).code, 0);
    assert.deepEqual(await ids(), [other.id]);
    const done = await run(["keys", "delete", other.id.slice(0, 10), "--yes"], never);
    assert.equal(done.code, 0);
    assert.match(done.stderr, new RegExp(`begins ${other.id}`));
    assert.deepEqual(await ids(), []);
  });
});

Deno.test("keys delete finds nothing for what every key begins with, nor for a whole key", async () => {
  await withKeys(async ({ make, run, ids }) => {
    const key = await make();
    for (const name of ["key_", "sk-tg-"]) {
      const { code, stderr } = await run(["keys", "delete", name, "--yes"]);
      assert.equal(code, 2, name);
      assert.match(stderr, /says too little of a key: .* by more of how it begins/);
    }
    for (const name of [key.key, "key_aaaaaaaaaaaa"]) {
      const { code, stderr } = await run(["keys", "delete", name, "--yes"]);
      assert.equal(code, 1, name);
      assert.match(stderr, /There is no key/);
      assert.ok(!stderr.includes(key.key));
    }
    assert.deepEqual(await ids(), [key.id]);
  });
});
