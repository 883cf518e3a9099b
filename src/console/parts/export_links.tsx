/**
 * What a table shows, as a file.
 *
 * @module
 */

/** Links to it as CSV and as JSON lines. */
export function ExportLinks(
  { path, query, what }: {
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    /** What is in it, and how much at most. */
    readonly what: string;
  },
) {
  const link = (format: string) => `${path}?${new URLSearchParams({ ...query, format })}`;
  return (
    <p class="pager">
      <a class="button" href={link("csv")} download="">CSV</a>
      <a class="button" href={link("jsonl")} download="">JSON lines</a>
      <span class="quiet">{what}</span>
    </p>
  );
}
