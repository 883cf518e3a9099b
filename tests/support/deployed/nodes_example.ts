/**
 * `deploy/nodes` as processes of this machine: its own files, commands and variables, with the names of
 * its machines put in as ports of this one. The first two nodes are Compose's, the third is systemd's.
 * The bucket is in the test's process.
 *
 * @module
 */

import assert from "node:assert/strict";
import { freePort, untilItListens } from "../listening_port.ts";
import { FakeS3 } from "../fake_s3.ts";
import { runTool } from "../outside_tool.ts";
import { PGBOUNCER, PROGRAMS } from "../postgres_server.ts";
import { type ServedGateway, serveGateway } from "../served_gateway.ts";
import { giveAway, unprivileged } from "../unprivileged.ts";
import { until } from "../until.ts";
import { type ComposeService, readServices } from "./compose_file.ts";

const FOLDER = "deploy/nodes";
const PASSWORDS = {
  DATABASE_PASSWORD: "of-the-database",
  REPLICATION_PASSWORD: "of-its-copies",
  BUCKET_PASSWORD: "a-secret-that-signs-for-it",
  ADMIN_KEY: "of-administrators-0123456789",
};

/** One of the two servers. */
export type DatabaseName = "db1" | "db2";

/** A process that runs until it is ended. */
interface Running {
  readonly process: Deno.ChildProcess;
  readonly ended: Promise<Deno.CommandStatus>;
}

/** The example. `await using` ends all of it. */
export class NodesExample implements AsyncDisposable {
  readonly s3: FakeS3;
  readonly #folder: string;
  readonly #services: Readonly<Record<string, ComposeService>>;
  readonly #ports: Readonly<Record<string, number>>;
  readonly #running = new Map<string, Running>();
  readonly #nodes: (ServedGateway | undefined)[] = [];

  private constructor(
    s3: FakeS3,
    { folder, services, ports }: {
      readonly folder: string;
      readonly services: Readonly<Record<string, ComposeService>>;
      readonly ports: Readonly<Record<string, number>>;
    },
  ) {
    this.s3 = s3;
    this.#folder = folder;
    this.#services = services;
    this.#ports = ports;
  }

  /** Starts all of it, on new data. */
  static async start(): Promise<NodesExample> {
    const s3 = await FakeS3.start();
    const names = ["db1", "db2", "pooler", "balancer", "tollgate-1", "tollgate-2", "tollgate-3"];
    const ports = Object.fromEntries(names.map((name) => [name, freePort()]));
    const variables = { ...PASSWORDS, SITE: "ai.example.com" };
    const services = readServices(await Deno.readTextFile(`${FOLDER}/compose.yaml`), variables);
    const folder = await Deno.makeTempDir({ prefix: "tollgate-deployed-" });
    await Deno.chmod(folder, 0o755);
    const example = new NodesExample(s3, { folder, services, ports });
    try {
      await example.#startDatabases();
      await example.#startPooler();
      await Promise.all([0, 1, 2].map((at) => example.startNode(at)));
      await example.#startBalancer();
      return example;
    } catch (error) {
      await example[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The balancer's address. */
  get url(): string {
    return `http://127.0.0.1:${this.#ports.balancer}`;
  }

  /** A node's own address. */
  addressOf(at: number): string {
    return `http://127.0.0.1:${this.#ports[`tollgate-${at + 1}`]}`;
  }

  /** Its `url` is the balancer's, as it has been told. */
  node(at: number): ServedGateway {
    return this.#nodes[at]!;
  }

  /** Starts a node that does not run, on the data that it has. */
  async startNode(at: number): Promise<void> {
    await this.#nodes[at]?.[Symbol.asyncDispose]();
    const name = `tollgate-${at + 1}`;
    this.#nodes[at] = await serveGateway({
      dataDir: `${this.#folder}/${name}`,
      listen: `127.0.0.1:${this.#ports[name]}`,
      env: await this.#environmentOf(name),
      expectKey: false,
    });
  }

  /** What a server says, as its administrator. */
  async ask(name: DatabaseName, ...statements: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#psql(
      name,
      ...statements.flatMap((one) => ["--command", one]),
    );
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }

  /** What a statement finds in the nodes' database. */
  async askDatabase(name: DatabaseName, sql: string): Promise<string> {
    return await this.ask(name, "\\connect tollgate", sql);
  }

