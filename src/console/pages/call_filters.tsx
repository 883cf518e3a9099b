/**
 * What calls are looked for by: fields of a form, which the page's address keeps.
 *
 * @module
 */

import type { ConsoleContext } from "../frame/console_env.ts";
import { Field } from "../parts/form.tsx";

/** The filters by their names in the address, which are those of the operation. */
const FIELDS = [
  { name: "project", label: "Project" },
  { name: "key", label: "Key", placeholder: "its id" },
  { name: "model", label: "Model" },
  { name: "route", label: "Route" },
  { name: "error", label: "Error code" },
  { name: "slower_than", label: "Slower than, in ms", inputmode: "numeric" },
  { name: "dearer_than", label: "Dearer than", placeholder: "0.05", inputmode: "decimal" },
  { name: "tag", label: "Tag", placeholder: "name=value" },
  { name: "id", label: "Text in the request id" },
  { name: "from", label: "From", placeholder: "24h, today, 2026-11-01" },
  { name: "to", label: "To", placeholder: "the same" },
] as const;

const STATUSES = [
  ["", "any"],
  ["open", "open"],
  ["served", "served"],
  ["failed", "failed"],
  ["aborted", "aborted by the caller"],
  ["refused", "refused"],
] as const;

/** What is asked for, by name; what was left empty is not there. */
export type CallFilters = Readonly<Record<string, string>>;

/** The filters that an address has. */
export function filtersIn(context: ConsoleContext): CallFilters {
  const query = context.req.query();
  const names = [...FIELDS.map(({ name }) => name), "status"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name]?.trim();
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

/** The form, with what is asked for now. */
export function FilterForm({ filters }: { readonly filters: CallFilters }) {
  return (
    <details class="sheet filters" open={Object.keys(filters).length > 0}>
      <summary>Filters</summary>
      <form method="get" action="/console/calls" class="fields">
        <label>
          Status
          <select name="status">
            {STATUSES.map(([value, words]) => (
              <option value={value} selected={(filters.status ?? "") === value}>{words}</option>
            ))}
          </select>
        </label>
        {FIELDS.map(({ name, ...field }) => <Field name={name} value={filters[name]} {...field} />)}
        <button type="submit" class="main">Show</button>
        <a class="button" href="/console/calls">Show all</a>
      </form>
    </details>
  );
}
