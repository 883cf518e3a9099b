/**
 * The systemd unit of the server: what it may touch, as little as it works with.
 *
 * @module
 */

/** Where the unit is written. */
export const UNIT_PATH = "/etc/systemd/system/tollgate.service";

/** Where a copy of the executable is put. */
export const COPY_PATH = "/usr/local/bin/tollgate";

/** Variables that an operator adds; read by systemd before the server is confined. */
const ENVIRONMENT_FILE = "/etc/tollgate/environment";

/** Every unit of ours begins with it; one without it is somebody else's. */
export const UNIT_MARK = "# Written by `tollgate service install`";

/** A line of units whose install has put a copy of the executable in its place: uninstall takes it away. */
const COPY_MARK = `# Its install has put a copy of the program at ${COPY_PATH}.`;

/** What differs from one installation to the next. */
export interface UnitPlan {
  /** Absolute path of the program; of plain characters, see {@linkcode PLAIN_PATH}. */
  readonly executable: string;
  /** Whether this install, or one before, has put a copy of the program at {@linkcode COPY_PATH}. */
  readonly isCopied?: boolean;
  /** `TOLLGATE_*` variables and their values, without control characters. */
  readonly variables: Readonly<Record<string, string>>;
  /** Secrets: name and the file that systemd reads it from, of plain characters. */
  readonly credentials: readonly { readonly name: string; readonly path: string }[];
  /**
   * Folders that the server gets for itself besides its data: absolute, of plain characters
   * and spaces.
   */
  readonly backupFolders: readonly string[];
  /** How long calls may take to end after SIGTERM, milliseconds. */
  readonly drainTimeoutMs: number;
  /** Whether it listens on a port below 1024, which needs a capability. */
  readonly hasLowPort: boolean;
}

/** What a unit of ours runs, and whether that is a copy which its install has made. */
export function programOf(unit: string): { readonly path: string; readonly isCopied: boolean } {
  const path = /^ExecStart=(\S+) serve$/m.exec(unit)?.[1] ?? COPY_PATH;
  return { path, isCopied: unit.split("\n").includes(COPY_MARK) };
}

/** Paths that mean the same in every place of a unit, without quotes. */
export const PLAIN_PATH = /^\/[\w./@+-]*$/;

/** What an end may take beyond the calls under way, seconds. */
const END_SECONDS = 15;

/** The unit, for systemd 247 (Debian 11) and later. */
export function unitText(plan: UnitPlan): string {
  const { executable, variables, credentials, backupFolders, hasLowPort } = plan;
  const drainSeconds = Math.ceil(plan.drainTimeoutMs / 1_000);
  const given = [
    ...Object.entries(variables).map(([name, value]) => `Environment=${assignment(name, value)}`),
    `EnvironmentFile=-${ENVIRONMENT_FILE}`,
    ...credentials.map(({ name, path }) => `LoadCredential=${name}:${path}`),
  ].join("\n");
  const folders = backupFolders.length === 0 ? "" : `\n${folderLines(backupFolders)}\n`;
  // Disks of other machines are there after it.
  const disks = backupFolders.length === 0 ? "" : " remote-fs.target";
  const capability = hasLowPort ? "CAP_NET_BIND_SERVICE" : "";
  return `${UNIT_MARK}, which writes it anew: put changes into
# \`systemctl edit tollgate\` and variables into ${ENVIRONMENT_FILE}.
${plan.isCopied === true ? `${COPY_MARK}\n` : ""}
[Unit]
Description=Tollgate, an OpenAI-compatible gateway
Wants=network-online.target
After=network-online.target nss-lookup.target${disks}

[Service]
Type=notify
NotifyAccess=main
ExecStart=${executable} serve
# By the shell, since /bin/kill is of a package that a small system has not.
ExecReload=/bin/sh -c 'kill -HUP $MAINPID'
KillSignal=SIGTERM
KillMode=mixed
TimeoutStartSec=90
# Calls under way have ${drainSeconds} s to end; a server that gives them more asks for it.
TimeoutStopSec=${drainSeconds + END_SECONDS}
# Fed by the event loop, while the database answers.
WatchdogSec=60
Restart=on-failure
RestartSec=2
# Wrong settings: a restart mends nothing.
RestartPreventExitStatus=2

# Data: /var/lib/tollgate, in truth /var/lib/private/tollgate. Its user has no name in /etc/passwd.
DynamicUser=yes
StateDirectory=tollgate
StateDirectoryMode=0700
UMask=0077
Environment=NO_COLOR=1
# What threads that compile have freed goes back to the system.
Environment=MALLOC_ARENA_MAX=2
Environment=MALLOC_TRIM_THRESHOLD_=262144
${given}
LimitNOFILE=65536
# Memory holds secrets and prompts.
LimitCORE=0

# The file system: all of it read-only but the data; no home, no device, no other process.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
DevicePolicy=closed
ProtectProc=invisible
ProcSubset=pid
PrivateMounts=yes
RemoveIPC=yes
${folders}
# The kernel. MemoryDenyWriteExecute is not among these: the runtime compiles while it runs.
NoNewPrivileges=yes
CapabilityBoundingSet=${capability}
AmbientCapabilities=${capability}
PrivateUsers=${hasLowPort ? "no" : "yes"}
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
KeyringMode=private
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

# Callers and upstreams may be anywhere; systemd itself is behind a unix socket.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX

[Install]
WantedBy=multi-user.target
`;
}

/** A folder that cannot be made is missed by backups, and by no call: hence each `-`. */
function folderLines(folders: readonly string[]): string {
  return [
    "# Backups and archives: root makes these folders, and gives them to the server's user.",
    ...folders.map((folder) =>
      `ExecStartPre=-+/usr/bin/install --directory --mode=0700 --owner=tollgate --group=tollgate "${folder}"`
    ),
    ...folders.map((folder) => `ReadWritePaths="-${folder}"`),
  ].join("\n");
}

/** One assignment, quoted as systemd.exec(5) reads it; `%` begins a specifier there. */
function assignment(name: string, value: string): string {
  const text = `${name}=${value.replaceAll("%", "%%")}`;
  return /^[\w=./:@%,+-]*$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
