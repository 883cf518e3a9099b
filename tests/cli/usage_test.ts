/**
 * Wrong usage: exit 2, a hint, nothing done. Help: complete and readable.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Command } from "commander";
import { Cli } from "../../src/cli/base/cli.ts";
import { createProgram } from "../../src/cli/program.ts";
import type { Terminal } from "../../src/cli/base/terminal.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

const WRONG: readonly (readonly [args: string, message: RegExp])[] = [
  ["sevre", /unknown command 'sevre': did you mean 'serve'\?/],
  ["frobnicate", /unknown command 'frobnicate': there are serve, init, console, apply, /],
  ["projects lst", /unknown command 'lst': did you mean 'list'\?/],
  [
    "calls frobnicate",
    /unknown command 'frobnicate': there are list, show, archive\nSee: tollgate calls /,
  ],
  ["calls archive frobnicate", /unknown command 'frobnicate': there are verify/],
  ["calls archive --give-up 1 --dry-run", /--give-up stands alone/],
  ["calls archive --before 2026-01-01 --accept-loss", /--accept-loss needs --give-up/],
  ["projects", /Usage: tollgate projects/],
  ["projects create", /missing required argument 'id'[^]*See: tollgate projects create --help/],
  ["projects lst", /See: tollgate projects --help/],
  ["projects list extra", /too many arguments/],
  ["--listen :0 projects list", /Options stand after their command/],
  ["projects list --jsn", /unknown option '--jsn'[^]*Did you mean --json\?/],
  ["projects create a --concurrent none", /whole number of 1 or more/],
  ["projects create A", /^tollgate: id: Expected at most 64 lower-case/],
  ["projects set a", /Nothing to change: name a setting/],
  ["projects credit a 1e3", /amount: Expected a positive decimal number/],
  ["keys create", /required option '--project <id>' not specified/],
  ["routes explain m --routing-preference cheap", /Allowed choices are lowest_price/],
  ["routes explain m --exclude-risk-level none", /Allowed choices are low, medium, high/],
  ["usage report --by user", /Expected one of project, key, .* or tag:NAME/],
  [
    "audit list --operation keys.crate",
    /operation: No change is called 'keys\.crate': did you mean 'keys\.create'\? There are batches\.cancel, calls\.archive, calls\.content, calls\.give_up_archive, calls\.restore_archives, catalogue\.apply, console\.sign_in, console\.sign_in_refused, files\.delete, first_run, /,
  ],
  [
    "audit list --operation bogus",
    /No change is called 'bogus': there are .*, videos\.delete, videos\.move, videos\.pause, videos\.resume, videos\.retry, webhooks\.resend$/m,
  ],
  [
    "config schema other",
    /^tollgate: value 'other' is invalid for argument 'file'\. Allowed choices are catalogue, settings/,
  ],
  ["serve --lisen x", /unknown option '--lisen'[^]*Did you mean --listen\?/],
  [
    "apply /does/not/exist.yaml",
    /Cannot read the catalogue file \/does\/not\/exist\.yaml: it does not exist/,
  ],
  ["models set m --from /does/not/exist.yaml", /Cannot read \/does\/not\/exist\.yaml: it does not/],
  ["serve --public-links maybe", /public_links: Expected true or false/],
];

for (const [args, message] of WRONG) {
  Deno.test(`tollgate ${args}: exit 2 and a hint`, async () => {
    await withDataDir(async (dataDir) => {
      const run = await runCommand(args.split(" "), { env: { TOLLGATE_DATA_DIR: dataDir } });
      assert.equal(run.stdout, "");
      assert.match(run.stderr, message);
      assert.equal(run.code, 2);
      await assert.rejects(Deno.stat(dataDir), Deno.errors.NotFound, "nothing was made");
    });
  });
}

Deno.test("serve reports every bad setting at once, each with its source", async () => {
  await withDataDir(async (dataDir) => {
    const file = `${dataDir}-settings.yaml`;
    await Deno.writeTextFile(file, "keep_alive_ms: soon\nlog_level: info\n");
    const args = ["serve", "--listen", "nowhere", "--data-dir", dataDir, "--config", file];
    const env = { TOLLGATE_BASE_URL: "ftp://x", TOLLGATE_LISTE: "1" };
    const { code, stdout, stderr } = await runCommand(args, { env });
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /Warning: variable TOLLGATE_LISTE: .*did you mean TOLLGATE_LISTEN\?/);
    assert.match(stderr, /3 settings are wrong/);
    assert.match(stderr, /^flag --listen: listen: Expected HOST:PORT/m);
    assert.match(stderr, /^variable TOLLGATE_BASE_URL: base_url: /m);
    assert.match(stderr, /settings\.yaml:1:16: keep_alive_ms: /);
    await assert.rejects(Deno.stat(dataDir), Deno.errors.NotFound);
  });
});

Deno.test("--help names every command with an example, and the variables", async () => {
  const { code, stdout, stderr } = await runCommand(["--help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  for (
    const word of ["serve", "apply", "projects", "keys", "providers", "routes", "ledger", "config"]
  ) {
    assert.match(stdout, new RegExp(`^  ${word} `, "m"));
  }
  assert.match(stdout, /TOLLGATE_DATA_DIR/);
  assert.match(stdout, /Exit codes: 0 done, 1 failed, 2 wrong usage/);
  const lines = stdout.split("\n");
  assert.deepEqual(lines.filter((line) => line.length > 100), []);
  assert.match((await runCommand(["serve", "--help"])).stdout, /TOLLGATE_LISTEN/);
});

Deno.test("--help says how a setting is taken away, apart from its default", async () => {
  const { stdout } = await runCommand(["routes", "set", "--help"]);
  const help = stdout.replaceAll(/\s+/g, " ");
  assert.ok(help.includes("on top of everything else. Default: nothing. none: takes it away. "));
  assert.ok(help.includes("needed for a new route. -h"), "and not a model, which every route has");
  const provider = (await runCommand(["providers", "set", "--help"])).stdout;
  assert.match(provider.replaceAll(/\s+/g, " "), / not. default: as if nothing were said of it\. /);
  const project = (await runCommand(["projects", "set", "--help"])).stdout;
  assert.match(project, /limit of requests per minute, or none$/m);
});

Deno.test("--help of apply says what its argument is", async () => {
  const { stdout } = await runCommand(["apply", "--help"]);
  assert.match(stdout, /^ +file +catalogue file, YAML or JSON; - reads stdin$/m);
});

Deno.test("help before a command says the same as --help after it", async () => {
  for (const words of [[], ["keys"], ["keys", "create"]]) {
    const asked = await runCommand(["help", ...words]);
    assert.deepEqual(asked, await runCommand([...words, "--help"]));
    assert.equal(asked.code, 0);
  }
});

/** Commands about files, schemas, units and the program itself. */
const WITHOUT_DATA_DIR =
  /^(?:completion|config|import|service|update|version|backup (?:verify|stored)\b)/;

