/**
 * Counts calls as they end: by route, and by project while these are few. Labels are put
 * together once for each route; a call costs two look-ups and some additions.
 *
 * @module
 */

import type { CallRecord } from "../../metering/call_record.ts";
import { MOST_PROJECTS, PROJECT_FAMILIES, ROUTE_FAMILIES } from "./families.ts";
import type { Reading } from "./family.ts";
import { ProjectSeries } from "./project_series.ts";
import { type Place, RouteSeries } from "./route_series.ts";

/** Stands for what is beyond a bound: projects, and models that the catalogue does not have. */
const OTHER = "other";

/** What the catalogue says of ids now. */
export interface CatalogueNames {
  /** The model that a route is of; `undefined` for a route that it does not have. */
  modelOfRoute(route: string): string | undefined;
  /** Whether it has a model of this id: callers choose names that a wildcard stands for. */
  hasModel(model: string): boolean;
}

export class CallMetrics {
  readonly #names: CatalogueNames;
  /** By route; the few of one differ by capability, and those of no route by model too. */
  readonly #routes = new Map<string, RouteSeries[]>();
  readonly #projects = new Map<string, ProjectSeries>();

  constructor(names: CatalogueNames) {
    this.#names = names;
  }

  /** Takes in a call that has ended. */
  take(record: CallRecord): void {
    const { call } = record;
    this.#route(call).take(record);
    (this.#projects.get(call.projectId) ?? this.#newProject(call.projectId)).take(call);
  }

  /** Takes in an attempt that has failed. */
  failed(place: Place, failure: string): void {
    this.#route(place).failed(failure);
  }

  /** The catalogue has changed: forgets what it does not have any more, so that changes do not add up. */
  retain(): void {
    for (const [route, ofRoute] of this.#routes) {
      const kept = ofRoute.filter(({ place: { model }, isOfRoute }) =>
        isOfRoute ? this.#names.modelOfRoute(route) === model : this.#names.hasModel(model)
      );
      if (kept.length === 0) this.#routes.delete(route);
      else this.#routes.set(route, kept);
    }
  }

  /** Everything, as it is now. `currency` is that of the catalogue. */
  *readings(currency: string): Iterable<Reading> {
    const routes = [...this.#routes.values()].flat();
    for (const family of Object.values(ROUTE_FAMILIES)) {
      yield { family, series: routes.flatMap((one) => [...one.of(family, currency)]) };
    }
    const projects = [...this.#projects.values()];
    for (const family of Object.values(PROJECT_FAMILIES)) {
      yield { family, series: projects.flatMap((one) => [...one.of(family, currency)]) };
    }
  }

  #route(place: Place): RouteSeries {
    const ofRoute = this.#routes.get(place.route);
    if (ofRoute === undefined) return this.#newSeries(place);
    for (const series of ofRoute) if (series.isOf(place)) return series;
    return this.#newSeries(place);
  }

  #newSeries(place: Place): RouteSeries {
    const ofRoute = this.#names.modelOfRoute(place.route);
    const known = this.#names.hasModel(place.model) ? place.model : OTHER;
    const series = new RouteSeries({ ...place, model: ofRoute ?? known }, ofRoute !== undefined);
    const others = this.#routes.get(place.route) ?? [];
    const same = others.find((other) => other.isAlike(series));
    if (same !== undefined) return same;
    this.#routes.set(place.route, [...others, series]);
    return series;
  }

  #newProject(id: string): ProjectSeries {
    const label = this.#projects.size < MOST_PROJECTS ? id : OTHER;
    let series = this.#projects.get(label);
    if (series === undefined) this.#projects.set(label, series = new ProjectSeries(label));
    return series;
  }
}
