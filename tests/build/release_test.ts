/**
 * What a release is made with: its parts, its papers, its signature.
 *
 * @module
 */

import assert from "node:assert/strict";
import { withoutFolders } from "../../build/npm_cache.ts";
import { licenceFile } from "../../build/release/licence_file.ts";
import { manPage, programTree } from "../../build/release/man_page.ts";
import { minisign, readSigningKey } from "../../build/release/minisign.ts";
import { packFolder } from "../../build/release/pack.ts";
import { sbom } from "../../build/release/sbom.ts";
import { needsTool, runTool } from "../support/outside_tool.ts";
import { SbomValidator } from "./sbom_validator.ts";

const LIBRARY = {
  name: "@scope/pkg",
  version: "1.2.3",
  kind: "library",
  licence: "MIT",
  texts: ["Do as you please"],
  integrity:
    "sha512-zwN46Awh1VM6gXlIcALwb5WzqK5H2e6+Awcs1QP8AvS8ohsK/sbE4esvmH4jhlhW7+CgiUUww66vg0aTnlSIMA==",
} as const;
const FONT = {
  name: "font",
  kind: "data",
  licence: "OFL-1.1",
  texts: ["Do as you please"],
} as const;

Deno.test("a bill of materials keeps to CycloneDX's schema, and is the same every time", async () => {
  const subject = {
    version: "1.0.0",
    target: "x86_64-unknown-linux-gnu",
    sha256: "ab".repeat(32),
    epoch: 1_700_000_000,
  };
  const text = sbom(subject, [LIBRARY, FONT]);
  assert.equal(await SbomValidator.validate(text), null);
  assert.equal(sbom(subject, [LIBRARY, FONT]), text);
  const { components, serialNumber, metadata } = JSON.parse(text);
  assert.equal(components[0].purl, "pkg:npm/%40scope/pkg@1.2.3");
  assert.match(components[0].hashes[0].content, /^[0-9a-f]{128}$/);
  assert.equal(metadata.timestamp, "2023-11-14T22:13:20.000Z");
  const other = JSON.parse(sbom({ ...subject, sha256: "cd".repeat(32) }, []));
  assert.notEqual(other.serialNumber, serialNumber);
  const spoilt = text.replace('"library"', '"shelf"');
  assert.notEqual(await SbomValidator.validate(spoilt), null, "the validator sees what is wrong");
});

Deno.test("the licence file names every part, and each text once", () => {
  const text = licenceFile([LIBRARY, FONT]);
  assert.match(text, /^ {2}@scope\/pkg 1\.2\.3 \(MIT\)$/m);
  assert.match(text, /^ {2}font \(OFL-1\.1\)$/m);
  assert.equal(text.split("Do as you please").length, 2);
});

Deno.test("the manual has every command and option, and nothing that roff takes for its own", async () => {
  const page = manPage(await programTree(), { version: "1.0.0", epoch: 0 });
  assert.match(page, /^\.TH TOLLGATE 1 1970-01-01 /);
  assert.match(page, /^\.SS tollgate keys create$/m);
  assert.match(page, /\\fB\\-\\-data\\-dir\\fR \\fIdir\\fR/);
  const macros = page.split("\n").filter((line) => /^[.']/.test(line));
  assert.deepEqual(macros.filter((line) => !/^\.(TH|SH|SS|TP|B)\b/.test(line)), []);
});

const seesNoFault = "man finds no fault in the manual";
Deno.test(seesNoFault, needsTool("groff"), async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, manPage(await programTree(), { version: "1.0.0", epoch: 0 }));
    const { code, stdout, stderr } = await runTool("groff", [
      "-man",
      "-Tutf8",
      "-P-cbou",
      "-ww",
      file,
    ]);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.match(stdout, /tollgate keys create/);
  } finally {
    await Deno.remove(file);
  }
});

