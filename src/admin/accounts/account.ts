/**
 * What projects and keys are alike in: both spend, are bounded, shown, switched and resumed.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Project, ProjectKey } from "../../domain/account.ts";
import type { AuditFields } from "../../domain/audit.ts";
import { formatAmount } from "../../domain/money.ts";
import type { SpendSubject } from "../../domain/spending.ts";
import type { GatewayError } from "../../errors.ts";
import type { AdminEntry } from "../../storage/ports/entry.ts";
import { shownAmount, shownTime, timeToJson } from "../base/fields.ts";
import { commitChange, commitDifference, oneAtATime } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { defineOperation } from "../base/operation.ts";
import { goneCursor, type Page, pageOf } from "../base/page.ts";
import { budgets, budgetsField, limits, limitsField } from "./bounds.ts";

/** The fields that both show. */
export const accountFields = {
  limits: limitsField,
  budgets: budgetsField,
  spent: z.object({ hour: shownAmount, day: shownAmount, month: shownAmount }).describe(
    "Of the running UTC hour, day and month, since the last resume where one fell into them",
  ),
  paused: z.object({
    at: shownTime,
    spent_in_hour: shownAmount,
    usual_hour: shownAmount,
    most: shownAmount,
  }).nullable().describe("What its spend brake saw; null when it is not paused"),
  reached_budgets: z.array(z.enum(["daily", "monthly"])).describe(
    "Budgets that are used up, by what is spent and what calls under way may cost",
  ),
  disabled: z.boolean(),
  created_at: shownTime,
};

const accountRow = z.object(accountFields);

/** What is shown of both. */
export type AccountRow = Shown<typeof accountRow>;

export function accountRowOf(
  { spending }: Pick<AdminDeps, "spending">,
  scope: SpendSubject["scope"],
  account: Project | ProjectKey,
): AccountRow {
  const { hourE8, dayE8, monthE8, pause, reached } = spending.view({ scope, id: account.id });
  return {
    limits: limits.show(account.limits),
    budgets: budgets.show(account.budgets),
    spent: {
      hour: formatAmount(hourE8),
      day: formatAmount(dayE8),
      month: formatAmount(monthE8),
    },
    paused: pause === undefined ? null : {
      at: timeToJson(pause.at),
      spent_in_hour: formatAmount(pause.spentE8),
      usual_hour: formatAmount(pause.usualE8),
      most: formatAmount(pause.mostE8),
    },
    reached_budgets: reached.map((period) => period === "day" ? "daily" : "monthly"),
    disabled: account.disabled,
    created_at: timeToJson(account.createdAt),
  };
}

/** One of the two: how it is named, stored and shown. */
export interface AccountKind<
  Account extends Project | ProjectKey,
  Input extends z.ZodType,
  Row extends z.ZodType<AccountRow>,
> {
  readonly scope: SpendSubject["scope"];
  /** Below `/admin/v1`, of one of them. */
  readonly path: string;
  /** Names one. */
  readonly input: Input;
  idOf(input: z.output<Input>): string;
  readonly shown: Row;
  row(deps: AdminDeps, account: Account): Shown<Row>;
  find(deps: AdminDeps, id: string): Account | undefined;
  missing(deps: AdminDeps, id: string): GatewayError;
  /** As an operation's `heldTo`. */
  heldTo<Named extends z.output<Input>>(project: string, input: Named, deps: AdminDeps): Named;
  update(account: Account): AdminEntry;
  /** Has calls see it as it is stored. */
  put(deps: AdminDeps, account: Account): void;
}

/** Any of the two. */
// deno-lint-ignore no-explicit-any -- of a kind, its parts fit each other
type AnyKind<Account extends Project | ProjectKey> = AccountKind<Account, any, any>;

/**
 * The one of that id, whole: how a key begins might be another one's tomorrow.
 *
 * @throws {GatewayError} `not_found`
 */
export function requireAccount<Account extends Project | ProjectKey>(
  deps: AdminDeps,
  kind: AnyKind<Account>,
  id: string,
): Account {
  const account = kind.find(deps, id);
  if (account === undefined) throw kind.missing(deps, id);
  return account;
}

/**
 * A page of them, as storage lists their ids: what was deleted since is left out.
 *
 * @param idsOf At most `most` ids, of those behind `after`.
 * @throws {GatewayError} `invalid_value` where what `after` names is gone.
 */
export async function pageOfAccounts<
  Account extends Project | ProjectKey,
  Row extends { readonly id: string },
