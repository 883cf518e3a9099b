/**
 * A catalogue as its file.
 *
 * @module
 */

import type { ProjectSettings } from "../../src/catalog/to_catalogue.ts";
import {
  type FilePart,
  modelToFile,
  projectToFile,
  providerToFile,
  routeToFile,
} from "../../src/catalog/to_file.ts";
import type { Catalogue } from "../../src/domain/catalogue.ts";

/** The whole catalogue as a file's value; `readCatalogueText(JSON.stringify(…))` accepts it. */
export function toFile(
  catalogue: Catalogue,
  projects: readonly ProjectSettings[] = [],
): FilePart {
  return {
    currency: catalogue.currency,
    providers: catalogue.providers.map(providerToFile),
    models: catalogue.models.map((model) => ({
      ...modelToFile(model),
      routes: model.routes.map(routeToFile),
    })),
    projects: projects.map(projectToFile),
  };
}
