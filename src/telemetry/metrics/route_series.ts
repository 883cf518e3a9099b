/**
 * What is counted of the calls that one route has ended, for one capability.
 *
 * @module
 */

import type { ClosedCall } from "../../domain/call.ts";
import { type Unit, wireName } from "../../domain/units.ts";
import { UNITS_PER_CURRENCY } from "../../domain/money.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import { Counted, type Family, labelText, type Series } from "./family.ts";
import { ROUTE_FAMILIES } from "./families.ts";
import { CALL_SECONDS, FIRST_TOKEN_SECONDS, Histogram } from "./histogram.ts";

/** Where a call was served, or an attempt failed. */
export type Place = Pick<ClosedCall, "model" | "provider" | "route" | "capability">;

/** How a call ended: its series is found by comparing, not by a text that is put together. */
interface Ending {
  readonly statusClass: number;
  readonly result: string;
  readonly counted: Counted;
}

/** The money of a family, in 1e-8 of the currency: exact up to 90 million of it. */
class Money {
  e8 = 0;
}

const PER_CURRENCY = Number(UNITS_PER_CURRENCY);

export class RouteSeries {
  /** As its labels say it. */
  readonly place: Place;
  /** Whether the catalogue has the route, which then says of which model it is. */
  readonly isOfRoute: boolean;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #text: string;
  readonly #endings: Ending[] = [];
  readonly #attempts: Counted;
  readonly #failures = new Map<string, Counted>();
  readonly #units = new Map<string, Counted>();
  readonly #duration = new Histogram(CALL_SECONDS);
  readonly #firstToken = new Histogram(FIRST_TOKEN_SECONDS);
  readonly #money = {
    cost: new Money(),
    sales: new Money(),
    charged: new Money(),
    loss: new Money(),
  };

  constructor({ model, provider, route, capability }: Place, isOfRoute: boolean) {
    this.place = { model, provider, route, capability };
    this.isOfRoute = isOfRoute;
    this.#labels = { model, provider, route, capability };
    this.#text = labelText(this.#labels);
    this.#attempts = new Counted(this.#text);
  }

  /** Whether calls there are counted in its series: by its labels, but for names of a wildcard. */
  isOf({ model, provider, capability }: Omit<Place, "route">): boolean {
    const { place } = this;
    return place.capability === capability && place.provider === provider &&
      (this.isOfRoute || place.model === model);
  }

  /** Whether another one's labels are the same. */
  isAlike({ place, isOfRoute }: RouteSeries): boolean {
    return this.isOfRoute === isOfRoute && this.#text === labelText({ ...place });
  }

  take({ call, status, milliseconds }: CallRecord): void {
    this.#ending(Math.trunc(status / 100), call.result).value++;
    this.#attempts.value += call.attempts;
    if (call.video === undefined) this.#duration.observe(milliseconds / 1_000);
    if (call.stream && call.firstByteMs !== undefined) {
      this.#firstToken.observe(call.firstByteMs / 1_000);
    }
    const { work } = call;
    for (const unit in work) this.#bought(unit, work[unit as keyof typeof work]!);
    if (call.video !== undefined && call.state === "settled") {
      this.#bought("second", call.video.seconds * (call.video.percent ?? 100) / 100);
    }
    const money = this.#money;
    if (call.costE8 !== 0n) money.cost.e8 += Number(call.costE8);
    if (call.saleE8 !== 0n) money.sales.e8 += Number(call.saleE8);
    if (call.chargedE8 !== 0n) money.charged.e8 += Number(call.chargedE8);
    if (call.lossE8 !== 0n) money.loss.e8 += Number(call.lossE8);
  }

  /** An attempt on it failed. */
  failed(failure: string): void {
    let counted = this.#failures.get(failure);
    if (counted === undefined) {
      counted = this.#counted({ failure });
      this.#failures.set(failure, counted);
    }
    counted.value++;
  }

  /** Its series of one of {@linkcode ROUTE_FAMILIES}. `currency` is that of the catalogue. */
  *of(family: Family, currency: string): Iterable<Series> {
    switch (family) {
      case ROUTE_FAMILIES.calls:
        for (const { counted } of this.#endings) yield counted;
        return;
      case ROUTE_FAMILIES.duration:
        return yield { labels: this.#text, value: this.#duration };
      case ROUTE_FAMILIES.firstToken:
        return yield { labels: this.#text, value: this.#firstToken };
      case ROUTE_FAMILIES.attempts:
        return yield this.#attempts;
      case ROUTE_FAMILIES.failures:
        return yield* this.#failures.values();
      case ROUTE_FAMILIES.units:
        return yield* this.#units.values();
      case ROUTE_FAMILIES.cost:
        return yield this.#moneyOf(this.#money.cost, currency);
      case ROUTE_FAMILIES.sales:
        return yield this.#moneyOf(this.#money.sales, currency);
      case ROUTE_FAMILIES.charged:
        return yield this.#moneyOf(this.#money.charged, currency);
      case ROUTE_FAMILIES.loss:
        return yield this.#moneyOf(this.#money.loss, currency);
    }
  }

  #ending(statusClass: number, result: string): Counted {
    for (const ending of this.#endings) {
      if (ending.statusClass === statusClass && ending.result === result) return ending.counted;
    }
    const counted = this.#counted({ status: `${statusClass}xx`, result });
    this.#endings.push({ statusClass, result, counted });
    return counted;
  }

  #bought(unit: string, count: number): void {
    let counted = this.#units.get(unit);
    if (counted === undefined) {
      counted = this.#counted({ unit: wireName(unit as Unit) });
      this.#units.set(unit, counted);
    }
    counted.value += count;
  }

  #counted(more: Readonly<Record<string, string>>): Counted {
    return new Counted(labelText({ ...this.#labels, ...more }));
  }

  #moneyOf({ e8 }: Money, currency: string): Series {
    return { labels: `${this.#text},${labelText({ currency })}`, value: e8 / PER_CURRENCY };
  }
}
