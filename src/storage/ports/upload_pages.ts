/**
 * Lists of uploaded files, page by page.
 *
 * @module
 */

/** A page of files. */
export interface UploadPage {
  /** `undefined` for all projects. */
  readonly projectId: string | undefined;
  /** Of one project's only files for it. */
  readonly purpose: string | undefined;
  /** By creation. */
  readonly order: "asc" | "desc";
  /** Id of the file that the page comes after. */
  readonly after: string | undefined;
  readonly limit: number;
}
