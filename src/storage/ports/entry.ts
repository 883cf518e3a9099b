/**
 * Entries: everything that is ever written, as plain serialisable values. Each
 * succeeds or fails alone, whatever batch it travels in.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../domain/account.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { Catalogue } from "../../domain/catalogue.ts";

/** One unit of change. */
export type Entry =
  /** Takes a hold: avail -= held, held += held, one open call row. Fails as `conflict` when avail is too small. */
  | { readonly kind: "hold"; readonly call: OpenCall }
  /** Replaces an open call's route, price version and hold (a dearer fallback). */
  | { readonly kind: "rehold"; readonly call: OpenCall }
  /**
   * Closes a call exactly once, by compare-and-set on its open row (inserting it
   * when its hold has not been written yet), with its ledger rows: one `settle`
   * or `release`, and one `loss` when `lossE8` is not 0. Fails as `conflict`
   * when the call is closed already. `withHold` is a hint that speeds it up: the
   * hold travels in no entry of its own.
   */
  | { readonly kind: "close"; readonly call: ClosedCall; readonly withHold?: true }
  /** Adds to a project's balance. Repeating a reference with the same amount changes nothing. */
  | {
    readonly kind: "credit";
    readonly projectId: string;
    readonly amountE8: AmountE8;
    readonly reference: string | undefined;
    readonly at: number;
  }
  /** Creates a project (`conflict` if it exists). */
  | { readonly kind: "create_project"; readonly project: Project }
  /** Replaces a project's settings (`missing` if there is none). */
  | { readonly kind: "update_project"; readonly project: Project }
  | { readonly kind: "create_key"; readonly key: ProjectKey }
  | { readonly kind: "update_key"; readonly key: ProjectKey }
  | { readonly kind: "delete_key"; readonly keyId: string }
  /**
   * Replaces the whole catalogue in one step. Routes whose prices differ from
   * their newest stored version get a new one; the result carries the catalogue
   * with its version numbers.
   */
  | {
    readonly kind: "write_catalogue";
    readonly catalogue: Catalogue;
    readonly at: number;
  }
  /**
   * Switches of a route. They are kept when a catalogue is written again that
   * says of the route what the one before said; a catalogue that says something
   * else wins.
   */
  | {
    readonly kind: "switch_route";
    readonly routeId: string;
    readonly enabled: boolean;
    readonly maintenance: boolean;
  };

/** What became of an entry, once its batch is synced to disk. */
export type EntryResult =
  | { readonly ok: true; readonly catalogue?: Catalogue; readonly repeated?: boolean }
  | {
    readonly ok: false;
    /**
     * `conflict`: the state does not allow it (already closed, already exists,
     * balance too small, a reference reused with another amount); `missing`:
     * what it refers to does not exist; `full`: the disk is full; `failed`:
     * anything else, see `message`.
     */
    readonly reason: "conflict" | "missing" | "full" | "failed";
    readonly message: string;
  };
