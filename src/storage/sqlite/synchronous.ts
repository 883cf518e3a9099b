/**
 * Ports as a driver implements them in its own thread.
 *
 * @module
 */

type SynchronousMethod<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Result
  : never;

/** A port's methods without their promises. */
export type Synchronous<Port> = { [name in keyof Port]: SynchronousMethod<Port[name]> };
