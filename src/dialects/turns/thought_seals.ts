/**
 * Seals on thoughts as callers of another dialect get them: wrapped, so that they name the route that
 * can read them. `tg1.ROUTE.MAC`, and behind it the upstream's dialect and seal where it gave one. The
 * MAC keeps callers from choosing a route by a seal of their own making.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ownSeal } from "./own_seal.ts";
import type { Seal } from "./blocks.ts";

const WRAPPED = /^tg1\.([\w-]+)\.([\w-]{22})(?:\.([a-z_]+)(?:-([a-z]+))?\.([^]+))?$/;
/** Bytes of a MAC that are kept. */
const MAC_BYTES = 16;

export class ThoughtSeals {
  readonly #key: Uint8Array;

  /** @param key The same one for as long as wrapped seals are to be believed. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** @param seal The upstream's; absent: it gave none. */
  wrap(routeId: string, seal?: Seal): string {
    const tail = seal === undefined ? "" : tailOf(seal);
    const route = Buffer.from(routeId).toString("base64url");
    return ownSeal(`${route}.${this.#macOf(route, tail).toString("base64url")}${tail}`);
  }

  /** The id of the route that a wrapped seal names; `undefined` of any other, and of a forged one. */
  routeOf(wrapped: string): string | undefined {
    const [, route, mac] = WRAPPED.exec(wrapped) ?? [];
    if (route === undefined || mac === undefined) return undefined;
    const told = Buffer.from(mac, "base64url");
    const seal = unwrapSeal(wrapped);
    const due = this.#macOf(route, seal === undefined ? "" : tailOf(seal));
    if (told.length !== MAC_BYTES || !timingSafeEqual(told, due)) return undefined;
    return Buffer.from(route, "base64url").toString();
  }

  #macOf(route: string, tail: string): Buffer {
    const whole = createHmac("sha256", this.#key).update(`seal ${route}${tail}`).digest();
    return whole.subarray(0, MAC_BYTES);
  }
}

/** The upstream's seal in one of ours; `undefined` where it gave none. */
export function unwrapSeal(wrapped: string): Seal | undefined {
  const [, , , of, form, value] = WRAPPED.exec(wrapped) ?? [];
  if (of === undefined || value === undefined) return undefined;
  return { of, value, ...(form !== undefined && { form }) };
}

function tailOf({ of, form, value }: Seal): string {
  return `.${of}${form === undefined ? "" : `-${form}`}.${value}`;
}