  /** Stops a server at once, as a crash would. */
  async crash(name: DatabaseName): Promise<void> {
    await this.#end(name, "SIGQUIT");
  }

  /** Makes a server anew, as the other's standby. */
  async copy(name: DatabaseName, primary: DatabaseName): Promise<void> {
    await Deno.remove(`${this.#folder}/${name}`, { recursive: true });
    await this.#emptyFolder(name);
    await this.#startDatabase(name, primary);
  }

  /** Has the pooler lead to another server, as its own file says how. */
  async lead(from: DatabaseName, to: DatabaseName): Promise<void> {
    const file = `${this.#folder}/pooler/pgbouncer.ini`;
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(
      file,
      replaced(text, { [`port=${this.#ports[from]}`]: `port=${this.#ports[to]}` }),
    );
    this.#running.get("pooler")!.process.kill("SIGHUP");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node?.[Symbol.asyncDispose]()));
    for (const name of ["balancer", "pooler"]) await this.#end(name, "SIGKILL");
    for (const name of ["db1", "db2"]) await this.#end(name, "SIGQUIT");
    await this.s3[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #startDatabases(): Promise<void> {
    await this.#emptyFolder("db1");
    // What the image does with a server that has no data and is the primary.
    const made = await this.#run(
      `${PROGRAMS}/initdb`,
      ...["--username=postgres", "--auth=trust", "--no-sync", "--pgdata", `${this.#folder}/db1`],
    );
    assert.equal(made.code, 0, made.stderr);
    await this.#startDatabase("db1", "db1");
    const roles = await this.#psql("db1", "--file", `${Deno.cwd()}/${FOLDER}/roles.sql`);
    assert.equal(roles.code, 0, roles.stderr);
    await this.#emptyFolder("db2");
    await this.#startDatabase("db2", "db1");
  }

