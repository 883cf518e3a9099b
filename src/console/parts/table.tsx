/**
 * Tables and facts, as every page shows them.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { ExportLinks } from "./export_links.tsx";

/** One column of a table. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => Child;
  /** Numbers stand to the right; long texts are broken. */
  readonly kind?: "right" | "wide";
}

/** Rows as a table, or a sentence where there are none. */
export function Table<Row>(
  { rows, columns, caption, none }: {
    readonly rows: readonly Row[];
    readonly columns: readonly Column<Row>[];
    readonly caption: string;
    readonly none: string;
  },
) {
  if (rows.length === 0) return <p class="sheet quiet">{none}</p>;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ header, kind }) => <th scope="col" class={kind}>{header}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{columns.map(({ value, kind }) => <td class={kind}>{value(row)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="facts sheet">
      {facts.filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

/** A few large numbers. */
export function Figures({ figures }: { readonly figures: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The next page of a list; the first one where this is another. Its last word is the list's as a file. */
export function Pager(
  { path, page, query = {} }: {
    readonly path: string;
    readonly page: { readonly has_more: boolean; readonly last_id: string | null };
    readonly query?: Readonly<Record<string, string | undefined>>;
  },
) {
  const kept = Object.entries(query).filter(([name, value]) =>
    name !== "after" && value !== undefined && value !== ""
  ) as [string, string][];
  const link = (more: readonly [string, string][]) =>
    `${path}?${new URLSearchParams([...kept, ...more])}`;
  return (
    <>
      <p class="pager">
        {query.after !== undefined && <a class="button" href={link([])}>First page</a>}
        {page.has_more && page.last_id !== null && (
          <a class="button" href={link([["after", page.last_id]])}>Next page</a>
        )}
      </p>
      <ExportLinks
        path={path.replace("/console/", "/console/export/")}
        query={Object.fromEntries(kept)}
        what="All of them, as far as 20,000"
      />
    </>
  );
}

/** A word for how something is, with a colour beside it. */
export function State(
  { kind, children }: { readonly kind: "good" | "warn" | "bad"; readonly children?: Child },
) {
  return <span class={`state ${kind}`}>{children}</span>;
}

/** A moment to the second, as people read it. */
export function Moment({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="quiet">–</span>;
  return <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)}`}</time>;
}
