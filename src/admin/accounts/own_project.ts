/**
 * What a project's members may ask: about that project. Another one's name is to them one that
 * nobody has, and what is another's is not there.
 *
 * @module
 */

import type { GatewayError } from "../../errors.ts";
import { unknownName } from "../base/not_found.ts";

/**
 * The input with that project, where it names it or none.
 *
 * @throws {GatewayError} `not_found` where it names another one, whether that is there or not.
 */
export function heldToProject<Input extends { readonly project?: string | undefined }>(
  project: string,
  input: Input,
): Input {
  requireSameProject(project, input.project ?? project);
  return { ...input, project };
}

/** @throws {GatewayError} `not_found` */
export function requireSameProject(own: string, named: string): void {
  if (named !== own) throw unknownName("project", named, [own]);
}

/**
 * The input, where what it names is the project's own.
 *
 * @throws {GatewayError} What `missing` makes.
 */
export function heldToOwn<Input>(
  input: Input,
  { of, project, missing }: {
    /** Whose it is; `undefined` where it is not there. */
    readonly of: string | undefined;
    readonly project: string;
    missing(): GatewayError;
  },
): Input {
  if (of !== project) throw missing();
  return input;
}
