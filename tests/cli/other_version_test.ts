/**
 * Commands that ask a server of another version, as after an update without a restart.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listen } from "../../src/http/listener.ts";
import { lockDataDir } from "../../src/storage/ownership/data_dir_lock.ts";
import { VERSION } from "../../src/version.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

const PID = 4242;

/** Runs commands against a server that answers as it is told; everything else it knows not. */
async function against(
  answers: { readonly [path: string]: unknown },
  args: readonly string[],
  { unknown = "No such path", known = [], missing = 404 }: {
    readonly unknown?: string;
    readonly known?: readonly string[];
    readonly missing?: number;
  } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let found: Awaited<ReturnType<typeof runCommand>> | undefined;
  await withDataDir(async (dataDir) => {
    const socket = `${dataDir}/control.sock`;
    const lock = await lockDataDir(dataDir, { owner: { pid: PID, socket, kind: "server" } });
    const server = listen((request) => {
      const { pathname } = new URL(request.url);
      const answer = answers[pathname];
      // As every version says of a path that it has, whatever is behind it.
      const status = known.includes(request.method === "PUT" ? pathname : "") ? 405 : missing;
      const error = { code: "not_found", message: unknown };
      return Promise.resolve(
        answer === undefined ? Response.json({ error }, { status }) : Response.json(answer),
      );
    }, { unixPath: socket });
    try {
      found = await runCommand([...args, "--data-dir", dataDir]);
    } finally {
      server.close();
      lock.release();
    }
  });
  return found!;
}

const EARLIER = { "/admin/v1/system": { version: "0.0.9" } };
const SAME = { "/admin/v1/system": { version: VERSION } };
/** As lists were before they had pages. */
const BARE_LIST = { "/admin/v1/projects": [{ id: "seen" }] };

Deno.test("a list of an earlier server is not printed, and both versions are told", async () => {
  const { code, stdout, stderr } = await against({ ...EARLIER, ...BARE_LIST }, [
    "projects",
    "list",
  ]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^tollgate: The server answers in the shape of another version: restart it/);
  assert.ok(stderr.includes(`process id ${PID} is version 0.0.9, this program version ${VERSION}`));
  assert.doesNotMatch(stderr, /iterable|at .*:\d+:\d+/);
});

Deno.test("a list of an earlier build of the same version says to restart the server", async () => {
  for (const system of [SAME, {}]) {
    const { code, stderr } = await against({ ...system, ...BARE_LIST }, ["projects", "list"]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^tollgate: [^\n]+ restart it with this program, then repeat the command\n$/,
    );
  }
});

Deno.test("any other answer that cannot be read is told with both versions, not as a fault", async () => {
  const asked = async (...args: readonly string[]) => {
    const answers = { ...EARLIER, "/admin/v1/usage": { rows: [] }, "/admin/v1/keys": { id: 7 } };
    const { code, stdout, stderr } = await against(answers, args);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /^tollgate: The server answers in the shape of another version: [^\n]*\n$/,
    );
    assert.ok(stderr.includes(`process id ${PID} is version 0.0.9, this program version`));
    return stderr;
  };
  assert.match(await asked("usage", "report"), /restart it [^\n]* then repeat the command\. /);
  const changing = await asked("keys", "create", "--project", "shop");
  assert.match(changing, /restart it [^\n]* then look before you repeat the change\. /);
});

Deno.test("what an earlier server does not know is refused with both versions", async () => {
  const args = ["calls", "archive", "--before", "2026-01-01"];
  const { code, stderr } = await against(EARLIER, args);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^tollgate: The server does not know .* \(the server .* is version 0\.0\.9, /,
  );
  const known = ["/admin/v1/calls/archive"];
  const other = await against(EARLIER, args, { known });
  assert.match(other.stderr, /^tollgate: No such path\. \(the server .* is version 0\.0\.9, /);
  const same = await against(SAME, args, { known });
  assert.equal(same.stderr, "tollgate: No such path\n");
});

Deno.test("a command that an earlier build of the same version does not know says to restart it", async () => {
  const args = ["providers", "show", "up"];
  for (const missing of [404, 405]) {
    const { code, stderr } = await against(SAME, args, { missing });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      "tollgate: The server does not know this command: it is an earlier build, restart it with " +
        "this program, then repeat the command\n",
    );
    const earlier = await against(EARLIER, args, { missing });
    assert.match(
      earlier.stderr,
      /^tollgate: The server does not know this command.*version 0\.0\.9/,
    );
  }
  // What it knows and has not is no sign of another version, whatever it says.
  const unknown = "There is nothing at GET /admin/v1/catalogue/providers/up";
  const known = ["/admin/v1/catalogue/providers/x"];
  const { stderr } = await against(SAME, args, { unknown, known });
  assert.equal(stderr, `tollgate: ${unknown}\n`);
});

Deno.test("a call that an earlier server tells without its units is shown", async () => {
  const nothing = { result: null, error_code: null, closed_at: null, first_byte_ms: null };
  const call = {
    ...nothing,
    request_id: "req_1",
    project: "shop",
    key: "key_1",
    capability: "chat",
    model: "m",
    provider: "up",
    route: "up/m",
    stream: false,
    state: "settled",
    opened_at: "2026-11-21T12:00:00.000Z",
    attempts: 1,
    usage: {
      prompt_tokens: 3,
      completion_tokens: 4,
      cached_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      images: 0,
      source: "reported",
    },
    video: null,
    price_version: 1,
    currency: "USD",
    held: "0.00000000",
    cost: null,
    sale: null,
    charged: null,
    loss: null,
    archive: null,
  };
  const answers = { ...EARLIER, "/admin/v1/calls/req_1": call };
  const { code, stdout, stderr } = await against(answers, ["calls", "show", "req_1"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^usage +3 prompt \(0 cached\), 4 completion, reported$/m);
  assert.doesNotMatch(stdout, /^units/m);
});