/** Commands that answer nothing, or a script. */
const WITHOUT_JSON: ReadonlySet<string> = new Set(["serve", "completion"]);

Deno.test("every command explains itself, takes --json where it answers, and has an example", async () => {
  const silent = {} as Terminal;
  let count = 0;
  for (const group of (await createProgram(new Cli(silent))).commands) {
    for (const { path, command } of leavesOf(group)) {
      const { code, stdout } = await runCommand([...path, "--help"]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Example:\n  tollgate ${path.join(" ")}`));
      assert.deepEqual(stdout.split("\n").filter((line) => line.length > 100), []);
      if (!WITHOUT_JSON.has(command.name())) assert.match(stdout, /--json /, path.join(" "));
      if (!WITHOUT_DATA_DIR.test(path.join(" "))) assert.match(stdout, /--data-dir </);
      count++;
    }
  }
  assert.equal(count, 98);
});

/** A command of a group, or one that has its own; `calls archive` is both. */
function leavesOf(
  command: Command,
  before: readonly string[] = [],
): readonly { path: readonly string[]; command: Command }[] {
  const path = [...before, command.name()];
  const below = command.commands.flatMap((one) => leavesOf(one, path));
  const isGroup = command.commands.length > 0 && path.join(" ") !== "calls archive";
  return isGroup ? below : [{ path, command }, ...below];
}

Deno.test("calls archive restore says what there is not, and takes no option of archiving", async () => {
  await withDataDir(async (dataDir) => {
    const run = (...more: readonly string[]) =>
      runCommand(["calls", "archive", "restore", ...more], { env: { TOLLGATE_DATA_DIR: dataDir } });
    await runCommand(["init"], { env: { TOLLGATE_DATA_DIR: dataDir } });
    const none = await run("1");
    assert.match(none.stderr, /There is no archive 1 of sealed runs/);
    assert.equal(none.code, 1);
    const before = await run("1", "--before", "2026-01-01");
    assert.match(before.stderr, /calls archive restore has no option --before/);
    assert.equal(before.code, 2);
  });
});

Deno.test("options behind calls archive verify are its own", async () => {
  await withDataDir(async (dataDir) => {
    const args = ["calls", "archive", "verify", "none.db", "--alone", "--json"];
    const alone = await runCommand(args, { env: { TOLLGATE_DATA_DIR: dataDir } });
    assert.match(alone.stderr, /There is no archive .*none\.db/);
    assert.equal(alone.code, 1);
  });
});
