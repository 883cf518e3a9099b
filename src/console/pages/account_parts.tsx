/**
 * What the pages of a project and of a key are alike in: its state, what it has spent of its budgets,
 * and the forms of its budgets and limits.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import type { AccountRow } from "../../admin/accounts/account.ts";
import type { Operation } from "../../admin/base/operation.ts";
import type { ConsoleContext, FormFields } from "../frame/console_env.ts";
import { Field, Form } from "../parts/form.tsx";
import { Moment, State } from "../parts/table.tsx";
import { addAction, type ConsoleApp } from "./page_routes.ts";

/** What is limited, as the form asks for it. */
const LIMITS = [
  ["requests_per_minute", "Requests per minute"],
  ["tokens_per_minute", "Tokens per minute"],
  ["concurrent", "Calls at one time"],
  ["open_video_tasks", "Unfinished video tasks"],
] as const;

/** Whether it may be used, and if not, why. */
export function stateOfAccount(
  { disabled, paused, expired = false, reached_budgets: reached }:
    & Pick<AccountRow, "disabled" | "paused" | "reached_budgets">
    & { readonly expired?: boolean },
) {
  if (disabled) return <State kind="bad">disabled</State>;
  if (expired) return <State kind="bad">expired</State>;
  if (paused !== null) return <State kind="bad">paused</State>;
  if (reached.length > 0) return <State kind="warn">budget reached</State>;
  return <State kind="good">active</State>;
}

/** Whether it is to be resumed, rather than to be switched on. */
export function isHeldBack({ paused, reached_budgets: reached }: AccountRow): boolean {
  return paused !== null || reached.length > 0;
}

/** What it has spent, of what it may, and what bounds it besides. */
export function boundFacts(
  { spent, budgets, paused, limits }: AccountRow,
  currency: string,
): readonly (readonly [string, Child])[] {
  const sum = (amount: string, most?: string) =>
    most === undefined ? `${amount} ${currency}` : `${amount} of ${most} ${currency}`;
  const { daily, monthly, spend_brake: brake, spend_brake_floor: floor } = budgets;
  const leavesAlone = floor === undefined ? "" : `, and more than ${sum(floor)}`;
  return [
    ["Spent this hour", sum(spent.hour)],
    ["Spent today", sum(spent.day, daily)],
    ["Spent this month", sum(spent.month, monthly)],
    ["Spend brake", brake && `pauses at ${brake} usual hours${leavesAlone}`],
    [
      "Paused",
      paused && (
        <>
          <Moment at={paused.at} />
          {`: ${sum(paused.spent_in_hour)} in an hour, where ${paused.usual_hour} is usual`}
        </>
      ),
    ],
    [
      "Limits",
      LIMITS.flatMap(([name, label]) =>
        limits[name] === undefined ? [] : [`${label.toLowerCase()}: ${limits[name]}`]
      ).join(", "),
    ],
  ];
}

interface BoundFormParts {
  readonly context: ConsoleContext;
  readonly row: AccountRow;
  /** The account's page, below which its forms are. */
  readonly path: string;
}

/** Nothing for who may not change them. */
export function BudgetsForm({ context, row: { budgets }, path }: BoundFormParts) {
  return (
    <Form
      context={context}
      action={`${path}/budgets`}
      heading="Budgets"
      submit="Change budgets"
    >
      <Field
        name="daily"
        param="budgets.daily"
        label="Daily (empty: none)"
        value={budgets.daily ?? ""}
      />
      <Field
        name="monthly"
        param="budgets.monthly"
        label="Monthly (empty: none)"
        value={budgets.monthly ?? ""}
      />
      <Field
        name="brake"
        param="budgets.spend_brake"
        label="Brake: pause at so many usual hours (empty: none)"
        value={budgets.spend_brake?.toString() ?? ""}
      />
    </Form>
  );
}

/** Nothing for who may not change them. */
export function LimitsForm({ context, row: { limits }, path }: BoundFormParts) {
  return (
    <Form context={context} action={`${path}/limits`} heading="Limits" submit="Change limits">
      {LIMITS.map(([name, label]) => (
        <Field
          name={name}
          param={`limits.${name}`}
          label={`${label} (empty: none)`}
          value={limits[name]?.toString() ?? ""}
          inputmode="numeric"
          pattern="[0-9]+"
          title="A whole number"
        />
      ))}
    </Form>
  );
}

/** What {@linkcode BudgetsForm} and {@linkcode LimitsForm} do. */
export function addBoundActions(app: ConsoleApp, { path, operation, named, next }: {
  /** The account's page, below `/console`. */
  readonly path: string;
  /** Takes `budgets` and `limits`. */
  readonly operation: Operation;
  /** What names the account in the operation's input. */
  readonly named: (fields: FormFields) => object;
  readonly next: (fields: FormFields) => string;
}): void {
  addAction(app, {
    path: `${path}/budgets`,
    operation,
    input: ({ daily, monthly, brake, ...rest }) => ({
      ...named(rest),
      budgets: {
        daily: daily ?? null,
        monthly: monthly ?? null,
        spend_brake: brake === undefined ? null : Number(brake),
      },
    }),
    next,
    done: "changed",
  });
  addAction(app, {
    path: `${path}/limits`,
    operation,
    input: (fields) => ({
      ...named(fields),
      limits: Object.fromEntries(
        LIMITS.map(([name]) => [name, fields[name] ? Number(fields[name]) : null]),
      ),
    }),
    next,
    done: "changed",
  });
}
