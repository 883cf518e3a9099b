/**
 * Alerts with a receiver on a real socket, a file of their own, and a clock that tests move.
 *
 * @module
 */

import type { AlertTarget } from "../../../src/config/alert_fields.ts";
import type { AlertSettings } from "../../../src/config/process_settings.ts";
import { ALERT_CAUSES, type Trouble } from "../../../src/domain/alert.ts";
import { Alerts } from "../../../src/app/alerts/alerts.ts";
import { openAlertFile } from "../../../src/app/alerts/alert_file.ts";
import { AlertOutbox } from "../../../src/app/alerts/alert_outbox.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { FakeClock } from "../../support/fake_clock.ts";

export const SECRET = `whsec_${btoa("32 bytes that nobody else knows!")}`;

/** What arrived. */
export interface Told {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- each form has its own
  readonly body: any;
}

/** How to begin. */
export interface SceneOptions {
  readonly paths?: readonly string[];
  readonly quiet?: AlertSettings["quiet"];
  readonly causes?: AlertSettings["causes"];
}

/** One gateway's alerts, which may be started anew. */
export class AlertScene implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly told: Told[] = [];
  readonly tries: string[] = [];
  readonly folder = Deno.makeTempDirSync({ prefix: "tollgate-alerts-" });
  /** What is the matter. */
  troubles: Trouble[] = [];
  /** What else is told of all that is over. */
  ending: string | undefined;
  /** What the receiver answers. */
  answer: (told: Told) => Response = () => new Response(null, { status: 204 });
  readonly #options: SceneOptions;
  readonly #end = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #timers = new Set<{ readonly run: () => void; readonly at: number }>();
  readonly #transport;
  /** Of the run under way. */
  #run: { isKilled: boolean; written: Promise<void> };
  alerts: Alerts;

  constructor(options: SceneOptions = {}) {
    this.#options = options;
    this.#transport = createTransport({
      clock: this.clock,
      proxied: { http: false, https: false },
    });
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", signal: this.#end.signal, onListen() {} },
      async (request) => {
        const text = await request.text();
        const path = new URL(request.url).pathname;
        const told = { path, headers: request.headers, text, body: JSON.parse(text) };
        this.told.push(told);
        return this.answer(told);
      },
    );
    this.#run = { isKilled: false, written: Promise.resolve() };
    this.alerts = this.#open();
  }

  /** Looks, and waits until everything that is due was tried. */
  async look(advanceMs = 0): Promise<void> {
    this.clock.advance(advanceMs);
    await this.alerts.look();
    for (const timer of [...this.#timers]) {
      if (timer.at > this.clock.now()) continue;
      this.#timers.delete(timer);
      timer.run();
    }
    await this.#idle();
  }

  /** Ends, and begins again on what was kept. */
  async restart(options: { readonly isKilled?: boolean } = {}): Promise<void> {
    // Who is dead writes nothing beside the next run; what was under way is there, or not.
    if (options.isKilled === true) {
      this.#run.isKilled = true;
      await this.#run.written;
    } else await this.alerts.stop();
    this.#timers.clear();
    this.#run = { isKilled: false, written: Promise.resolve() };
    this.alerts = this.#open();
    this.alerts.start();
    await this.look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.alerts.stop();
    this.#transport.close();
    this.#end.abort();
    await this.#server.finished;
    await Deno.remove(this.folder, { recursive: true });
  }

  /** Until as many were tried as had arrived when nothing more comes. */
  async #idle(): Promise<void> {
    for (let calm = 0, seen = -1; calm < 5; calm++) {
      await new Promise((resolve) => setTimeout(resolve, 4));
      if (this.tries.length + this.told.length !== seen) calm = 0;
      seen = this.tries.length + this.told.length;
    }
  }

  #open(): Alerts {
    const { paths = ["/hook"], quiet, causes = ALERT_CAUSES } = this.#options;
    const url = `http://127.0.0.1:${this.#server.addr.port}`;
    const targets: AlertTarget[] = paths.map((path) => ({
      form: path === "/slack" ? "slack" : "webhook",
      url: url + path,
    }));
    const run = this.#run;
    const file = openAlertFile(this.folder, (_what, error) => {
      throw error;
    });
    return new Alerts({
      settings: { causes, quiet },
      clock: this.clock,
      log: { info() {}, warn() {}, error() {} },
      onNotice() {},
      file: {
        read: () => file.read(),
        write: (state) => run.isKilled ? run.written : run.written = file.write(state),
      },
      look: () => Promise.resolve(this.troubles),
      endOf: () => this.ending,
      openOutbox: (kept, onChange) =>
        new AlertOutbox({
          targets,
          urlOf: (target) => target.url,
          secret: () => SECRET,
          allowsPrivate: true,
          gateway: () => "https://gw.example",
          transport: this.#transport,
          clock: this.clock,
          later: (run, ms) => {
            const timer = { run, at: this.clock.now() + ms };
            this.#timers.add(timer);
            return () => this.#timers.delete(timer);
          },
          onChange,
          onTried: (outcome, _target, why) => this.tries.push(why ?? outcome),
        }, kept),
    });
  }
}

/** Something that is the matter. */
export function trouble(id: string, given: Partial<Trouble> = {}): Trouble {
  return {
    cause: "backup",
    id,
    severity: "warning",
    text: `Trouble ${id}`,
    help: "tollgate doctor",
    path: "/console/system",
    ...given,
  };
}
