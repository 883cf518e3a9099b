/**
 * Lists of uploaded files, page by page.
 *
 * @module
 */

/** A page of a project's files. */
export interface UploadPage {
  readonly projectId: string;
  /** Only files for it. */
  readonly purpose: string | undefined;
  /** By creation. */
  readonly order: "asc" | "desc";
  /** Id of the file that the page comes after. */
  readonly after: string | undefined;
  readonly limit: number;
}
