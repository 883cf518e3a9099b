/**
 * What connections have of their listener.
 *
 * @module
 */

import type { ListenerLimits, QuickHandler, RefusalWriter, RequestHandler } from "./contract.ts";
import type { CoarseClock } from "./incoming_body.ts";

/** What all connections of a listener share. */
export interface ConnectionContext {
  readonly handler: RequestHandler;
  /** Asked first, of requests that came in one piece; absent: all go to the handler. */
  readonly quick?: QuickHandler | undefined;
  readonly limits: ListenerLimits;
  readonly clock: CoarseClock & { /** The `Date` header line of now. */ dateLine: string };
  readonly onError: (error: unknown) => void;
  readonly refusal: RefusalWriter;
  /** Opens a connection to the listener that requests are passed on to; absent: none are. */
  readonly openPassage?: (() => Promise<Deno.Conn>) | undefined;
  /** Whether a connection is closed once it has answered a request; absent: clients may keep it. */
  readonly isLast?: ((request: Request) => boolean) | undefined;
  /** How far {@linkcode clock} may be behind, in milliseconds. */
  readonly slackMs: number;
  /** Answers close their connection from now on. */
  draining: boolean;
}
