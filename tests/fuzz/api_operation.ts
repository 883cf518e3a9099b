/**
 * The operations of an API, as its published document tells them.
 *
 * @module
 */

/** A JSON Schema. */
export type Schema = { readonly [keyword: string]: unknown };

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

/** One method of one path. */
export interface ApiOperation {
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** With parameters in braces: `/v1/videos/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Schemas of the body by media type. */
  readonly bodies: readonly (readonly [type: string, schema: Schema])[];
  /** Documented statuses with the media types of their bodies. */
  readonly answers: ReadonlyMap<number, readonly string[]>;
  readonly isPublic: boolean;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: object }>;
  readonly security?: readonly unknown[];
}

/** An OpenAPI document. */
export interface ApiDocument {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
}

/** Every operation of the document, in its order. */
export function readOperations({ paths }: ApiDocument): readonly ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      bodies: Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
        [type, schema] as const
      ),
      answers: new Map(
        Object.entries(operation.responses).map(([status, { content }]) => [
          Number(status),
          Object.keys(content ?? {}),
        ]),
      ),
      isPublic: operation.security?.length === 0,
    }))
  );
}

/** Finds the operation that a request line is for; a path's own text beats a parameter. */
export class OperationFinder {
  readonly #entries: readonly { readonly pattern: RegExp; readonly operation: ApiOperation }[];

  constructor(operations: readonly ApiOperation[]) {
    // Ids of models may have slashes.
    const part = (_: string, at: number, path: string) =>
      path.slice(0, at).endsWith("/models/") ? "[^?]+" : "[^/?]+";
    this.#entries = operations.map((operation) => ({
      pattern: new RegExp(
        `^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, part)}(?:\\?|$)`,
      ),
      operation,
    }));
  }

  /** `undefined` where the document has none. `HEAD` is `GET` where it has no words of its own. */
  find(method: string, target: string): ApiOperation | undefined {
    const path = target.replace(/^https?:\/\/[^/]+/i, "");
    const fitting = this.#entries.filter(({ pattern }) => pattern.test(path))
      .map(({ operation }) => operation);
    return fitting.find((one) => one.method === method) ??
      (method === "HEAD" ? fitting.find((one) => one.method === "GET") : undefined);
  }
}
