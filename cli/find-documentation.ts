import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the path of the documentation, relative to the working directory. Messages name its pages relative to the
 * parent directory. Returns undefined in a container image, which has no documentation.
 */
export function findDocumentation(): string | undefined {
  // In the package, this file is in dist/cli/, and the documentation in docs/.
  const candidates = ['../docs/README.md', '../../docs/README.md'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const path = candidates.find((one) => existsSync(one))
  return path === undefined ? undefined : relative(process.cwd(), path)
}
