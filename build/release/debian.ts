/**
 * The Debian package: the same files at their places, and a unit that nobody starts unasked.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { UNIT_MARK, unitText } from "../../src/cli/systemd/unit_text.ts";
import { runCommand } from "../run_command.ts";
import { findComponents } from "./components.ts";
import { COMPLETION_FILES, type Packed, writeContents } from "./pack.ts";

const DEFAULTS =
  `# Variables of the service: every setting of tollgate serve --help has one, such as
# TOLLGATE_LISTEN=0.0.0.0:8080
# Secrets belong into files of their own: see credential:NAME in tollgate.yaml.
`;

/** What systemd is told after files have changed; an image that is built has none. */
const RELOAD = "if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi\n";

const SCRIPTS: Readonly<Record<string, string>> = {
  postinst: `#!/bin/sh
set -e
${RELOAD}if [ "$1" = configure ] && [ -z "$2" ]; then
  echo "tollgate: start it with: systemctl enable --now tollgate"
elif [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl try-restart tollgate.service || true
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now tollgate.service || true
fi
`,
  // Data stays, as money was counted in it.
  postrm: `#!/bin/sh
set -e
${RELOAD}`,
};

/**
 * Builds `tollgate_VERSION_ARCH.deb` in `out`, and names it.
 *
 * @throws {Error} when dpkg-deb, which packs, fails or is not there.
 */
export async function debianPackage(out: string, packed: Packed): Promise<string> {
  const { target, version, epoch } = packed;
  const work = await Deno.makeTempDir({ prefix: "tollgate-deb-" });
  const name = `tollgate_${version}_${target.debian}.deb`;
  try {
    await writeContents(`${work}/contents`, packed);
    await layOut(`${work}/contents`, `${work}/root`, packed);
    const built = await runCommand(
      ["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", `${work}/root`, `${out}/${name}`],
      { env: { SOURCE_DATE_EPOCH: String(epoch) } },
    );
    if (!built.success) throw new Error(`Cannot build ${name}: ${built.stderr.trim()}`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return name;
}

async function layOut(contents: string, root: string, packed: Packed): Promise<void> {
  const { target, version, runtime } = packed;
  const documents = `${root}/usr/share/doc/tollgate`;
  const files: readonly (readonly [from: string, to: string])[] = [
    [target.program, "usr/bin/tollgate"],
    [COMPLETION_FILES.bash, "usr/share/bash-completion/completions/tollgate"],
    [COMPLETION_FILES.zsh, "usr/share/zsh/vendor-completions/_tollgate"],
    [COMPLETION_FILES.fish, "usr/share/fish/vendor_completions.d/tollgate.fish"],
  ];
  for (const [from, to] of files) {
    await Deno.mkdir(`${root}/${to.slice(0, to.lastIndexOf("/"))}`, { recursive: true });
    await Deno.rename(`${contents}/${from}`, `${root}/${to}`);
  }
  await writeText(
    `${documents}/copyright`,
    `${await Deno.readTextFile(`${contents}/LICENSE`)}\n` +
      await Deno.readTextFile(`${contents}/THIRD_PARTY_LICENSES.txt`),
  );
  await writePacked(`${documents}/changelog.gz`, `${contents}/CHANGELOG.md`);
  await writePacked(`${root}/usr/share/man/man1/tollgate.1.gz`, `${contents}/man/tollgate.1`);
  await writeText(`${root}/lib/systemd/system/tollgate.service`, packagedUnit());
  await writeText(`${root}/etc/default/tollgate`, DEFAULTS);
  const sqlite = (await findComponents(runtime)).find(({ name }) => name === "sqlite")?.version;
  await writeText(
    `${root}/DEBIAN/control`,
    control({ version, architecture: target.debian!, sqlite }),
  );
  await writeText(`${root}/DEBIAN/conffiles`, "/etc/default/tollgate\n");
  for (const [name, script] of Object.entries(SCRIPTS)) {
    await writeText(`${root}/DEBIAN/${name}`, script);
    await Deno.chmod(`${root}/DEBIAN/${name}`, 0o755);
  }
}

/** As `service install` writes it, with Debian's place for variables before the operator's own. */
function packagedUnit(): string {
  const text = unitText({
    executable: "/usr/bin/tollgate",
    variables: {},
    credentials: [],
    backupFolders: [],
    drainTimeoutMs: 30_000,
    hasLowPort: false,
  });
  const body = text.slice(text.indexOf("[Unit]"));
  if (!text.startsWith(UNIT_MARK) || !body.includes("EnvironmentFile=-")) {
    throw new Error("Cannot make the package's unit: the unit has changed its form");
  }
  return "# Of the Debian package: put changes into `systemctl edit tollgate`.\n\n" +
    body.replace("EnvironmentFile=-", "EnvironmentFile=-/etc/default/tollgate\nEnvironmentFile=-");
}

function control({ version, architecture, sqlite }: {
  readonly version: string;
  readonly architecture: string;
  readonly sqlite: string | undefined;
}): string {
  return `Package: tollgate
Version: ${version.replace("-", "~")}
Architecture: ${architecture}
Maintainer: Tollgate contributors <tollgate@localhost>
Section: net
Priority: optional
Depends: libc6 (>= 2.27), libgcc-s1
Recommends: ca-certificates
Description: gateway in front of many model providers
 One executable that serves model calls of many providers in the dialects that
 their clients speak, names the route that served each call and what it cost,
 and keeps an exact ledger (SQLite ${sqlite} is inside).
`;
}

async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text, { mode: 0o644 });
}

async function writePacked(path: string, from: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(path, gzipSync(await Deno.readFile(from), { level: 9 }), { mode: 0o644 });
}
