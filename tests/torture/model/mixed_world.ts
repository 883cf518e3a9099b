/**
 * Everything that mixed operations are done to: the served program, its upstream, its keys and the
 * model of what should become of the money.
 *
 * @module
 */

import {
  type FaultUpstream,
  startFaultUpstream,
} from "../../support/fault_upstream/fault_upstream.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { BalanceModel, type Expectation } from "./balance_model.ts";
import { mixedCatalogue, PAYING } from "./mixed_catalogue.ts";

/** A project that pays. */
export type PayingProject = typeof PAYING[number];

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
  readonly headers: Headers;
}

/** Whether a call was refused as its project has too little, for every route or for the one left. */
export function lacksMoney({ status, text }: Answer): boolean {
  return status === 402 || (status === 503 && text.includes("balance_too_low"));
}

const ADMIN_KEY = "admin-of-mixed-operations";
const ENVIRONMENT = { TOLLGATE_ADMIN_KEY: ADMIN_KEY };
const CREDIT_E8: Readonly<Record<PayingProject, bigint>> = {
  north: 500_000_000_000n,
  south: 500_000_000_000n,
  east: 500_000_000_000n,
  poor: 3_000_000n,
};

/** `await using` ends it. */
export class MixedWorld implements AsyncDisposable {
  readonly model = new BalanceModel();
  readonly upstream: FaultUpstream;
  readonly gateway: ServedGateway;
  readonly keys: Readonly<Record<PayingProject, string>>;
  /** What an operation saw that it should not have seen. */
  readonly surprises: string[] = [];
  #tags = 0;

  private constructor(parts: {
    readonly upstream: FaultUpstream;
    readonly gateway: ServedGateway;
    readonly keys: Readonly<Record<PayingProject, string>>;
  }) {
    this.upstream = parts.upstream;
    this.gateway = parts.gateway;
    this.keys = parts.keys;
  }

  static async start(
    { dataDir, logFile }: { readonly dataDir: string; readonly logFile: string },
  ): Promise<MixedWorld> {
    const upstream = await startFaultUpstream({ logFile });
    const gateway = await serveGateway({
      dataDir,
      catalogue: mixedCatalogue(upstream.url),
      env: ENVIRONMENT,
    });
    const keys: Record<string, string> = {};
    for (const project of PAYING) keys[project] = await gateway.key(project);
    const world = new MixedWorld({
      upstream,
      gateway,
      keys: keys as Readonly<Record<PayingProject, string>>,
    });
    for (const project of PAYING) await world.credit(project, CREDIT_E8[project]);
    return world;
  }

  nextTag(): number {
    return ++this.#tags;
  }

  expect(expectation: Expectation): void {
    this.model.expect(expectation);
  }

  /** Notes something that should not have happened. */
  surprise(what: string, answer?: Answer): void {
    const words = answer === undefined ? "" : `: ${answer.status} ${answer.text.slice(0, 300)}`;
    this.surprises.push(`${what}${words}`);
  }

  /** Sends a request with a project's key, or another one. */
  async send(project: PayingProject, path: string, options: {
    readonly method?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly key?: string;
  } = {}): Promise<Answer> {
    const { method = "POST", body, headers = {}, key = this.keys[project] } = options;
    const response = await fetch(`${this.gateway.url}/v1${path}`, {
      method,
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      text: await response.text(),
      requestId: response.headers.get("x-request-id") ?? "",
      headers: response.headers,
    };
  }

  /** An operation of the admin API. */
  // deno-lint-ignore no-explicit-any -- each path has its own answer
  async admin(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.gateway.url}/admin/v1${path}`, {
      method,
      headers: { "authorization": `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200) {
      this.surprise(`${method} ${path} is answered ${response.status} ${text}`);
    }
    return JSON.parse(text);
  }

  /** Credits a project, which the model counts once whatever `times`. */
  async credit(project: PayingProject, amount: bigint, times = 1): Promise<void> {
    const digits = amount.toString().padStart(9, "0");
    const body = {
      amount: `${digits.slice(0, -8)}.${digits.slice(-8)}`,
      reference: `ref-${this.nextTag()}`,
    };
    for (let time = 0; time < times; time++) {
      await this.admin("POST", `/projects/${project}/credit`, body);
    }
    this.model.credit(project, amount);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    await this.upstream.stop();
  }
}
