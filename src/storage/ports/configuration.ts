/**
 * Configuration that several nodes have in memory and change: each change has a number, so that each
 * node knows what it has not heard of yet.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../domain/account.ts";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Instant } from "../../domain/instant.ts";
import type { SpendState } from "../../domain/spending.ts";
import type { VideoPause } from "../../domain/video_pause.ts";

/** How far the configuration has come; it rises with every change. */
export type ConfigurationVersion = number;

/** The step that an entry has taken. */
export interface ConfigurationStep {
  readonly before: ConfigurationVersion;
  readonly after: ConfigurationVersion;
}

/** What has changed since a version, as it is at another. */
export interface ConfigurationNews {
  readonly version: ConfigurationVersion;
  readonly projects: readonly Project[];
  readonly keys: readonly ProjectKey[];
  readonly deletedKeys: readonly string[];
  readonly tokens: readonly AdminToken[];
  readonly spending: readonly SpendState[];
  /** Absent where it is as it was. */
  readonly catalogue?: Catalogue | undefined;
  /** Of the video queue; absent where they are as they were. */
  readonly pauses?: readonly VideoPause[] | undefined;
}

/**
 * Hears of a version that is stored.
 *
 * @param asOf When nothing newer was; absent where that is not known.
 */
export type ConfigurationListener = (
  version: ConfigurationVersion,
  asOf: Instant | undefined,
) => void;

/** How far a node has come with what is stored. */
export interface Reached {
  readonly version: ConfigurationVersion;
  /** Milliseconds since it knew of nothing newer. */
  readonly ageMs: number;
}

/** Where nodes read what others have changed. */
export interface SharedConfiguration {
  version(): Promise<ConfigurationVersion>;
  /** What has changed since, as it is at one moment. */
  since(version: ConfigurationVersion): Promise<ConfigurationNews>;
  /**
   * Has a listener hear of versions from now on, several times a second; the one before hears no more.
   *
   * @param reached How far the listener has come, for whoever looks at nodes.
   */
  follow(listener: ConfigurationListener, reached?: () => Reached): void;
}
