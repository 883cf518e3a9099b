/**
 * The rows of one table in a dump of SQLite, MySQL or PostgreSQL: `INSERT INTO … VALUES` and
 * `COPY … FROM stdin`.
 *
 * @module
 */

import type { JsonObject } from "../../../domain/json_value.ts";

/** Rows that one dump may have of a table. */
const MOST_ROWS = 100_000;

/** Whether a text is a dump rather than JSON or YAML. */
export function isSqlDump(text: string): boolean {
  return /^[ \t]*(?:INSERT INTO|COPY|CREATE TABLE)\s/im.test(text);
}

/** The rows of a table, by the names of its columns. */
export function rowsOf(dump: string, table: string): readonly JsonObject[] {
  const name = `(?:\\w+\\.)?["\`]?${table}["\`]?`;
  const created = createdColumns(dump, name);
  return [...insertedRows(dump, name, created), ...copiedRows(dump, name)].slice(0, MOST_ROWS);
}

/** The columns in the table's order, for rows that do not name them. */
function createdColumns(dump: string, name: string): readonly string[] {
  const start = new RegExp(`CREATE TABLE (?:IF NOT EXISTS )?${name}\\s*\\(`, "i").exec(dump);
  if (start === null) return [];
  const columns: string[] = [];
  let depth = 0;
  let part = "";
  let quote = "";
  for (const char of dump.slice(start.index + start[0].length)) {
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === "'" || char === '"' || char === "`") quote = char;
    else if (char === "(") depth++;
    else if (char === ")" && depth-- === 0) break;
    if (char === "," && depth === 0 && quote === "") {
      columns.push(part);
      part = "";
    } else part += char;
  }
  return [...columns, part].flatMap((text) => {
    const [, word = ""] = /^\s*["`]?(\w+)["`]?/.exec(text) ?? [];
    return /^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FOREIGN|CHECK)$/.test(word) ? [] : [word];
  });
}

function* insertedRows(
  dump: string,
  name: string,
  created: readonly string[],
): Generator<JsonObject> {
  const start = new RegExp(
    `INSERT (?:OR \\w+ )?INTO ${name}\\s*(\\([^()]*\\))?\\s*VALUES\\s*`,
    "gi",
  );
  for (let found = start.exec(dump); found !== null; found = start.exec(dump)) {
    const columns = found[1] === undefined ? created : namesIn(found[1]);
    const reader = new TupleReader(dump, start.lastIndex);
    for (let values = reader.next(); values !== undefined; values = reader.next()) {
      yield Object.fromEntries(columns.map((column, index) => [column, values![index] ?? null]));
    }
    start.lastIndex = reader.at;
  }
}

function namesIn(list: string): readonly string[] {
  return list.slice(1, -1).split(",").map((name) => name.trim().replaceAll(/["`]/g, ""));
}

/** Reads `(1,'it''s',NULL),(…)`. */
class TupleReader {
  at: number;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** The next tuple; `undefined` after the last. */
  next(): readonly (string | number | null)[] | undefined {
    this.#skip(/[\s,]/);
    if (this.#text[this.at] !== "(") return undefined;
    this.at++;
    const values: (string | number | null)[] = [];
    while (this.at < this.#text.length) {
      this.#skip(/[\s,]/);
      const char = this.#text[this.at];
      if (char === ")") {
        this.at++;
        return values;
      }
      values.push(char === "'" ? this.#quoted() : this.#bare());
    }
    return undefined;
  }

  #skip(what: RegExp): void {
    while (this.at < this.#text.length && what.test(this.#text[this.at]!)) this.at++;
  }

  #bare(): string | number | null {
    const from = this.at;
    while (this.at < this.#text.length && !/[,)]/.test(this.#text[this.at]!)) this.at++;
    const word = this.#text.slice(from, this.at).trim();
    if (/^null$/i.test(word)) return null;
    return word !== "" && Number.isFinite(Number(word)) ? Number(word) : word;
  }

  /** MySQL escapes with `\`, SQLite and PostgreSQL do not, and all double a quote. */
  #quoted(): string {
    let value = "";
    this.at++;
    while (this.at < this.#text.length) {
      const char = this.#text[this.at++]!;
      if (char === "'") {
        if (this.#text[this.at] !== "'") return value;
        this.at++;
        value += "'";
      } else if (char === "\\" && /['"\\nrt0]/.test(this.#text[this.at] ?? "")) {
        value += ESCAPES[this.#text[this.at]!] ?? this.#text[this.at]!;
        this.at++;
      } else value += char;
    }
    return value;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", 0: "\0" };

/** PostgreSQL's: a line for each row, tabs between, `\N` for nothing, `\.` at the end. */
function* copiedRows(dump: string, name: string): Generator<JsonObject> {
  const start = new RegExp(`^COPY ${name}\\s*(\\([^()]*\\)) FROM stdin;\\r?\\n`, "gim");
  for (let found = start.exec(dump); found !== null; found = start.exec(dump)) {
    const columns = namesIn(found[1]!);
    for (const line of linesFrom(dump, start.lastIndex)) {
      const values = line.split("\t").map((cell) =>
        cell === "\\N"
          ? null
          : cell.replaceAll(/\\([nrt\\])/g, (_all, char) => ESCAPES[char] ?? char)
      );
      yield Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
    }
  }
}

function* linesFrom(text: string, from: number): Generator<string> {
  for (let at = from; at < text.length;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, "");
    if (line === "\\.") return;
    yield line;
    at = end === -1 ? text.length : end + 1;
  }
}
