/**
 * What the executable may do is as narrow as it can be: a program under its
 * permission set steps outside in every direction and gets nowhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../../build/paths.ts";
import { runCommand } from "../../../build/run_command.ts";
import { programKind } from "../../support/executable.ts";
import { serveGateway } from "../../support/served_gateway.ts";

/** Where the right to start programs is given up. */
const START = "src/cli/base/start_no_program.ts";

/** By what they are: expressions that must all be refused, however they are refused. */
const OUTSIDE: Readonly<Record<string, string>> = {
  "a process": `new Deno.Command("true").output()`,
  "a process of a Worker's": `new Promise((resolve, reject) => {
    const code = 'try { new Deno.Command("true").outputSync(); postMessage("ran"); } ' +
      'catch (error) { postMessage(String(error)); }';
    const worker = new Worker("data:text/javascript," + encodeURIComponent(code), { type: "module" });
    worker.onmessage = ({ data }) => data === "ran" ? resolve() : reject(data);
  })`,
  "a signal to another process": `Deno.kill(1, "SIGCONT")`,
  "a library": `Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {})`,
  "code from elsewhere": `import("https://example.com/" + "x.js")`,
  "the host's name": `Deno.hostname()`,
  "the system's release": `Deno.osRelease()`,
  "the system's memory": `Deno.systemMemoryInfo()`,
  "the network's interfaces": `Deno.networkInterfaces()`,
  "another user": `(await import("node:process")).setuid(65534)`,
  "another priority": `(await import("node:os")).setPriority(0, 5)`,
  "its environment as the system has it": `Deno.readTextFileSync("/proc/self/environ")`,
  "its memory": `Deno.openSync("/proc/self/mem", { read: true })`,
  "a device": `Deno.openSync("/dev/mem", { read: true })`,
  "a cloud's metadata": `Deno.connect({ hostname: "169.254.169.254", port: 80 })`,
  "a cloud's metadata by fetch": `fetch("http://169.254.169.254/")`,
  "a cloud's metadata in short": `fetch("http://169.254.43518/")`,
  "a container's keys": `Deno.connect({ hostname: "169.254.170.2", port: 80 })`,
  "more than it has": `Deno.permissions.request({ name: "run" }).then(({ state }) => {
    if (state !== "granted") throw new Deno.errors.NotCapable(state);
  })`,
};

/** What it needs, so that the probe is seen to be able to do anything. */
const INSIDE: Readonly<Record<string, string>> = {
  "a listener": `Deno.listen({ hostname: "127.0.0.1", port: 0 }).close()`,
  "a file": `Deno.writeTextFileSync("probe.txt", "x")`,
  "a variable": `Deno.env.get("HOME")`,
  "its user": `Deno.uid()`,
};

Deno.test("the permission set has what the program needs and nothing else", async () => {
  const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  // A key may be in any variable, and the data dir and secrets at any path that an operator names;
  // the service unit is what confines files. Programs are what `update` alone may start.
  assert.deepEqual(permissions.serve, {
    read: true,
    write: true,
    net: { allow: true, deny: ["169.254.0.0/16"] },
    env: true,
    run: true,
    sys: ["uid", "umask", "statfs"],
  });
});

/** The commands by what they may do of {@linkcode OUTSIDE}. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  serve: [],
  // It tries the executable that it was given.
  update: [
    "a process",
    "a process of a Worker's",
    "a signal to another process",
    "more than it has",
  ],
};

for (const [command, granted] of Object.entries(COMMANDS)) {
  Deno.test(`a program under the permissions of ${command} gets nowhere outside them`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-probe-" });
    const attempts = Object.entries({ ...OUTSIDE, ...INSIDE }).map(([name, expression]) =>
      `try { await (async () => (${expression}))(); done.push(${JSON.stringify(name)}); }
       catch (error) { failed[${JSON.stringify(name)}] = String(error); }`
    );
    await Deno.writeTextFile(
      `${folder}/probe.js`,
      `import { startNoProgram } from ${JSON.stringify(`file://${ROOT}/${START}`)};
       startNoProgram(Deno.args);
       const done = []; const failed = {};\n${attempts.join("\n")}
       console.log(JSON.stringify({ done, failed })); Deno.exit(0);`,
    );
    try {
      const { stdout, stderr } = await runCommand([
        Deno.execPath(),
        "run",
        "--quiet",
        "--no-prompt",
        `--config=${ROOT}/deno.json`,
        "-P=serve",
        `${folder}/probe.js`,
        command,
      ], { cwd: folder });
      const { done, failed } = JSON.parse(stdout || stderr);
      assert.deepEqual(done, [...granted, ...Object.keys(INSIDE)], JSON.stringify(failed));
      for (const name of Object.keys(OUTSIDE).filter((name) => !granted.includes(name))) {
        assert.match(
          failed[name],
          /NotCapable|Requires \w+ access|EACCES|EPERM/,
          `${name}: ${failed[name]}`,
        );
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("the right to start programs is given up before anything else is done", async () => {
  const lines = (await Deno.readTextFile(`${ROOT}/main.ts`)).split("\n");
  assert.equal(
    lines.find((line) => /^\w/.test(line) && !line.startsWith("import ")),
    "startNoProgram(Deno.args);",
  );
});

Deno.test({
  name: "the executable was compiled with that set",
  ignore: programKind !== "executable",
  async fn() {
    const compiled = JSON.parse(await Deno.readTextFile(`${ROOT}/dist/program/deno.json`));
    const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
    const sys = permissions.serve.sys.filter((kind: string) =>
      compiled.permissions.serve.sys.includes(kind)
    );
    assert.deepEqual(compiled.permissions.serve, { ...permissions.serve, sys });
  },
});

Deno.test("an upstream at a link-local address is not called, and the operator is told why", async () => {
  const catalogue = `
providers:
  - { id: metadata, kind: openai_compatible, base_url: "http://169.254.169.254/v1", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: metadata/m, provider: metadata, upstream_model: x, free: true }]
projects: [{ id: default, unlimited: true }]
`;
  await using gateway = await serveGateway({ catalogue });
  const key = await gateway.key("default");
  const response = await gateway.chat(key, {
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
  });
  const text = await response.text();
  assert.equal(response.status, 503, text);
  assert.doesNotMatch(text, /169\.254|NotCapable|deno/);
  await gateway.server.waitForOutput(/link-local address/);
  assert.doesNotMatch(gateway.server.stderr, /deno compile/);
});