>(
  deps: AdminDeps,
  kind: AnyKind<Account> & { row(deps: AdminDeps, account: Account): Row },
  { limit, after: afterId, within }: {
    readonly limit: number;
    readonly after?: string | undefined;
    /** Whether one is in the list; absent: all are. */
    within?(account: Account): boolean;
  },
  idsOf: (after: Account | undefined, most: number) => Promise<readonly string[]>,
): Promise<Page<Row>> {
  const after = afterId === undefined ? undefined : kind.find(deps, afterId);
  const isThere = after !== undefined && (within === undefined || within(after));
  if (afterId !== undefined && !isThere) throw goneCursor(kind.scope, afterId);
  const ids = await idsOf(after, limit + 1);
  const rows = ids.slice(0, limit).flatMap((id) => {
    const account = kind.find(deps, id);
    return account === undefined ? [] : [kind.row(deps, account)];
  });
  // Behind a page without a last row nobody could go on.
  const hasMore = ids.length > limit && rows.length > 0;
  return pageOf(rows, { limit, idOf: ({ id }) => id, hasMore });
}

/** Of a row what moves with every call or with time, or is known without it. */
const NO_SETTINGS: ReadonlySet<string> = new Set(
  "id balance held currency spent paused reached_budgets kept expired".split(" "),
);

/** The settings for the audit log: never a key and never its hash. */
export function settingsOf<Account extends Project | ProjectKey>(
  deps: AdminDeps,
  kind: AnyKind<Account>,
  account: Account,
): AuditFields {
  const row: object = kind.row(deps, account);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !NO_SETTINGS.has(name)));
}

/** Changes one, if anything differs, after every change before this one; gives its row. */
export function changeAccount<Account extends Project | ProjectKey, Row>(
  deps: AdminDeps,
  kind: AnyKind<Account> & { row(deps: AdminDeps, account: Account): Row },
  { id, change }: { readonly id: string; change(before: Account): Account },
): Promise<Row> {
  return oneAtATime(deps, async (deps) => {
    const before = requireAccount(deps, kind, id);
    const after = change(before);
    await commitDifference(deps, {
      id,
      before: settingsOf(deps, kind, before),
      after: settingsOf(deps, kind, after),
      entries: [kind.update(after)],
      put: () => kind.put(deps, after),
    }, { missing: kind.missing(deps, id).message });
    return kind.row(deps, after);
  });
}

/** The operations that both have. */
export function accountOperations<
  Account extends Project | ProjectKey,
  Input extends z.ZodType,
  Row extends z.ZodType<AccountRow>,
>(
  kind: AccountKind<Account, Input, Row>,
  summaries: { readonly show: string; readonly enable: string; readonly disable: string },
) {
  const { scope, path, input, shown: output } = kind;
  const about = { input, output, errors: ["not_found"] } as const;
  const change = (verb: string, summary: string) =>
    ({
      ...about,
      name: `${scope}s.${verb}`,
      method: "POST",
      path: `${path}/${verb}`,
      role: "operator",
      changes: scope,
      summary,
    }) as const;
  const switchTo = (disabled: boolean) => (deps: AdminDeps, named: z.output<Input>) =>
    changeAccount(deps, kind, {
      id: kind.idOf(named),
      change: (before) => ({ ...before, disabled }),
    });
  return {
    show: defineOperation({
      ...about,
      name: `${scope}s.show`,
      method: "GET",
      path,
      role: "viewer",
      summary: summaries.show,
      heldTo: kind.heldTo,
      run: (deps, named) =>
        Promise.resolve(kind.row(deps, requireAccount(deps, kind, kind.idOf(named)))),
    }),
    enable: defineOperation({ ...change("enable", summaries.enable), run: switchTo(false) }),
    disable: defineOperation({
      ...change("disable", summaries.disable),
      run: switchTo(true),
      // A project is switched off by who runs the gateway, and so is whatever he has switched off on.
      ...(scope === "key" && { heldTo: kind.heldTo }),
    }),
    resume: defineOperation({
      ...change(
        "resume",
        "End a pause by the spend brake, and begin every budget anew that is reached.",
      ),
      run: (deps, named) =>
        oneAtATime(deps, async (deps) => {
          const account = requireAccount(deps, kind, kind.idOf(named));
          const { paused, reached_budgets } = kind.row(deps, account);
          await deps.spending.resume({ scope, id: account.id }, (state) =>
            commitChange(deps, {
              id: account.id,
              before: { paused, reached_budgets },
              after: { paused: null, reached_budgets: [] },
              entries: [{ kind: "put_spend_state", state }],
            }));
          return kind.row(deps, account);
        }),
    }),
  };
}
