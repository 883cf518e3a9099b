/**
 * Statements that are prepared, and what SQLite says it will do with them.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A line for each step. */
export function planOf(database: DatabaseSync, sql: string): readonly string[] {
  return database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail));
}

/** The connection, noting the SQL of each statement that is prepared. */
export function listening(database: DatabaseSync, prepared: Set<string>): DatabaseSync {
  return new Proxy(database, {
    get(target, name) {
      if (name !== "prepare") {
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (sql: string): StatementSync => {
        prepared.add(sql);
        return target.prepare(sql);
      };
    },
  });
}
