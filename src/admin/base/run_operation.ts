/**
 * Runs an operation on input that nobody has checked yet.
 *
 * @module
 */

import type * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { formatPath } from "../../documents/problem.ts";
import { jsonWords, MISSING } from "../../documents/word_issue.ts";
import { RANKS, reaches, type Rights, type Role } from "../../domain/roles.ts";
import { GatewayError } from "../../errors.ts";
import type { AdminDeps, ChangeOrigin } from "./deps.ts";
import type { LocalOperation, Operation, OperationShape } from "./operation.ts";

/** An operation, with input that comes from outside. */
export interface OperationRun {
  readonly deps: AdminDeps;
  readonly input: unknown;
  /** Who asks for it. Default: whoever `deps` were made for. */
  readonly origin?: ChangeOrigin;
}

/**
 * Checks the input against the operation's schema and runs it.
 *
 * @throws {GatewayError} As {@linkcode requireRights} and {@linkcode checkInput}; `storage_away` for one that
 * changes something while the database does not answer; whatever the operation throws.
 */
export async function runOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  { deps, input, origin = deps.origin }: OperationRun,
): Promise<Shown<Output>> {
  requireRights(operation, origin.rights);
  const asked = checkInput(operation, input);
  // However it writes: nobody waits as long as the writer tries. Without a wait where none has to be.
  const answered = operation.changes === undefined ? undefined : deps.changes.whenAnswered();
  if (answered !== undefined) await answered;
  // Other nodes spend meanwhile.
  if (showsBalances(operation)) await deps.ledger.refresh?.();
  const held = await holdTo(origin.rights, { operation, input: asked, deps });
  return await watched(operation, operation.run({ ...deps, origin, act: operation }, held));
}

function showsBalances({ name }: OperationShape): boolean {
  return name.startsWith("projects.") || name === "routes.explain";
}

/**
 * Refuses whom an operation is not for, before a word of what he asks is looked at.
 *
 * @throws {GatewayError} `role_not_allowed`, naming the role that it takes.
 */
export function requireRights(operation: Operation, rights: Rights): void {
  if (mayRun(operation, rights)) return;
  throw new GatewayError(
    "role_not_allowed",
    `${operation.name} takes the role ${rolesOf(operation).join(" or ")}, and this is a ` +
      `${rights.role}'s: ask an owner`,
  );
}

/** The roles that may run an operation, the least first. */
export function rolesOf({ role, heldTo }: Operation): readonly Role[] {
  return [...heldTo === undefined ? [] : ["member" as const], ...RANKS.slice(RANKS.indexOf(role))];
}

/** Whether somebody may run an operation at all; a member then of his project alone. */
export function mayRun({ role, heldTo }: Operation, rights: Rights): boolean {
  return rights.role === "member" ? heldTo !== undefined : reaches(rights.role, role);
}

async function holdTo<Input extends z.ZodType>(
  rights: Rights,
  { operation, input, deps }: {
    readonly operation: Operation<Input>;
    readonly input: z.output<Input>;
    readonly deps: AdminDeps;
  },
): Promise<z.output<Input>> {
  if (rights.role !== "member") return input;
  return await operation.heldTo!(rights.project, input, deps);
}

/**
 * Checks the input and runs an operation that needs no gateway.
 *
 * @throws {GatewayError} As {@linkcode runOperation}.
 */
export async function runLocalOperation<Deps, Input extends z.ZodType, Output extends z.ZodType>(
  operation: LocalOperation<Deps, Input, Output>,
  { deps, input }: { readonly deps: Deps; readonly input: unknown },
): Promise<Shown<Output>> {
  return await watched(operation, operation.run(deps, checkInput(operation, input)));
}

function watched<Answer>(operation: OperationShape, answer: Promise<Answer>): Promise<Answer> {
  return watcher === undefined ? answer : watcher(operation, answer);
}

/** Sees what every operation answers, or how it fails, before whoever asked does. */
export type AnswerWatcher = <Answer>(
  operation: OperationShape,
  answer: Promise<Answer>,
) => Promise<Answer>;

let watcher: AnswerWatcher | undefined;

/** Has every answer of this process seen, as tests do to hold each one against its schema. */
export function watchAnswers(watch: AnswerWatcher): void {
  watcher = watch;
}

/**
 * The input, checked and with its defaults.
 *
 * @throws {GatewayError} `invalid_value` or `missing_required_parameter`, naming
 * every wrong field.
 */
export function checkInput<Input extends z.ZodType>(
  operation: Pick<OperationShape<Input>, "input">,
  input: unknown,
): z.output<Input> {
  const checked = operation.input.safeParse(input, { error: jsonWords });
  if (!checked.success) throw refuse(checked.error);
  return checked.data;
}

/** Unknown fields of one object that are told of. */
const MOST_KEYS_TOLD = 50;

function refuse({ issues }: z.ZodError): GatewayError {
  const first = issues[0]!;
  const isMissing = issues.length === 1 && first.code === "invalid_type" &&
    first.message.startsWith(MISSING);
  return new GatewayError(
    isMissing ? "missing_required_parameter" : "invalid_value",
    issues.map(describe).join("; "),
    { param: paramOf(first) },
  );
}

function describe(issue: z.core.$ZodIssue): string {
  const path = pathOf(issue);
  const message = issue.code === "unrecognized_keys"
    ? `unknown field${issue.keys.length > 1 ? "s" : ""} ${
      issue.keys.slice(0, MOST_KEYS_TOLD).join(", ")
    }`
    : issue.message;
  return path === "" ? message : `${path}: ${message}`;
}

/** The path of what is wrong; for unknown fields that of the first of them. */
function paramOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return pathOf(issue) || undefined;
  return [pathOf(issue), issue.keys[0]].filter((part) => part !== "").join(".");
}

function pathOf({ path }: z.core.$ZodIssue): string {
  return formatPath(path.map((step) => typeof step === "symbol" ? String(step) : step));
}
