/**
 * Secrets behind references, and failures that do not tell them.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  createSecretResolver,
  type KeptSecret,
  type RereadSecrets,
} from "../../src/config/secrets.ts";

async function withResolver(
  body: (parts: {
    resolve: (reference: string) => string;
    folder: string;
    pass: (milliseconds: number) => void;
    reread: () => RereadSecrets;
    kept: readonly KeptSecret[];
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  let now = 0;
  const kept: KeptSecret[] = [];
  const resolver = createSecretResolver({
    env: { KEY: " sk-hidden\n", EMPTY: " ", BROKEN: "a\nhidden", WIDE: "ключ" },
    clock: { now: () => 0, monotonic: () => now },
    onKept: (secret) => kept.push(secret),
  });
  try {
    await body({
      folder,
      kept,
      reread: () => resolver.reread(),
      pass: (milliseconds) => void (now += milliseconds),
      resolve: (reference) => {
        const result = resolver.resolve(reference);
        return result.ok ? `value ${result.value}` : result.message;
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("resolve() reads variables", () =>
  withResolver(({ resolve }) => {
    assert.equal(resolve("env:KEY"), "value sk-hidden");
    assert.equal(
      resolve("env:NONE"),
      "env:NONE has no value: set the variable NONE and start again",
    );
    assert.equal(resolve("env:EMPTY"), "env:EMPTY is empty");
    assert.equal(resolve("env:BROKEN"), "env:BROKEN holds characters that a header cannot carry");
    assert.equal(resolve("env:WIDE"), "env:WIDE holds characters that a header cannot carry");
    return Promise.resolve();
  }));

Deno.test("resolve() does not repeat a secret given in a reference's place", () =>
  withResolver(({ resolve }) => {
    assert.equal(
      resolve("sk-hidden"),
      "A secret is written as env:NAME, file:/path or credential:NAME",
    );
    return Promise.resolve();
  }));

Deno.test("resolve() reads files, and looks again after 5 seconds", () =>
  withResolver(async ({ resolve, folder, pass }) => {
    const path = `${folder}/key`;
    assert.equal(resolve(`file:${path}`), `file:${path} does not exist`);
    await Deno.writeTextFile(path, "one\n");
    assert.equal(resolve(`file:${path}`), "value one");
    await Deno.writeTextFile(path, "two\n");
    pass(4_999);
    assert.equal(resolve(`file:${path}`), "value one");
    pass(1);
    assert.equal(resolve(`file:${path}`), "value two");
  }));

Deno.test("resolve() keeps the last value of a file that cannot be read, and says so once", () =>
  withResolver(async ({ resolve, folder, pass, kept }) => {
    const path = `${folder}/key`;
    await Deno.writeTextFile(path, "one\n");
    assert.equal(resolve(`file:${path}`), "value one");
    await Deno.writeTextFile(path, "");
    for (let look = 0; look < 3; look++) {
      pass(5_000);
      assert.equal(resolve(`file:${path}`), "value one");
    }
    assert.deepEqual(kept, [{ reference: `file:${path}`, message: `file:${path} is empty` }]);
    await Deno.writeTextFile(path, "two\n");
    pass(5_000);
    assert.equal(resolve(`file:${path}`), "value two");
    await Deno.remove(path);
    pass(5_000);
    assert.equal(resolve(`file:${path}`), "value two");
    assert.deepEqual(kept.map(({ message }) => message), [
      `file:${path} is empty`,
      `file:${path} does not exist`,
    ]);
  }));

Deno.test("reread() looks at all files at once, without waiting", () =>
  withResolver(async ({ resolve, reread, folder, kept }) => {
    const [first, second] = [`${folder}/first`, `${folder}/second`];
    for (const path of [first, second]) {
      await Deno.writeTextFile(path, "old");
      assert.equal(resolve(`file:${path}`), "value old");
    }
    await Deno.writeTextFile(first, "new");
    await Deno.writeTextFile(second, "a\nhidden");
    assert.deepEqual(reread(), { files: 2, changed: [`file:${first}`] });
    assert.equal(resolve(`file:${first}`), "value new");
    assert.equal(resolve(`file:${second}`), "value old");
    reread();
    const message = `file:${second} holds characters that a header cannot carry`;
    assert.deepEqual(kept, Array(2).fill({ reference: `file:${second}`, message }));
  }));

Deno.test("resolve() reads a credential in the folder that systemd made, and nowhere else", () =>
  withResolver(async ({ folder }) => {
    await Deno.mkdir(`${folder}/given`);
    await Deno.writeTextFile(`${folder}/given/openai`, "sk-hidden\n");
    await Deno.writeTextFile(`${folder}/outside`, "sk-outside");
    const clock = { now: () => 0, monotonic: () => 0 };
    const service = createSecretResolver({
      env: { CREDENTIALS_DIRECTORY: `${folder}/given` },
      clock,
    });
    assert.deepEqual(service.resolve("credential:openai"), { ok: true, value: "sk-hidden" });
    assert.deepEqual(service.resolve("credential:none"), {
      ok: false,
      message: "credential:none does not exist",
    });
    for (const name of ["../outside", "", ".", "..", "a/b"]) {
      assert.deepEqual(service.resolve(`credential:${name}`), {
        ok: false,
        message: "A credential's name consists of letters, digits, _, - and .",
      });
    }
    for (const env of [{}, { CREDENTIALS_DIRECTORY: "relative" }]) {
      const result = createSecretResolver({ env, clock }).resolve("credential:openai");
      assert.ok(!result.ok && /^credential:openai has no folder: /.test(result.message));
    }
  }));

Deno.test("resolve() refuses what is no file with a secret", () =>
  withResolver(async ({ resolve, folder }) => {
    assert.equal(resolve(`file:${folder}`), `file:${folder} is no regular file`);
    await Deno.writeTextFile(`${folder}/empty`, "\n");
    assert.equal(resolve(`file:${folder}/empty`), `file:${folder}/empty is empty`);
    await Deno.writeTextFile(`${folder}/big`, "x".repeat(70_000));
    assert.equal(resolve(`file:${folder}/big`), `file:${folder}/big is larger than 65536 bytes`);
  }));
