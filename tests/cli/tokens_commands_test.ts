/**
 * `tollgate tokens`: made, listed and revoked on a data dir; told once, and never again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand, withDataDir } from "./run_in_process.ts";

Deno.test("a token is told once, listed by its beginning, and revoked", async () => {
  await withDataDir(async (dataDir) => {
    const run = (args: string) =>
      runCommand(args.split(" "), { env: { TOLLGATE_DATA_DIR: dataDir } });
    assert.equal((await run("projects create shop")).code, 0);
    const made = await run("tokens create --name anna --role viewer --expires 90d --json");
    assert.equal(made.code, 0, made.stderr);
    const { token, id, role, state } = JSON.parse(made.stdout);
    assert.match(token, /^at-tg-[\w-]{43}$/);
    assert.deepEqual([role, state], ["viewer", "active"]);
    const member = await run("tokens create --name team --role member --project shop");
    assert.match(member.stdout, /^token +at-tg-[\w-]{43}$/m);
    assert.match(member.stdout, /^role +member of shop$/m);
    assert.match(member.stderr, /shown this once/);
    const listed = await run("tokens list");
    assert.match(
      listed.stdout,
      new RegExp(`^${id} +anna +${token.slice(0, 12)}… +viewer +- +active`, "m"),
    );
    assert.match(listed.stdout, / team .* member +shop +active +never +never$/m);
    assert.ok(!listed.stdout.includes(token));
    const revoked = await run(`tokens revoke ${id}`);
    assert.match(revoked.stdout, /^status +revoked$/m);
    assert.match((await run("tokens list")).stdout, new RegExp(`^${id} .* revoked `, "m"));
    const audited = await run("audit list --operation tokens.create --json");
    assert.ok(!audited.stdout.includes(token.slice(12)));
    assert.equal(JSON.parse(audited.stdout).length, 2);
  });
});

const WRONG: readonly (readonly [args: string, message: RegExp])[] = [
  ["--name anna --role member", /Say which project the member is of/],
  ["--name anna --role viewer --project shop", /A project is a member's alone/],
  ["--name anna --role member --project shpo", /There is no project 'shpo': did you mean 'shop'/],
  ["--name anna --role admin", /Allowed choices are viewer, operator, owner, member/],
  ["--name anna --role viewer --expires 2020-01-01", /expires in the past/],
  ["--role viewer", /required option '--name <text>' not specified/],
];

for (const [args, message] of WRONG) {
  Deno.test(`tokens create ${args} makes nothing`, async () => {
    await withDataDir(async (dataDir) => {
      const env = { TOLLGATE_DATA_DIR: dataDir };
      await runCommand(["projects", "create", "shop"], { env });
      const { code, stdout, stderr } = await runCommand(
        ["tokens", "create", ...args.split(" ")],
        { env },
      );
      assert.notEqual(code, 0);
      assert.equal(stdout, "");
      assert.match(stderr, message);
      assert.match((await runCommand(["tokens", "list"], { env })).stderr, /No tokens yet/);
    });
  });
}
