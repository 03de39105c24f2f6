import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Directories that tools or runs create, and that are not part of the repository. */
const NOT_OURS = new Set(['node_modules', '.git', '.cache', 'coverage', 'dist', 'release', 'touchstone-report'])

export interface RepositoryFile {
  /** Path relative to the repository root, with `/` separators. */
  readonly path: string
  readonly text: string
}

/** Returns all text files of the repository, sorted by path. A file that contains a zero byte counts as binary. */
export function readRepositoryFiles(): RepositoryFile[] {
  return listPaths('')
    .map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
}

export function readSourceFiles(): RepositoryFile[] {
  return readRepositoryFiles().filter(({ path }) => path.endsWith('.ts'))
}

function listPaths(folder: string): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name) && !entry.name.endsWith('.log'))
    .flatMap((entry) => {
      if (entry.isDirectory()) {
        return listPaths(`${folder}${entry.name}/`)
      }
      return entry.isFile() ? [folder + entry.name] : []
    })
    .sort()
}
