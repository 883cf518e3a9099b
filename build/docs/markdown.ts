/**
 * Pieces of Markdown that the generated pages are made of.
 *
 * @module
 */

export { code } from "../../src/http/docs/code_text.ts";

/** Said at the head of every generated page. */
export const GENERATED = "<!-- Made by `deno task docs`. Do not edit it here. -->";

/** A page with a title and parts, which are separated by empty lines. */
export function page(title: string, parts: readonly string[]): string {
  return `${[`# ${title}`, GENERATED, ...parts].join("\n\n")}\n`;
}

/** A table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text as it is, in which nothing is taken for HTML. */
export function prose(text: string): string {
  // What is code in the text stays code.
  return text.split(/(`[^`]*`)/).map((part) =>
    part.startsWith("`")
      ? part
      : part.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("*", "\\*").replaceAll(
        "{{",
        "{ {",
      )
  ).join("");
}

function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}
