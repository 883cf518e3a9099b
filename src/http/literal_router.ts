/**
 * Finds the handlers of a path: those of the hot paths without a search.
 *
 * @module
 */

import type { Result, Router } from "@hono/hono/router";
import { TrieRouter } from "@hono/hono/router/trie-router";

/**
 * Hono's router that knows any pattern, which remembers what it found for paths that have no
 * parameters. Hono's fast one refuses `/videos/edits` beside `/videos/:id/remix`.
 */
export class LiteralRouter<Handler> implements Router<Handler> {
  readonly name = "LiteralRouter";
  readonly #patterns = new TrieRouter<Handler>();
  readonly #methods = new Set<string>();
  /** By path, then by method: no more than were added, whatever is asked for. */
  readonly #literal = new Map<string, Map<string, Result<Handler>>>();

  add(method: string, path: string, handler: Handler): void {
    this.#patterns.add(method, path, handler);
    this.#methods.add(method);
    for (const found of this.#literal.values()) found.clear();
    if (!/[:*?{]/.test(path)) this.#literal.set(path, new Map());
  }

  match(method: string, path: string): Result<Handler> {
    const found = this.#literal.get(path);
    if (found === undefined || !this.#methods.has(method)) {
      return this.#patterns.match(method, path);
    }
    let result = found.get(method);
    if (result === undefined) found.set(method, result = this.#patterns.match(method, path));
    return result;
  }
}
