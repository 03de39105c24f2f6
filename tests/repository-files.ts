import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folders that are made by tools or runs, and no part of the repository. */
const NOT_OURS = new Set(['node_modules', '.git', '.cache', 'coverage', 'dist', 'touchstone-report'])

/** A text file of the repository. */
export interface RepositoryFile {
  /** From the root, with `/`. */
  readonly path: string
  readonly text: string
}

/** All text files of the repository, sorted by path; those that hold a zero byte count as binary. */
export function readRepository(): RepositoryFile[] {
  return listPaths('')
    .map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
}

/** The TypeScript files of the repository. */
export function readSources(): RepositoryFile[] {
  return readRepository().filter(({ path }) => path.endsWith('.ts'))
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
