/**
 * What exchanges have of their transport.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Target } from "./connect.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection_pool.ts";

/** What an exchange is made with. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly target: Target;
  /** Idle connections to take from, and to give those to whose answer was read to its end. */
  readonly pool: ConnectionPool;
  readonly open: (target: Target) => Promise<Connection>;
}
