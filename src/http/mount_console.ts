/**
 * The console at its paths: it answers for itself, and reads the forms of its pages through here.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import { createBodyBudget } from "./bodies/body_budget.ts";
import { readBodyWithin } from "./bodies/read_body.ts";
import type { ConsoleApi, createConsoleApi } from "./console_api.ts";
import type { CurrentConfiguration } from "./context/api_deps.ts";
import type { AppContext, AppEnv, RequestBindings } from "./context/request_context.ts";

/** What the console is told of a request besides the request itself. */
export interface ConsoleRequest extends Pick<RequestBindings, "identity" | "remoteAddress"> {
  readonly api: ConsoleApi;
  /** @throws {GatewayError} When it is longer, or too many are read at once. */
  readText(maxBytes: number): Promise<string>;
}

/** Answers requests at `/console`. */
export type ConsoleHandler = (
  request: Request,
  about: ConsoleRequest,
) => Response | Promise<Response>;

/** All forms that are being read. */
const MOST_FORM_BYTES = 16 * 1024 * 1024;

/** Mounts it. */
export function mountConsole(
  app: Hono<AppEnv>,
  answer: ConsoleHandler,
  { apiOf, configuration }: {
    readonly apiOf: () => Promise<ReturnType<typeof createConsoleApi>>;
    readonly configuration: CurrentConfiguration | undefined;
  },
): void {
  const budget = createBodyBudget(MOST_FORM_BYTES);
  async function handle({ req: { raw }, env: { identity, remoteAddress } }: AppContext) {
    if (configuration?.isCurrent === false) await configuration.whenCurrent();
    return await answer(raw, {
      identity,
      remoteAddress,
      api: (await apiOf())({ raw, identity, remoteAddress }),
      async readText(maxBytes) {
        const bytes = await readBodyWithin(raw, { maxBytes, budget });
        budget.release(bytes.length);
        return new TextDecoder().decode(bytes);
      },
    });
  }
  app.all("/console", handle);
  app.all("/console/*", handle);
}
