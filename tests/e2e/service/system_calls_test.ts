/**
 * The system calls that the executable makes are those that its unit lets through.
 *
 * @module
 */

import assert from "node:assert/strict";
import { unitText } from "../../../src/cli/systemd/unit_text.ts";
import { commandOf, programKind, startTollgate } from "../../support/executable.ts";
import { needsSystemdAnalyze, systemCallsOf } from "../../support/systemd_analyze.ts";
import { until } from "../../support/until.ts";

/** Refused without harm, or not made under the unit at all. */
const EXCUSED: ReadonlySet<string> = new Set([
  // The runtime asks whether the processor has keys for pages, and goes without.
  "pkey_alloc",
  // SQLite gives its files to the database's owner, when root runs it.
  "fchown",
]);

const canTrace = await hasStrace();
const ignore = programKind !== "executable" ||
  (Deno.env.get("CI") !== "true" && (needsSystemdAnalyze.ignore || !canTrace));

Deno.test(
  "the executable serves, renders and stops with the system calls of its unit",
  { ignore },
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-calls-" });
    try {
      const trace = `${folder}/trace`;
      await using server = await startTollgate({
        // The tracer is a grandchild, so that signals reach the server.
        through: ["strace", "-D", "-f", "-qq", "-e", "signal=none", "-o", trace],
      });
      const headers = {
        authorization: `Bearer ${server.key}`,
        "content-type": "application/json",
      };
      const post = (path: string, body: object) =>
        fetch(`${server.baseUrl}/v1/${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
      const chat = await post("chat/completions", {
        model: "echo-1",
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      });
      assert.match(await chat.text(), /\[DONE\]/);
      const film = await post("videos", { model: "video-2", prompt: "A fox", seconds: "1" });
      const { id } = await film.json();
      await until("the film", async () => {
        const { status } = await (await fetch(`${server.baseUrl}/v1/videos/${id}`, { headers }))
          .json();
        assert.notEqual(status, "failed");
        return status === "completed";
      }, { everyMs: 250 });
      const content = await fetch(`${server.baseUrl}/v1/videos/${id}/content`, { headers });
      assert.equal(content.status, 200);
      await content.body?.cancel();
      assert.equal((await server.stop()).code, 0);

      // `12345 openat(…` and `12345 <... futex resumed>…`; the tracer writes on after the server.
      const text = await until("the end of the trace", async () => {
        const written = await Deno.readTextFile(trace);
        return / exit_group\(0\b/.test(written) && written;
      });
      const made = new Set([...text.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name]) => name!));
      const allowed = await allowedCalls();
      const refused = [...made].filter((name) => !allowed.has(name) && !EXCUSED.has(name));
      assert.deepEqual(refused, []);
      assert.ok(made.has("epoll_wait") && made.has("pwrite64"), [...made].join(" "));
      // What is attached the main thread reads: another executable may stand there when a Worker begins.
      const [program] = commandOf([]);
      const opened = text.split("\n").filter((line) =>
        line.includes(`"${program}", O_RDONLY|O_NOFOLLOW`)
      );
      const [first] = text.split(" ");
      assert.ok(opened.length > 0);
      assert.deepEqual(opened.filter((line) => !line.startsWith(`${first} `)), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** What `SystemCallFilter=` of the unit lets through. */
async function allowedCalls(): Promise<ReadonlySet<string>> {
  const unit = unitText({
    executable: "/usr/local/bin/tollgate",
    variables: {},
    credentials: [],
    backupFolders: [],
    drainTimeoutMs: 30_000,
    hasLowPort: false,
  });
  const allowed = new Set<string>();
  for (const [, not, sets = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const set of sets.split(" ")) {
      for (const call of await systemCallsOf(set)) {
        if (not === "~") allowed.delete(call);
        else allowed.add(call);
      }
    }
  }
  assert.ok(allowed.has("read") && !allowed.has("reboot"));
  return allowed;
}

async function hasStrace(): Promise<boolean> {
  try {
    const command = new Deno.Command("strace", { args: ["true"], stdout: "null", stderr: "null" });
    return (await command.output()).code === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