const minisignVerifies = "minisign verifies a signature, and sees one byte that is another";
Deno.test(minisignVerifies, needsTool("minisign"), async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-sign-" });
  const run = (...args: string[]) => runTool("minisign", args, { cwd: folder });
  try {
    await run("-G", "-W", "-p", "key.pub", "-s", "key.sec");
    const key = await readSigningKey(await Deno.readTextFile(`${folder}/key.sec`));
    const bytes = new TextEncoder().encode("ab  file\n");
    const trusted = "timestamp:1\tfile:SHA256SUMS";
    await Deno.writeFile(`${folder}/SHA256SUMS`, bytes);
    const signature = await minisign(bytes, key, { trusted });
    await Deno.writeTextFile(`${folder}/SHA256SUMS.minisig`, signature);
    assert.equal(await minisign(bytes, key, { trusted }), signature, "the same every time");
    const good = await run("-V", "-m", "SHA256SUMS", "-p", "key.pub");
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /Trusted comment: timestamp:1\tfile:SHA256SUMS/);

    await Deno.writeTextFile(`${folder}/SHA256SUMS`, "ac  file\n");
    assert.notEqual((await run("-V", "-m", "SHA256SUMS", "-p", "key.pub")).code, 0);
    await Deno.writeFile(`${folder}/SHA256SUMS`, bytes);
    const other = signature.replace("timestamp:1", "timestamp:2");
    await Deno.writeTextFile(`${folder}/SHA256SUMS.minisig`, other);
    assert.notEqual((await run("-V", "-m", "SHA256SUMS", "-p", "key.pub")).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a key that is none, or that a password protects, is refused with what to do", async () => {
  await assert.rejects(readSigningKey("hello"), /no secret key of minisign's.*minisign -G -W/);
  const sealed = new Uint8Array(158);
  sealed.set(new TextEncoder().encode("EdSc"));
  const text = `untrusted comment: x\n${sealed.toBase64()}\n`;
  await assert.rejects(readSigningKey(text), /a password protects the key.*minisign -C -W/);
});

Deno.test("an archive is the same for the same files, whenever and wherever they were written", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-archive-" });
  try {
    for (const archive of ["tar.gz", "zip"]) {
      const made = await Promise.all(["one", "two/deep"].map(async (place, index) => {
        const tree = `${folder}/${archive}/${place}/tree`;
        await Deno.mkdir(`${tree}/sub`, { recursive: true });
        const names = index === 0 ? ["b", "a", "sub/c"] : ["sub/c", "a", "b"];
        for (const name of names) await Deno.writeTextFile(`${tree}/${name}`, name);
        await Deno.chmod(`${tree}/a`, index === 0 ? 0o700 : 0o755);
        await Deno.utime(`${tree}/b`, 1_000_000 * index + 400_000_000, 0);
        const file = `${folder}/${archive}/${index}.${archive}`;
        await packFolder(tree, file, 1_700_000_000);
        return await Deno.readFile(file);
      }));
      assert.deepEqual(made[0], made[1]);
    }
    const listed = await runTool("tar", ["tvzf", `${folder}/tar.gz/0.tar.gz`], {
      env: { TZ: "UTC" },
    });
    assert.match(listed.stdout, /^drwxr-xr-x root\/root +0 2023-11-14 22:13 tree\/$/m);
    assert.match(listed.stdout, /^-rwxr-xr-x root\/root +1 .* tree\/a$/m);
    assert.match(listed.stdout, /^-rw-r--r-- root\/root +5 .* tree\/sub\/c$/m);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("withoutFolders() takes this machine's folders out of a bundle", () => {
  const text =
    '// ../../home/me/.cache/npm/host/zod/4.6.7/x.js\n  "../../home/me/.cache/npm/host/a.js"(e) {';
  const bare = withoutFolders(text, ["/home/me/.cache/npm/host"], "/src/tollgate");
  assert.equal(bare, '// npm/zod/4.6.7/x.js\n  "npm/a.js"(e) {');
});
