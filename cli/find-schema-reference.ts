import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const SCHEMA_FILE = fileURLToPath(new URL('../conformance/targets/target.schema.json', import.meta.url))

/**
 * Returns the value of `$schema` for a target file: the relative path of the schema, from which editors read it.
 * Returns undefined if the schema is outside the project, because other machines would not have it at this path.
 * @param project the directory of the project, which contains the clone or `node_modules`
 */
export function findSchemaReference(file: string, project: string, schema: string = SCHEMA_FILE): string | undefined {
  if (isOutside(schema, project)) return undefined
  const path = relative(dirname(resolve(project, file)), schema)
    .split(sep)
    .join('/')
  return path.startsWith('../') ? path : `./${path}`
}

function isOutside(path: string, directory: string): boolean {
  const fromDirectory = relative(directory, path)
  return fromDirectory.startsWith('..') || isAbsolute(fromDirectory)
}
