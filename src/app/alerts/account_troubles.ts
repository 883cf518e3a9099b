/**
 * What is the matter with projects and keys: budgets that are passed, brakes that are pulled,
 * balances that end. Looked at now and then, in slices: no call pays for it.
 *
 * @module
 */

import type { AdminDeps } from "../../admin/base/deps.ts";
import type { Budgets } from "../../domain/budgets.ts";
import { endOf, hasBudget, hourOf, periodOf } from "../../domain/budgets.ts";
import type { Trouble } from "../../domain/alert.ts";
import type { Project } from "../../domain/account.ts";
import { formatAmount } from "../../domain/money.ts";
import type { SpendScope } from "../../domain/spending.ts";

/** What is looked at. */
export type AccountDeps = Pick<
  AdminDeps,
  "directory" | "ledger" | "spending" | "catalogue" | "clock"
>;

/** Per cent of a budget that are told, the highest first. */
const LEVELS = [100, 80, 50] as const;
/** Looked at in one go: a call may have to wait for it. */
const SLICE = 500;
/** A project that has never spent may just not be credited yet. */
const NEW_PROJECT_MS = 300_000;

/** @param markOf What a trouble that stands was measured by when it began. */
export async function accountTroubles(
  deps: AccountDeps,
  markOf: (key: string) => string | undefined,
): Promise<readonly Trouble[]> {
  const { directory } = deps;
  const found: Trouble[] = [];
  let looked = 0;
  const poor: Project[] = [];
  const rest = () => ++looked % SLICE === 0 ? new Promise((resolve) => setTimeout(resolve)) : null;
  for (const project of [...directory.projects()]) {
    await rest();
    if (project.disabled) continue;
    found.push(...spendTroubles(deps, "project", project));
    if (!project.unlimited && balanceTroubles(deps, project, markOf).length > 0) poor.push(project);
  }
  for (const project of await stillPoor(deps, poor, markOf)) {
    found.push(...balanceTroubles(deps, project, markOf));
  }
  for (const key of [...directory.keys()]) {
    await rest();
    if (key.disabled) continue;
    const { budgets } = key;
    if (!hasBudget(budgets) && budgets.brakeTimes === undefined) continue;
    found.push(...spendTroubles(deps, "key", key));
  }
  return found;
}

/**
 * Those that have little also by what is stored: where nodes share balances, this one may have read them
 * long ago, or never. While they cannot be read, what stood stands.
 */
async function stillPoor(
  { ledger }: AccountDeps,
  poor: readonly Project[],
  markOf: (key: string) => string | undefined,
): Promise<readonly Project[]> {
  if (ledger.refresh === undefined || poor.length === 0) return poor;
  if (await ledger.refresh(poor.map(({ id }) => id))) return poor;
  return poor.filter(({ id }) => markOf(lowMark(id)) !== undefined);
}

function lowMark(projectId: string): string {
  return `balance:${projectId}/low`;
}

/** A project or key, as far as its spending goes. */
interface SpendingAccount {
  readonly id: string;
  readonly budgets: Budgets;
  readonly projectId?: string;
}

function spendTroubles(
  deps: AccountDeps,
  scope: SpendScope,
  { id, budgets, projectId }: SpendingAccount,
): readonly Trouble[] {
  const { pause, dayE8, monthE8 } = deps.spending.view({ scope, id });
  const who = {
    name: `${scope === "project" ? "Project" : "Key"} ${id}`,
    id: `${scope}/${id}`,
    command: `tollgate ${scope}s`,
    project: projectId ?? id,
    path: `/console/${scope}s/${encodeURIComponent(id)}`,
  };
  const { project, path } = who;
  const { currency } = deps.catalogue.current.catalogue;
  const hour = hourOf(deps.clock.now());
  const found: Trouble[] = [];
  if (pause !== undefined) {
    found.push({
      ...{ cause: "brake", id: who.id, severity: "grave", project, path },
      text: `${who.name} is paused by its spend brake: it spent ${formatAmount(pause.spentE8)} ` +
        `${currency} in an hour, where ${formatAmount(pause.usualE8)} is usual`,
      help: `${who.command} resume ${id}`,
    });
  }
  const windows = [
    { period: "day", word: "daily", spentE8: dayE8, budgetE8: budgets.dailyE8 },
    { period: "month", word: "monthly", spentE8: monthE8, budgetE8: budgets.monthlyE8 },
  ] as const;
  for (const { period, word, spentE8, budgetE8 } of windows) {
    if (budgetE8 === undefined) continue;
    const passed = LEVELS.filter((level) => spentE8 * 100n >= budgetE8 * BigInt(level));
    for (const [at, level] of passed.entries()) {
      found.push({
        ...{ cause: "budget", severity: "warning", project, path },
        id: `${who.id}/${period}/${periodOf(period, hour)}/${level}`,
        text: level === 100
          ? `${who.name} has reached its ${word} budget: ${formatAmount(spentE8)} of ` +
            `${formatAmount(budgetE8)} ${currency} are spent, and its calls are refused`
          : `${who.name} has spent ${level} % of its ${word} budget: ${formatAmount(spentE8)} of ` +
            `${formatAmount(budgetE8)} ${currency}`,
        help: level === 100
          ? `${who.command} resume ${id}, or a larger budget: ${who.command} set ${id}`
          : `${who.command} show ${id}`,
        ...(level !== 100 && { onceUntil: endOf(period, hour) }),
        ...(at > 0 && { isCovered: true }),
      });
    }
  }
  return found;
}

/** Less than it spent today, or than a tenth of what it spent this month; until it is credited. */
function balanceTroubles(
  deps: AccountDeps,
  { id }: Project,
  markOf: (key: string) => string | undefined,
): readonly Trouble[] {
  const { avail } = deps.ledger.balanceOf(id);
  const { dayE8, monthE8 } = deps.spending.view({ scope: "project", id });
  const { currency } = deps.catalogue.current.catalogue;
  const isGone = avail <= 0n;
  const mark = markOf(lowMark(id));
  // Midnight makes nobody richer: what was little stays it until there is more.
  const isLow = isGone || (mark !== undefined && avail <= BigInt(mark)) ||
    avail < dayE8 || avail * 10n < monthE8;
  if (!isLow) return [];
  const shared = {
    ...{ cause: "balance", severity: "warning", project: id } as const,
    path: `/console/projects/${encodeURIComponent(id)}`,
    help: `tollgate projects credit ${id} AMOUNT`,
  };
  const low: Trouble = {
    ...shared,
    id: `${id}/low`,
    text: `Project ${id} has ${formatAmount(avail)} ${currency} left, and spent ` +
      `${formatAmount(dayE8)} today`,
    mark: String(avail),
    ...(isGone && { isCovered: true }),
  };
  if (!isGone) return [low];
  return [low, {
    ...shared,
    id: `${id}/gone`,
    text: `Project ${id} has nothing left to spend: its calls are refused`,
    ...(monthE8 === 0n && { afterMs: NEW_PROJECT_MS }),
  }];
}