  async #emptyFolder(name: string): Promise<void> {
    await Deno.mkdir(`${this.#folder}/${name}`);
    await giveAway(`${this.#folder}/${name}`);
  }

  async #startDatabase(name: DatabaseName, primary: DatabaseName): Promise<void> {
    const { entrypoint, command, environment } = this.#services[name]!;
    const script = `${this.#folder}/${name}.sh`;
    await Deno.writeTextFile(
      script,
      replaced(await Deno.readTextFile(`${FOLDER}/database.sh`), {
        "host=$PRIMARY port=5432": `host=127.0.0.1 port=${this.#ports[primary]}`,
      }),
    );
    // The image's own script, which begins it, has made its data above.
    const [shell, ...words] = [...entrypoint!, ...command!.slice(1)].map((word) =>
      word.replace("/etc/tollgate/database.sh", script)
        .replace("/etc/tollgate", `${Deno.cwd()}/${FOLDER}`)
    );
    this.#begin(name, {
      words: unprivileged(
        shell!,
        ...words,
        ...[`--port=${this.#ports[name]}`, `--unix-socket-directories=${this.#folder}/${name}`],
        ...["--listen-addresses=127.0.0.1", "--shared-buffers=32MB"],
      ),
      env: { ...environment, PRIMARY: primary, PGDATA: `${this.#folder}/${name}` },
      path: PROGRAMS!,
    });
    await this.#untilItAnswers(name);
  }

  async #untilItAnswers(name: DatabaseName): Promise<void> {
    const { ended } = this.#running.get(name)!;
    await untilItListens(this.#ports[name]!, ended);
    await until(`${name} to answer`, async () => {
      const { code } = await this.#psql(name, "--command", "SELECT 1");
      return code === 0;
    });
  }

  async #startPooler(): Promise<void> {
    const { command, environment } = this.#services.pooler!;
    await this.#emptyFolder("pooler");
    const folder = `${this.#folder}/pooler`;
    await Deno.writeTextFile(
      `${folder}/pgbouncer.ini`,
      replaced(await Deno.readTextFile(`${FOLDER}/pgbouncer.ini`), {
        "host=db1 port=5432": `host=127.0.0.1 port=${this.#ports.db1}`,
        "listen_addr = 0.0.0.0": "listen_addr = 127.0.0.1",
        "listen_port = 6432": `listen_port = ${this.#ports.pooler}`,
        "/etc/pgbouncer": folder,
      }),
    );
    const words = command!.map((word) =>
      word.replaceAll("/etc/pgbouncer", folder).replace("exec pgbouncer", `exec ${PGBOUNCER} -q`)
    );
    this.#begin("pooler", { words: unprivileged(...words), env: environment! });
    await untilItListens(this.#ports.pooler!, this.#running.get("pooler")!.ended);
  }

  async #startBalancer(): Promise<void> {
    const file = `${this.#folder}/Caddyfile`;
    const nodes = Object.fromEntries(
      [1, 2, 3].map((node) => [
        `tollgate-${node}:8080`,
        `127.0.0.1:${this.#ports[`tollgate-${node}`]}`,
      ]),
    );
    const text = replaced(await Deno.readTextFile(`${FOLDER}/Caddyfile`), nodes);
    await Deno.writeTextFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
    this.#begin("balancer", {
      words: ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
      env: { SITE: this.url, HOME: this.#folder },
    });
    await untilItListens(this.#ports.balancer!, this.#running.get("balancer")!.ended);
  }

  async #environmentOf(name: string): Promise<Record<string, string>> {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = this.s3.env();
    if (name === "tollgate-3") return await this.#environmentOfUnit(AWS_ACCESS_KEY_ID!);
    const { environment } = this.#services[name]!;
    const given = replaced(JSON.stringify(environment), {
      "@pooler:6432": `@127.0.0.1:${this.#ports.pooler}`,
      "http://bucket:7070": this.s3.endpoint,
      "https://ai.example.com": this.url,
      "172.31.77.2": "127.0.0.1",
    });
    return { ...JSON.parse(given), AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  }

  /** With the secrets in files, as systemd hands them over. */
  async #environmentOfUnit(keyId: string): Promise<Record<string, string>> {
    const folder = `${this.#folder}/credentials`;
    await Deno.mkdir(folder, { recursive: true });
    const text = await Deno.readTextFile(`${FOLDER}/nodes.environment`);
    const [address] = /postgres:\S+(?=,)/.exec(text)!;
    const secrets = {
      database_url: replaced(address, {
        PASSWORD: PASSWORDS.DATABASE_PASSWORD,
        ":6432": `:${this.#ports.pooler}`,
      }),
      bucket_key: PASSWORDS.BUCKET_PASSWORD,
      admin_key: PASSWORDS.ADMIN_KEY,
    };
    for (const [file, secret] of Object.entries(secrets)) {
      await Deno.writeTextFile(`${folder}/${file}`, secret, { mode: 0o600 });
    }
    const given = replaced(text, {
      "https://s3.eu-central-1.amazonaws.com/films/tollgate": `${this.s3.endpoint}/films`,
      "https://ai.example.com": this.url,
      "AKIAEXAMPLE": keyId,
      "=10.0.0.2": "=127.0.0.1",
    });
    const lines = given.split("\n").filter((line) => /^\w+=/.test(line));
    return {
      ...Object.fromEntries(lines.map((line) => /^(\w+)=(.*)$/.exec(line)!.slice(1))),
      CREDENTIALS_DIRECTORY: folder,
    };
  }

  #psql(name: DatabaseName, ...args: readonly string[]) {
    return this.#run(
      `${PROGRAMS}/psql`,
      ...["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"],
      ...["--host", `${this.#folder}/${name}`, "--port", String(this.#ports[name])],
      ...["--username", "postgres", "--dbname", "postgres", ...args],
    );
  }

  #run(...words: readonly string[]) {
    const [program, ...args] = unprivileged(...words);
    return runTool(program, args, { cwd: "/", env: PASSWORDS });
  }

  #begin(name: string, { words, env, path }: {
    readonly words: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly path?: string;
  }): void {
    const [program, ...args] = words;
    const PATH = [...path === undefined ? [] : [path], Deno.env.get("PATH")].join(":");
    const process = new Deno.Command(program!, {
      ...{ args, cwd: "/", clearEnv: true, env: { ...env, PATH } },
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    this.#running.set(name, { process, ended: process.status });
  }

  async #end(name: string, signal: Deno.Signal): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    let isOver = false;
    running.ended.then(() => isOver = true);
    await Promise.resolve();
    if (!isOver) running.process.kill(signal);
    await running.ended;
  }
}

/** A text with some of its parts put in otherwise; each has to be there. */
function replaced(text: string, parts: Readonly<Record<string, string>>): string {
  for (const [part, otherwise] of Object.entries(parts)) {
    assert.ok(text.includes(part), `no ${part} in ${text}`);
    text = text.replaceAll(part, otherwise);
  }
  return text;
}
