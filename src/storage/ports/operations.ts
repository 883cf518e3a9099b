/**
 * How a port lists its operations: as data, with what each takes and gives, and who may serve it.
 * What calls them elsewhere, and what serves them there, follows from the list.
 *
 * @module
 */

/**
 * Who may serve an operation.
 *
 * - `anyone`: the writer, in order with its writes, or a reader beside it.
 * - `anyone_after_sums`: likewise, once the writer has written the sums that it gathers.
 * - `writer`: the writer alone.
 */
export type ServedBy = "anyone" | "anyone_after_sums" | "writer";

/** An operation; `Method` is what it takes and gives in the thread that serves it. */
export interface Operation<Method = unknown> {
  readonly servedBy: ServedBy;
  /** There for the type alone. */
  readonly method?: Method;
}

/** Operations by name. */
export interface OperationLists {
  readonly [name: string]: Operation;
}

/** An operation that reads. */
export function reads<Method>(): Operation<Method> {
  return { servedBy: "anyone" };
}

/** An operation that reads sums, which are written some time after what they add up. */
export function readsSums<Method>(): Operation<Method> {
  return { servedBy: "anyone_after_sums" };
}

/** An operation that writes. */
export function writes<Method>(): Operation<Method> {
  return { servedBy: "writer" };
}

type MethodOf<Of> = Of extends Operation<infer Method> ? Method : never;

/** Operations as a driver implements them in its own thread. */
export type Synchronous<List> = { readonly [name in keyof List]: MethodOf<List[name]> };

/** Operations as they are called. */
export type Asynchronous<List> = {
  readonly [name in keyof List]: MethodOf<List[name]> extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};
